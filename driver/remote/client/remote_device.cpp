#include "driver/remote/client/remote_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "driver/remote/protocol/convert.h"
#include "driver/remote/protocol/hello.h"
#include "driver/remote/protocol/version.h"

namespace vta::remote {
namespace {

using driver::DeviceBuffer;
using driver::DeviceInfo;
using Time = DeviceStream::Time;

/// As receiveReply, from a server that may be none at all.
Result<v1::Reply> receiveWelcome(DeviceStream& stream, const RemoteOptions& options) {
  v1::Reply reply;
  VTA_ASSIGN_OR_RETURN(const bool came, stream.receive(reply, std::chrono::steady_clock::now() +
                                                                  options.connect_timeout));
  if (!came) {
    return ioError(
        fmt::format("no answer within {} ms; is it a vta-server? connect-timeout=MS "
                    "waits longer",
                    options.connect_timeout.count()));
  }
  if (reply.has_error()) return statusOf(reply.error());
  return reply;
}

v1::Request helloOf(const HwConfig& hw, const RemoteOptions& options) {
  v1::Request request;
  *request.mutable_hello() = helloMessage(options.board, hw.toYaml());
  return request;
}

Result<DeviceInfo> infoOf(const v1::Welcome& welcome, std::string name) {
  if (welcome.version() < kLowestVersion || welcome.version() > kHighestVersion) {
    return unsupported(
        fmt::format("the server chose version {} of the protocol; this is {}, which "
                    "speaks {} to {}",
                    welcome.version(), kSdk, kLowestVersion, kHighestVersion));
  }
  VTA_ASSIGN_OR_RETURN(HwConfig hw, parseHwConfig(welcome.hw(), "the server's configuration"));
  const driver::Capabilities capabilities = {.values = welcome.values(),
                                             .cycles = welcome.cycles(),
                                             .mappable_memory = false,
                                             .fixed_addresses = welcome.fixed_addresses(),
                                             .clears_tokens = !welcome.keeps_tokens()};
  return DeviceInfo{std::move(name), std::move(hw), capabilities,
                    fmt::format("Memory behind a network cannot be mapped. The device there is {}: "
                                "{}",
                                welcome.device(), welcome.limitations())};
}

}  // namespace

Result<std::unique_ptr<driver::Device>> RemoteDevice::create(const HwConfig& hw,
                                                             const RemoteOptions& options) {
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<DeviceStream> stream, openDeviceStream(options));
  const std::string where = "tcp://" + options.address.text();
  const std::string board = options.board.empty() ? "" : ",board=" + options.board;
  auto device = create(hw, std::move(stream), where + board, options);
  const bool says_where = device.ok() || device.status().message().starts_with(where);
  if (says_where) return device;
  return device.status().withContext(where);
}

Result<std::unique_ptr<driver::Device>> RemoteDevice::create(const HwConfig& hw,
                                                             std::unique_ptr<DeviceStream> stream,
                                                             std::string name,
                                                             const RemoteOptions& options) {
  // A server that refuses the client may have ended the stream already; what it said comes then.
  VTA_RETURN_IF_ERROR(stream->send(helloOf(hw, options)));
  VTA_ASSIGN_OR_RETURN(const v1::Reply reply, receiveWelcome(*stream, options));
  if (!reply.has_welcome()) return unexpectedAnswer();
  VTA_ASSIGN_OR_RETURN(DeviceInfo info, infoOf(reply.welcome(), std::move(name)));
  return std::unique_ptr<driver::Device>(new RemoteDevice(std::move(info), std::move(stream)));
}

/// The answer to the launch, which comes before that to anything behind it.
Status RemoteDevice::receiveLaunch() {
  if (!is_submitted_ || launch_reply_) return {};
  v1::Reply reply;
  VTA_RETURN_IF_ERROR(stream_->receive(reply, Time::max()).status());
  launch_reply_ = std::move(reply);
  return {};
}

Result<v1::Reply> RemoteDevice::ask(const v1::Request& request) {
  VTA_RETURN_IF_ERROR(stream_->send(request));
  VTA_RETURN_IF_ERROR(receiveLaunch());
  return receiveReply(*stream_);
}

Status RemoteDevice::askDone(const v1::Request& request) {
  VTA_ASSIGN_OR_RETURN(const v1::Reply reply, ask(request));
  return reply.has_done() ? Status() : unexpectedAnswer();
}

Result<DeviceBuffer> RemoteDevice::allocate(const v1::Request& request) {
  VTA_ASSIGN_OR_RETURN(const v1::Reply reply, ask(request));
  if (!reply.has_buffer()) return unexpectedAnswer();
  const DeviceBuffer buffer{reply.buffer().address(), reply.buffer().size_bytes()};
  if (buffer.size_bytes != request.allocate().size_bytes()) return unexpectedAnswer();
  buffers_[buffer.address] = buffer.size_bytes;
  return buffer;
}

