#include "driver/remote/server/flash_session.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "driver/remote/protocol/convert.h"
#include "driver/remote/protocol/flash_messages.h"
#include "driver/remote/protocol/hello.h"
#include "driver/remote/protocol/version.h"

namespace vta::remote {
namespace {

Status clientIsGone() { return ioError("the client is gone"); }

}  // namespace

Status FlashSession::handle(const v1::FlashRequest& request, const Send& send) {
  if (request.kind_case() == v1::FlashRequest::KIND_NOT_SET) {
    return unknownRequest();
  }
  if (request.has_hello() == claim_.has_value()) {
    return invalidArgument("a bitstream comes once and whole, behind one FlashHello");
  }
  if (request.has_hello()) return open(request.hello(), send);
  if (request.bitstream().size() > hello_.bitstream_bytes() - bitstream_.size()) {
    return invalidArgument("the bitstream is longer than was said");
  }
  const auto piece = std::as_bytes(std::span(request.bitstream()));
  bitstream_.insert(bitstream_.end(), piece.begin(), piece.end());
  if (bitstream_.size() < hello_.bitstream_bytes()) return {};
  v1::FlashReply reply;
  const auto report = program();
  environment_.metrics.boardProgrammed(environment_.client.name(), report.ok());
  if (report.ok()) *reply.mutable_report() = reportMessage(*report);
  if (!report.ok()) *reply.mutable_error() = errorMessage(report.status());
  claim_.reset();
  return send(reply) ? Status() : clientIsGone();
}

Status FlashSession::open(const v1::FlashHello& hello, const Send& send) {
  if (programmer_ == nullptr) {
    environment_.metrics.refused("flash");
    return unsupported(
        "the server programs no FPGA: whoever started it did not give --flash; vta-flash on the "
        "board itself does it");
  }
  const auto version = agreeOnVersion(hello.session());
  if (!version.ok()) environment_.metrics.refused("version");
  VTA_RETURN_IF_ERROR(version.status());
  if (!hello.session().device().empty()) VTA_RETURN_IF_ERROR(checkBoard(hello.session().device()));
  if (hello.bitstream_bytes() == 0 || hello.bitstream_bytes() > programmer_->mostBytes()) {
    return {StatusCode::kResourceExhausted,
            fmt::format("the bitstream has {} bytes, and the server takes 1 to {} (--flash-memory)",
                        hello.bitstream_bytes(), programmer_->mostBytes())};
  }
  VTA_ASSIGN_OR_RETURN(BoardProgrammer::Claim claim,
                       programmer_->claim(environment_.client.name()));
  claim_.emplace(std::move(claim));
  hello_ = hello;
  bitstream_.clear();
  bitstream_.reserve(hello.bitstream_bytes());
  v1::FlashReply reply;
  reply.mutable_welcome()->set_version(*version);
  reply.mutable_welcome()->set_sdk(std::string(kSdk));
  return send(reply) ? Status() : clientIsGone();
}

/// Whoever names a board means one whose FPGA is programmed.
Status FlashSession::checkBoard(const std::string& name) const {
  const auto device = findShared(environment_.devices, name);
  if (!device.ok()) environment_.metrics.refused("device");
  VTA_RETURN_IF_ERROR(device.status());
  if ((*device)->isProgrammable()) return {};
  return invalidArgument(fmt::format("'{}' is not in an FPGA that vta-flash programs", name));
}

Result<flash::FlashReport> FlashSession::program() {
  std::optional<flash::DescriptionText> description;
  if (hello_.has_description()) {
    description = flash::DescriptionText{hello_.description().name(), hello_.description().json()};
  }
  VTA_ASSIGN_OR_RETURN(const flash::BitstreamFile file,
                       flash::makeBitstreamFile(hello_.name(), std::exchange(bitstream_, {}),
                                                std::move(description)));
  return programmer_->program(flashRequestOf(hello_), file, environment_.client.name());
}

}  // namespace vta::remote
