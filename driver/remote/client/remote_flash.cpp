#include "driver/remote/client/remote_flash.h"

#include <span>

#include "driver/remote/client/message_stream.h"
#include "driver/remote/protocol/flash_messages.h"
#include "driver/remote/protocol/hello.h"

namespace vta::remote {
namespace {

Result<flash::FlashReport> flashOver(FlashStream& stream, const RemoteOptions& options,
                                     const flash::FlashRequest& request,
                                     const flash::BitstreamFile& file) {
  v1::FlashRequest hello;
  *hello.mutable_hello() = flashHello(request, file);
  *hello.mutable_hello()->mutable_session() = helloMessage(options.board, "");
  VTA_RETURN_IF_ERROR(stream.send(hello));
  VTA_ASSIGN_OR_RETURN(const v1::FlashReply welcome, receiveReply(stream));
  if (!welcome.has_welcome()) return unexpectedAnswer();
  VTA_RETURN_IF_ERROR(sendInPieces(stream, std::span<const std::byte>(file.data),
                                   [](v1::FlashRequest& piece, const void* bytes, size_t count) {
                                     piece.set_bitstream(bytes, count);
                                   }));
  VTA_ASSIGN_OR_RETURN(const v1::FlashReply done, receiveReply(stream));
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
