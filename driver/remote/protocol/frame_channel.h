// FrameChannel: messages between a server and the process that runs a module for it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace vta::remote {

/// What a frame holds, as bytes of protobuf.
enum class FrameKind : uint8_t {
  kDevice = 1,  // to the server: v1::Request; to the process: v1::Reply
  kModule = 2   // to the server: v1::ModuleReply; to the process: v1::ModuleRequest
};

struct Frame {
  FrameKind kind = FrameKind::kDevice;
  std::string bytes;
};

/// Frames over two file descriptors, which the caller owns. Each frame is its kind, the number of
/// its bytes and the bytes; none is longer than a request may be (version.h). Used by one thread at
/// a time. What comes in may be anything.
class FrameChannel {
 public:
  /// Asked while nothing can be sent or received, ten times a second: true gives up.
  using IsOver = std::function<bool()>;

  FrameChannel(int input, int output, IsOver is_over = nullptr)
      : input_(input), output_(output), is_over_(std::move(is_over)) {}

  /// Errors: kIoError when the other side is gone; kDeadlineExceeded when it is over.
  Status send(FrameKind kind, std::string_view bytes);

  /// Errors: as for send, and kIoError for what is no frame.
  Result<Frame> receive();

 private:
  Status sendAll(const char* data, size_t size_bytes);
  Status receiveAll(char* data, size_t size_bytes);
  Status waitFor(int descriptor, short events) const;

  int input_;
  int output_;
  IsOver is_over_;
};

}  // namespace vta::remote
