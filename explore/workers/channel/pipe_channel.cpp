#include "explore/workers/channel/pipe_channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace vta::launcher {
namespace {

constexpr size_t kMostLineBytes = size_t{256} << 20;
constexpr int kMostWaitMilliseconds = 30'000;  // for a reader that has stopped reading

bool canRead(int file) {
  pollfd polled = {file, POLLIN, 0};
  return poll(&polled, 1, 0) > 0;
}

}  // namespace

Status PipeChannel::send(std::string_view text) {
  std::string line(text);
  line += '\n';
  const std::lock_guard lock(writing_);
  size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t count = write(output_, line.data() + sent, line.size() - sent);
    if (count >= 0) {
      sent += static_cast<size_t>(count);
      continue;
    }
    if (errno == EINTR) continue;
    pollfd polled = {output_, POLLOUT, 0};
    if (errno == EAGAIN && poll(&polled, 1, kMostWaitMilliseconds) > 0) continue;
    return ioError(fmt::format("cannot write to the other side: {}", std::strerror(errno)));
  }
  return {};
}

Result<std::optional<std::string>> PipeChannel::receive() {
  for (;;) {
    const size_t end = received_.find('\n', searched_);
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      searched_ = 0;
      ++beats_;  // any line tells that the other side lives
      if (line.empty()) continue;
      return std::optional(std::move(line));
    }
    searched_ = received_.size();
    if (!canRead(input_)) return std::optional<std::string>();
    VTA_RETURN_IF_ERROR(readMore());
  }
}

Status PipeChannel::readMore() {
  char buffer[1 << 16];
  const ssize_t count = read(input_, buffer, sizeof(buffer));
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  if (count < 0) return ioError(std::strerror(errno));
  if (count == 0) return ioError("the other side has closed the connection");
  if (received_.size() > kMostLineBytes) return ioError("the other side sends a line without end");
  received_.append(buffer, static_cast<size_t>(count));
  return {};
}

}  // namespace vta::launcher
