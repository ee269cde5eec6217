#include "driver/remote/worker/module_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "driver/remote/client/remote_device.h"
#include "driver/remote/protocol/convert.h"
#include "driver/remote/protocol/version.h"
#include "driver/remote/worker/channel_stream.h"

namespace vta::remote {
namespace {

v1::ModuleReply errorReply(const Status& status) {
  v1::ModuleReply reply;
  *reply.mutable_error() = errorMessage(status);
  return reply;
}

}  // namespace

Status ModuleWorker::serve() {
  while (true) {
    const auto frame = channel_.receive();
    if (!frame.ok()) return {};
    v1::ModuleRequest request;
    if (frame->kind != FrameKind::kModule || !request.ParseFromString(frame->bytes)) {
      return ioError("a frame that is no request");
    }
    VTA_RETURN_IF_ERROR(handle(request));
  }
}

Status ModuleWorker::handle(const v1::ModuleRequest& request) {
  switch (request.kind_case()) {
    case v1::ModuleRequest::kHello:
      return begin(request.hello());
    case v1::ModuleRequest::kModule:
      return addModule(request.module());
    case v1::ModuleRequest::kInput: {
      const Status status = addInput(request.input());
      if (earlier_error_.ok()) earlier_error_ = status;
      return {};
    }
    case v1::ModuleRequest::kRun: {
      const Status status = earlier_error_.ok() ? run() : std::exchange(earlier_error_, {});
      for (std::string& input : inputs_) input.clear();
      return status.ok() ? status : answer(errorReply(status));
    }
    default:
      return unsupported("a request of a newer version");
  }
}

Status ModuleWorker::begin(const v1::ModuleHello& hello) {
  module_bytes_ = hello.module_bytes();
  file_.reserve(static_cast<size_t>(module_bytes_));
  return {};
}

Status ModuleWorker::addModule(const std::string& piece) {
  file_ += piece;
  if (file_.size() < module_bytes_) return {};
  const Status loaded = load();
  file_ = {};
  if (!loaded.ok()) return answer(errorReply(loaded));
  v1::ModuleReply reply;
  reply.mutable_loaded();
  return answer(reply);
}

Status ModuleWorker::load() {
  VTA_ASSIGN_OR_RETURN(module_, driver::LoadedModule::fromMemory(std::as_bytes(std::span(file_))));
  if (module_->hw() == nullptr) {
    return invalidArgument("nothing of this module runs on a VTA, so no server is needed");
  }
  VTA_ASSIGN_OR_RETURN(
      device_, RemoteDevice::create(*module_->hw(), std::make_unique<ChannelStream>(channel_),
                                    "the server's device"));
  VTA_ASSIGN_OR_RETURN(session_, driver::Session::create(module_, device_.get(), {}));
  inputs_.resize(module_->info().inputs.size());
  return {};
}

Status ModuleWorker::addInput(const v1::TensorPiece& piece) {
  if (session_ == nullptr) return invalidArgument("an input before the module");
  if (piece.port() >= inputs_.size()) {
    return invalidArgument(fmt::format("the module has {} inputs, and something came for input {}",
                                       inputs_.size(), piece.port()));
  }
  const ModuleInfo& info = module_->info();
  const PortInfo& port = info.inputs[piece.port()];
  const uint64_t wanted_bytes = info.tensors[port.tensor].size_bytes;
  std::string& input = inputs_[piece.port()];
  if (piece.data().size() > wanted_bytes - input.size()) {
    return invalidArgument(
        fmt::format("input '{}' has {} bytes, and more came", port.name, wanted_bytes));
  }
  input += piece.data();
  return {};
}

Status ModuleWorker::run() {
  if (session_ == nullptr) return invalidArgument("a run before the module");
  const ModuleInfo& info = module_->info();
  TensorMap inputs;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const PortInfo& port = info.inputs[i];
    const TensorInfo& tensor = info.tensors[port.tensor];
    if (inputs_[i].size() != tensor.size_bytes) {
      return invalidArgument(fmt::format("{} of the {} bytes of input '{}' have come",
                                         inputs_[i].size(), tensor.size_bytes, port.name));
    }
    const auto bytes = std::as_bytes(std::span(inputs_[i]));
    inputs[port.name] = {tensor.dtype, tensor.shape, {bytes.begin(), bytes.end()}};
  }
  VTA_ASSIGN_OR_RETURN(const driver::RunResult result, session_->run(inputs));
  VTA_RETURN_IF_ERROR(sendOutputs(result.outputs));
  v1::ModuleReply reply;
  reply.mutable_ran()->set_seconds(result.seconds);
  return answer(reply);
}

Status ModuleWorker::sendOutputs(const TensorMap& outputs) {
  const std::vector<PortInfo>& ports = module_->info().outputs;
  v1::ModuleReply reply;
  for (uint32_t i = 0; i < ports.size(); ++i) {
    std::span<const std::byte> data = outputs.at(ports[i].name).data;
    while (!data.empty()) {
      const auto piece = data.first(std::min(data.size(), kChunkBytes));
      reply.mutable_output()->set_port(i);
      reply.mutable_output()->set_data(piece.data(), piece.size());
      VTA_RETURN_IF_ERROR(answer(reply));
      data = data.subspan(piece.size());
    }
  }
  return {};
}

Status ModuleWorker::answer(const v1::ModuleReply& reply) {
  return channel_.send(FrameKind::kModule, reply.SerializeAsString());
}

}  // namespace vta::remote
