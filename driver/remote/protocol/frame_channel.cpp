#include "driver/remote/protocol/frame_channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "driver/remote/protocol/version.h"

namespace vta::remote {
namespace {

constexpr size_t kHeaderBytes = 1 + sizeof(uint32_t);

Status otherSideGone() { return ioError("the other side of the channel is gone"); }

bool isTransient(int error) { return error == EINTR || error == EAGAIN || error == EWOULDBLOCK; }

/// write() to a pipe that nobody reads, as an error instead of the signal.
ssize_t writeQuietly(int descriptor, const char* data, size_t size_bytes) {
  sigset_t pipe_signal;
  sigset_t before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = write(descriptor, data, size_bytes);
  const int error = errno;
  const bool was_blocked = sigismember(&before, SIGPIPE) == 1;
  if (written < 0 && error == EPIPE && !was_blocked) {
    constexpr timespec kAtOnce{};
    sigtimedwait(&pipe_signal, nullptr, &kAtOnce);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

}  // namespace

Status FrameChannel::waitFor(int descriptor, short events) const {
  constexpr int kAskMs = 100;
  pollfd file = {descriptor, events, 0};
  while (poll(&file, 1, is_over_ ? kAskMs : -1) <= 0) {
    if (is_over_ && is_over_()) {
      return {StatusCode::kDeadlineExceeded, "nothing may be waited for any more"};
    }
  }
  return {};
}

Status FrameChannel::sendAll(const char* data, size_t size_bytes) {
  while (size_bytes > 0) {
    VTA_RETURN_IF_ERROR(waitFor(output_, POLLOUT));
    const ssize_t written = writeQuietly(output_, data, size_bytes);
    if (written < 0 && isTransient(errno)) continue;
    if (written <= 0) return otherSideGone();
    data += written;
    size_bytes -= static_cast<size_t>(written);
  }
  return {};
}

Status FrameChannel::receiveAll(char* data, size_t size_bytes) {
  while (size_bytes > 0) {
    VTA_RETURN_IF_ERROR(waitFor(input_, POLLIN));
    const ssize_t count = read(input_, data, size_bytes);
    if (count < 0 && isTransient(errno)) continue;
    if (count <= 0) return otherSideGone();
    data += count;
    size_bytes -= static_cast<size_t>(count);
  }
  return {};
}

Status FrameChannel::send(FrameKind kind, std::string_view bytes) {
  if (bytes.size() > kMaxRequestBytes) return internalError("a frame that is too long");
  std::array<char, kHeaderBytes> header{};
  header[0] = static_cast<char>(kind);
  const auto size_bytes = static_cast<uint32_t>(bytes.size());
  std::memcpy(&header[1], &size_bytes, sizeof(size_bytes));
  VTA_RETURN_IF_ERROR(sendAll(header.data(), header.size()));
  return sendAll(bytes.data(), bytes.size());
}

Result<Frame> FrameChannel::receive() {
  std::array<char, kHeaderBytes> header{};
  VTA_RETURN_IF_ERROR(receiveAll(header.data(), header.size()));
  uint32_t size_bytes = 0;
  std::memcpy(&size_bytes, &header[1], sizeof(size_bytes));
  Frame frame;
  frame.kind = static_cast<FrameKind>(header[0]);
  const bool is_known = frame.kind == FrameKind::kDevice || frame.kind == FrameKind::kModule;
  if (!is_known || size_bytes > static_cast<uint32_t>(kMaxRequestBytes)) {
    return ioError(fmt::format("the channel has no frame but kind {} with {} bytes",
                               static_cast<unsigned>(static_cast<uint8_t>(header[0])), size_bytes));
  }
  frame.bytes.resize(size_bytes);
  VTA_RETURN_IF_ERROR(receiveAll(frame.bytes.data(), size_bytes));
  return frame;
}

}  // namespace vta::remote