Result<DeviceBuffer> RemoteDevice::allocate(uint64_t size_bytes, uint64_t alignment_bytes) {
  v1::Request request;
  request.mutable_allocate()->set_size_bytes(size_bytes);
  request.mutable_allocate()->set_alignment_bytes(alignment_bytes);
  return allocate(request);
}

Result<DeviceBuffer> RemoteDevice::allocateAt(uint64_t address, uint64_t size_bytes) {
  if (!info_.capabilities.fixed_addresses) return Device::allocateAt(address, size_bytes);
  v1::Request request;
  request.mutable_allocate()->set_size_bytes(size_bytes);
  request.mutable_allocate()->set_address(address);
  return allocate(request);
}

Status RemoteDevice::free(const DeviceBuffer& buffer) {
  const auto found = buffers_.find(buffer.address);
  if (found == buffers_.end() || found->second != buffer.size_bytes) {
    return invalidArgument(fmt::format("{} bytes at {:#x} are not an allocated buffer",
                                       buffer.size_bytes, buffer.address));
  }
  buffers_.erase(found);
  v1::Request request;
  request.mutable_free()->set_address(buffer.address);
  request.mutable_free()->set_size_bytes(buffer.size_bytes);
  return stream_->send(request);
}

Status RemoteDevice::checkRange(uint64_t address, uint64_t size_bytes) const {
  const auto after = buffers_.upper_bound(address);
  if (after != buffers_.begin()) {
    const auto& [begin, size] = *std::prev(after);
    if (address - begin <= size && size_bytes <= size - (address - begin)) return {};
  }
  return invalidArgument(
      fmt::format("{} bytes at {:#x} do not lie in one allocated buffer", size_bytes, address));
}

Status RemoteDevice::write(uint64_t address, std::span<const std::byte> data) {
  VTA_RETURN_IF_ERROR(checkRange(address, data.size()));
  v1::Request request;
  while (!data.empty()) {
    const auto chunk = data.first(std::min(data.size(), kChunkBytes));
    request.mutable_write()->set_address(address);
    request.mutable_write()->set_data(chunk.data(), chunk.size());
    VTA_RETURN_IF_ERROR(stream_->send(request));
    address += chunk.size();
    data = data.subspan(chunk.size());
  }
  return {};
}

Status RemoteDevice::read(uint64_t address, std::span<std::byte> data) {
  VTA_RETURN_IF_ERROR(checkRange(address, data.size()));
  if (data.empty()) return {};
  v1::Request request;
  request.mutable_read()->set_address(address);
  request.mutable_read()->set_size_bytes(data.size());
  auto reply = ask(request);
  while (true) {
    VTA_RETURN_IF_ERROR(reply.status());
    const std::string& part = reply->data();
    if (!reply->has_data() || part.empty() || part.size() > data.size()) return unexpectedAnswer();
    std::memcpy(data.data(), part.data(), part.size());
    data = data.subspan(part.size());
    if (data.empty()) return {};
    reply = receiveReply(*stream_);
  }
}

Status RemoteDevice::submit(const driver::Launch& launch) {
  if (is_submitted_) return invalidArgument("a launch is already submitted; wait for it first");
  v1::Request request;
  *request.mutable_launch() = launchMessage(launch);
  VTA_RETURN_IF_ERROR(stream_->send(request));
  is_submitted_ = true;
  launch_reply_.reset();
  return {};
}

Result<driver::LaunchResult> RemoteDevice::wait(std::chrono::milliseconds timeout) {
  if (!is_submitted_) return invalidArgument("no launch is submitted");
  if (!launch_reply_) {
    const Time now = std::chrono::steady_clock::now();
    const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(Time::max() - now);
    v1::Reply reply;
    VTA_ASSIGN_OR_RETURN(const bool came,
                         stream_->receive(reply, now + std::min(timeout, longest / 2)));
    if (!came) {
      return Status(StatusCode::kDeadlineExceeded,
                    fmt::format("the launch on {} has not ended after {} ms: it runs, or waits for "
                                "other clients' launches",
                                info_.name, timeout.count()));
    }
    launch_reply_ = std::move(reply);
  }
  is_submitted_ = false;
  const v1::Reply reply = *std::exchange(launch_reply_, std::nullopt);
  if (reply.has_error()) return statusOf(reply.error());
  if (!reply.has_result()) return unexpectedAnswer();
  return resultOf(reply.result());
}

Status RemoteDevice::setTracing(driver::Tracing tracing) {
  v1::Request request;
  request.mutable_set_tracing()->set_on(tracing != driver::Tracing::kOff);
  return askDone(request);
}

Status RemoteDevice::identify() {
  v1::Request request;
  request.mutable_identify();
  return askDone(request);
}

Status RemoteDevice::testInterrupt() {
  if (is_submitted_) return invalidArgument("a launch is submitted; wait for it first");
  v1::Request request;
  request.mutable_test_interrupt();
  return askDone(request);
}

Status RemoteDevice::reset() {
  v1::Request request;
  request.mutable_reset();
  const Status status = askDone(request);
  is_submitted_ = false;
  launch_reply_.reset();
  return status;
}

}  // namespace vta::remote
