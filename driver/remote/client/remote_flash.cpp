#include "driver/remote/client/remote_flash.h"

#include <algorithm>
#include <span>

#include "driver/remote/client/message_stream.h"
#include "driver/remote/protocol/convert.h"
#include "driver/remote/protocol/flash_messages.h"
#include "driver/remote/protocol/hello.h"
#include "driver/remote/protocol/version.h"

namespace vta::remote {
namespace {

Result<v1::FlashReply> receiveFlashReply(FlashStream& stream) {
  v1::FlashReply reply;
  VTA_RETURN_IF_ERROR(stream.receive(reply, FlashStream::Time::max()).status());
  if (reply.has_error()) return statusOf(reply.error());
  return reply;
}

Status sendBitstream(FlashStream& stream, std::span<const std::byte> data) {
  v1::FlashRequest request;
  while (!data.empty()) {
    const auto piece = data.first(std::min(data.size(), kChunkBytes));
    request.set_bitstream(piece.data(), piece.size());
    VTA_RETURN_IF_ERROR(stream.send(request));
    data = data.subspan(piece.size());
  }
  return {};
}

Result<flash::FlashReport> flashOver(FlashStream& stream, const RemoteOptions& options,
                                     const flash::FlashRequest& request,
                                     const flash::BitstreamFile& file) {
  v1::FlashRequest hello;
  *hello.mutable_hello() = flashHello(request, file);
  *hello.mutable_hello()->mutable_session() = helloMessage(options.board, "");
  VTA_RETURN_IF_ERROR(stream.send(hello));
  VTA_ASSIGN_OR_RETURN(const v1::FlashReply welcome, receiveFlashReply(stream));
  if (!welcome.has_welcome()) return unexpectedAnswer();
  VTA_RETURN_IF_ERROR(sendBitstream(stream, file.data));
  VTA_ASSIGN_OR_RETURN(const v1::FlashReply done, receiveFlashReply(stream));
  if (!done.has_report()) return unexpectedAnswer();
  return reportOf(done.report());
}

}  // namespace

Result<flash::FlashReport> flashRemotely(const RemoteOptions& options,
                                         const flash::FlashRequest& request,
                                         const flash::BitstreamFile& file) {
  const std::string where = "tcp://" + options.address.text();
  VTA_ASSIGN_OR_RETURN(const auto stream, openFlashStream(options));
  auto report = flashOver(*stream, options, request, file);
  const bool says_where = report.ok() || report.status().message().starts_with(where);
  return says_where ? std::move(report) : report.status().withContext(where);
}

}  // namespace vta::remote
