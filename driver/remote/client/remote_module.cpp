#include "driver/remote/client/remote_module.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/remote/protocol/convert.h"
#include "driver/remote/protocol/hello.h"
#include "driver/remote/protocol/version.h"
#include "module/check_inputs.h"
#include "module/counted_output.h"
#include "module/module_file.h"

namespace vta::remote {
namespace {

v1::ModuleRequest helloOf(const HwConfig& hw, uint64_t module_bytes, const RemoteOptions& options) {
  v1::ModuleRequest request;
  v1::ModuleHello& hello = *request.mutable_hello();
  hello.set_module_bytes(module_bytes);
  *hello.mutable_session() = helloMessage(options.board, hw.toYaml());
  return request;
}

/// The server's configuration, once the server has the module and is ready to run it.
Result<HwConfig> introduce(ModuleStream& stream, std::span<const std::byte> file,
                           const HwConfig& hw, const RemoteOptions& options) {
  VTA_RETURN_IF_ERROR(stream.send(helloOf(hw, file.size(), options)));
  VTA_ASSIGN_OR_RETURN(const v1::ModuleReply welcome, receiveReply(stream));
  if (!welcome.has_welcome()) return unexpectedAnswer();
  VTA_ASSIGN_OR_RETURN(HwConfig device_hw,
                       parseHwConfig(welcome.welcome().hw(), "the server's configuration"));
  VTA_RETURN_IF_ERROR(
      sendInPieces(stream, file, [](v1::ModuleRequest& piece, const void* bytes, size_t count) {
        piece.set_module(bytes, count);
      }));
  VTA_ASSIGN_OR_RETURN(const v1::ModuleReply loaded, receiveReply(stream));
  if (!loaded.has_loaded()) return unexpectedAnswer();
  return device_hw;
}

}  // namespace

Result<std::unique_ptr<RemoteModule>> RemoteModule::open(std::span<const std::byte> file,
                                                         const RemoteOptions& options) {
  VTA_ASSIGN_OR_RETURN(ModuleView view, viewModule(file));
  if (view.info.hw() == nullptr) {
    return invalidArgument("nothing of this module runs on a VTA; run it without a server");
  }
  const std::string where = "tcp://" + options.address.text();
  VTA_ASSIGN_OR_RETURN(auto stream, openModuleStream(options));
  auto hw = introduce(*stream, file, *view.info.hw(), options);
  if (!hw.ok()) {
    const bool says_where = hw.status().message().starts_with(where);
    return says_where ? hw.status() : hw.status().withContext(where);
  }
  const std::string board = options.board.empty() ? "" : ",board=" + options.board;
  return std::unique_ptr<RemoteModule>(
      new RemoteModule(std::move(view.info), *std::move(hw), where + board, std::move(stream)));
}

Status RemoteModule::sendInputs(const TensorMap& inputs) {
  for (uint32_t i = 0; i < info_.inputs.size(); ++i) {
    std::span<const std::byte> data = inputs.at(info_.inputs[i].name).data;
    v1::ModuleRequest request;
    while (!data.empty()) {
      const auto piece = data.first(std::min(data.size(), kChunkBytes));
      request.mutable_input()->set_port(i);
      request.mutable_input()->set_data(piece.data(), piece.size());
      VTA_RETURN_IF_ERROR(stream_->send(request));
      data = data.subspan(piece.size());
    }
  }
  return {};
}

Status RemoteModule::addOutput(const v1::TensorPiece& piece, TensorMap& outputs) const {
  if (piece.port() >= info_.outputs.size()) return unexpectedAnswer();
  const PortInfo& port = info_.outputs[piece.port()];
  const TensorInfo& tensor = info_.tensors[port.tensor];
  Tensor& output = outputs[port.name];
  const auto bytes = std::as_bytes(std::span(piece.data()));
  if (bytes.size() > tensor.size_bytes - output.data.size()) return unexpectedAnswer();
  output.data.insert(output.data.end(), bytes.begin(), bytes.end());
  return {};
}

Status RemoteModule::finishOutputs(TensorMap& outputs) const {
  for (const PortInfo& port : info_.outputs) {
    Tensor& output = outputs[port.name];  // one without bytes has not been sent
    output.dtype = info_.tensors[port.tensor].dtype;
    VTA_ASSIGN_OR_RETURN(output.shape, outputShape(info_, port, output.data.size()));
  }
  return {};
}

Result<RemoteModule::Run> RemoteModule::run(const TensorMap& inputs) {
  VTA_RETURN_IF_ERROR(checkInputs(info_, inputs));
  VTA_RETURN_IF_ERROR(sendInputs(inputs));
  v1::ModuleRequest request;
  request.mutable_run();
  VTA_RETURN_IF_ERROR(stream_->send(request));
  Run run;
  while (true) {
    VTA_ASSIGN_OR_RETURN(const v1::ModuleReply reply, receiveReply(*stream_));
    if (reply.has_ran()) {
      VTA_RETURN_IF_ERROR(finishOutputs(run.outputs));
      run.seconds = reply.ran().seconds();
      return run;
    }
    if (!reply.has_output()) return unexpectedAnswer();
    VTA_RETURN_IF_ERROR(addOutput(reply.output(), run.outputs));
  }
}

}  // namespace vta::remote
