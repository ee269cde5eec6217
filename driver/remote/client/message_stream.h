// MessageStream: a connection to a server.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

#include "base/status.h"
#include "driver/remote/client/remote_options.h"
#include "driver/remote/protocol/convert.h"
#include "driver/remote/protocol/remote.pb.h"
#include "driver/remote/protocol/version.h"

namespace vta::remote {

/// Messages to a server and back, in order. Used by one thread at a time. After an error every call
/// returns that error. The destructor tells the server that the session is over.
template <typename Request, typename Reply>
class MessageStream {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~MessageStream() = default;

  virtual Status send(const Request& request) = 0;

  /// False when nothing has come by the deadline; the message may be received later. Time::max()
  /// stands for as long as the options have patience for; then it is an error.
  virtual Result<bool> receive(Reply& reply, Time deadline) = 0;
};

/// A session with a device, one with a module, and one that programs an FPGA (remote.proto).
using DeviceStream = MessageStream<v1::Request, v1::Reply>;
using ModuleStream = MessageStream<v1::ModuleRequest, v1::ModuleReply>;
using FlashStream = MessageStream<v1::FlashRequest, v1::FlashReply>;

/// The next answer, for which the options have patience. Errors: what the server says in place of
/// one; the connection's.
template <typename Request, typename Reply>
Result<Reply> receiveReply(MessageStream<Request, Reply>& stream) {
  Reply reply;
  VTA_RETURN_IF_ERROR(stream.receive(reply, MessageStream<Request, Reply>::Time::max()).status());
  if (reply.has_error()) return statusOf(reply.error());
  return reply;
}

/// Sends `data` in pieces that a message holds. `set_piece`(request, bytes, count) makes a request
/// of each.
template <typename Request, typename Reply, typename SetPiece>
Status sendInPieces(MessageStream<Request, Reply>& stream, std::span<const std::byte> data,
                    SetPiece set_piece) {
  Request request;
  while (!data.empty()) {
    const auto piece = data.first(std::min(data.size(), kChunkBytes));
    set_piece(request, piece.data(), piece.size());
    VTA_RETURN_IF_ERROR(stream.send(request));
    data = data.subspan(piece.size());
  }
  return {};
}

/// Connect. Errors: files that cannot be read; kIoError, with the reason and a remedy, when there
/// is no server, or one that refuses the client.
Result<std::unique_ptr<DeviceStream>> openDeviceStream(const RemoteOptions& options);
Result<std::unique_ptr<ModuleStream>> openModuleStream(const RemoteOptions& options);
/// A server that is older than these sessions is an error that says so.
Result<std::unique_ptr<FlashStream>> openFlashStream(const RemoteOptions& options);

/// The error of an answer that does not belong to the question.
Status unexpectedAnswer();

}  // namespace vta::remote
