#include "driver/remote/server/server_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "driver/remote/protocol/convert.h"
#include "driver/remote/protocol/hello.h"
#include "driver/remote/protocol/version.h"
#include "driver/remote/server/launches/launch_check.h"

namespace vta::remote {
namespace {

using driver::DeviceBuffer;
using driver::LaunchResult;

/// More names for memory than any program needs.
constexpr uint32_t kMostBuffers = 1 << 16;
constexpr size_t kMostCheckedLaunches = 4096;
constexpr size_t kMostConfigurationBytes = 1 << 16;

v1::Reply doneReply() {
  v1::Reply reply;
  reply.mutable_done();
  return reply;
}

v1::Reply errorReply(const Status& status) {
  v1::Reply reply;
  *reply.mutable_error() = errorMessage(status);
  return reply;
}

/// End of a range of the network; one that wraps around is in no buffer.
ByteRange rangeOf(uint64_t address, uint64_t size_bytes) {
  const uint64_t end = address + size_bytes;
  return {address, end < address ? ~uint64_t{0} : end};
}

Status strayRange(uint64_t address, uint64_t size_bytes) {
  return invalidArgument(fmt::format("{} bytes at {:#x} do not lie in one buffer of this session",
                                     size_bytes, address));
}

Status gone() { return ioError("the client is gone"); }

v1::Reply welcomeReply(uint32_t version, const driver::DeviceInfo& info) {
  v1::Reply reply;
  v1::Welcome& welcome = *reply.mutable_welcome();
  welcome.set_version(version);
  welcome.set_sdk(std::string(kSdk));
  welcome.set_device(info.name);
  welcome.set_hw(info.hw.toYaml());
  welcome.set_values(info.capabilities.values);
  welcome.set_cycles(info.capabilities.cycles);
  welcome.set_fixed_addresses(info.capabilities.fixed_addresses);
  welcome.set_keeps_tokens(!info.capabilities.clears_tokens);
  welcome.set_limitations(info.limitations);
  return reply;
}

}  // namespace

ServerSession::~ServerSession() {
  if (device_ == nullptr) return;
  {
    const auto turn = device_->queue().take(environment_.client.name(), nullptr);
    for (const ByteRange& range : device_->buffers().of(environment_.number)) {
      // Nobody is left to tell; the device keeps what it does not free.
      static_cast<void>(device_->device().free({range.begin, range.end - range.begin}));
      device_->buffers().remove(range.begin);
      environment_.client.returnMemory(range.end - range.begin);
    }
    environment_.metrics.setMemory(device_->name(), device_->buffers().totalBytes());
  }
  device_->leave(environment_.client.name());
  environment_.metrics.sessionEnded(device_->name());
}

Status ServerSession::handle(const v1::Request& request, const Send& send) {
  const bool is_hello = request.has_hello();
  if (request.kind_case() == v1::Request::KIND_NOT_SET) {
    return unknownRequest();
  }
  if (is_hello == (device_ != nullptr)) {
    return invalidArgument("a session begins with one Hello, and has no other");
  }
  if (request.has_write() || request.has_free()) {
    if (!earlier_error_.ok()) return {};
    earlier_error_ = request.has_write() ? write(request.write()) : free(request.free());
    return {};
  }
  if (!earlier_error_.ok()) {
    return send(errorReply(std::exchange(earlier_error_, {}))) ? Status() : gone();
  }
  const auto reply = carryOut(request, send);
  return send(reply.ok() ? *reply : errorReply(reply.status())) ? Status() : gone();
}

Result<v1::Reply> ServerSession::carryOut(const v1::Request& request, const Send& send) {
  switch (request.kind_case()) {
    case v1::Request::kHello:
      return open(request.hello());
    case v1::Request::kAllocate:
      return allocate(request.allocate());
    case v1::Request::kRead:
      return read(request.read(), send);
    case v1::Request::kLaunch:
      return launch(request.launch());
    case v1::Request::kSetTracing:
      return setTracing(request.set_tracing().on());
    case v1::Request::kIdentify:
      return withCore([](driver::Device& device) { return device.identify(); });
    case v1::Request::kTestInterrupt:
      return withCore([](driver::Device& device) { return device.testInterrupt(); });
    case v1::Request::kReset:
      return withCore([](driver::Device& device) { return device.reset(); });
    default:
      return internalError("a request without a handler");
  }
}

Result<FairQueue::Turn> ServerSession::takeTurn() {
  auto turn = device_->queue().take(environment_.client.name(), environment_.is_gone);
  if (!turn) return gone();
  return *std::move(turn);
}

/// Work that needs the core as this session left it.
Result<v1::Reply> ServerSession::withCore(const std::function<Status(driver::Device&)>& work) {
  VTA_ASSIGN_OR_RETURN(const Turn turn, takeTurn());
  VTA_RETURN_IF_ERROR(device_->prepareFor(environment_.number, is_traced_));
  VTA_RETURN_IF_ERROR(work(device_->device()));
  return doneReply();
}

Result<v1::Reply> ServerSession::setTracing(bool on) {
  VTA_ASSIGN_OR_RETURN(const Turn turn, takeTurn());
  VTA_RETURN_IF_ERROR(device_->prepareFor(environment_.number, on));
  is_traced_ = on;
  return doneReply();
}

Result<v1::Reply> ServerSession::open(const v1::Hello& hello) {
  const auto version = agreeOnVersion(hello);
  if (!version.ok()) environment_.metrics.refused("version");
  VTA_RETURN_IF_ERROR(version.status());
  const auto device = findShared(environment_.devices, hello.device());
  if (!device.ok()) environment_.metrics.refused("device");
  VTA_RETURN_IF_ERROR(device.status());
  if (hello.hw().size() > kMostConfigurationBytes) {
    return invalidArgument("the client's configuration is longer than 64 KiB");
  }
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, parseHwConfig(hello.hw(), "the client's configuration"));
  VTA_RETURN_IF_ERROR((*device)->join(environment_.client.name(), environment_.is_gone));
  const driver::DeviceInfo& info = (*device)->info();
  if (!info.hw.isProgramCompatible(hw)) {
    const Status refused = unsupported(
        fmt::format("board '{}' has another configuration than the program needs\n  board:   {}\n  "
                    "program: {}\n"
                    "compile for the board's configuration, or choose another board",
                    (*device)->name(), info.hw.summary(), hw.summary()));
    (*device)->leave(environment_.client.name());
    environment_.metrics.refused("hardware");
    return refused;
  }
  device_ = *device;
  environment_.metrics.sessionBegan(device_->name());
  return welcomeReply(*version, info);
}

Result<v1::Reply> ServerSession::allocate(const v1::Allocate& request) {
  const uint64_t size_bytes = request.size_bytes();
  ClientAccount& client = environment_.client;
  if (buffer_count_ >= kMostBuffers) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("a session may have {} buffers", kMostBuffers));
  }
  if (!client.takeMemory(size_bytes)) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("{} bytes requested, {} free of the {} that the server gives client "
                              "'{}' (--memory-limit)",
                              size_bytes, client.freeBytes(), client.mostBytes(), client.name()));
  }
  const auto allocated = [&]() -> Result<DeviceBuffer> {
    VTA_ASSIGN_OR_RETURN(const Turn turn, takeTurn());
    driver::Device& device = device_->device();
    VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer,
                         request.has_address()
                             ? device.allocateAt(request.address(), size_bytes)
                             : device.allocate(size_bytes, request.alignment_bytes()));
    device_->buffers().add({buffer.address, buffer.address + size_bytes}, environment_.number);
    environment_.metrics.setMemory(device_->name(), device_->buffers().totalBytes());
    return buffer;
  }();
  if (!allocated.ok()) client.returnMemory(size_bytes);
  VTA_RETURN_IF_ERROR(allocated.status());
  ++buffer_count_;
  v1::Reply reply;
  reply.mutable_buffer()->set_address(allocated->address);
  reply.mutable_buffer()->set_size_bytes(size_bytes);
  return reply;
}

Status ServerSession::free(const v1::Buffer& request) {
  const ByteRange range = rangeOf(request.address(), request.size_bytes());
  VTA_ASSIGN_OR_RETURN(const Turn turn, takeTurn());
  if (!device_->buffers().isBuffer(range, environment_.number)) {
    return strayRange(request.address(), request.size_bytes());
  }
  checked_.clear();
  device_->buffers().remove(range.begin);
  environment_.client.returnMemory(request.size_bytes());
  --buffer_count_;
  environment_.metrics.setMemory(device_->name(), device_->buffers().totalBytes());
  return device_->device().free({request.address(), request.size_bytes()});
}

Status ServerSession::write(const v1::Write& request) {
  const ByteRange range = rangeOf(request.address(), request.data().size());
  VTA_ASSIGN_OR_RETURN(const Turn turn, takeTurn());
  if (!device_->buffers().owns(range, environment_.number)) {
    return strayRange(request.address(), request.data().size());
  }
  forgetLaunches(range);
  environment_.metrics.received(device_->name(), request.data().size());
  return device_->device().write(request.address(), std::as_bytes(std::span(request.data())));
}

Result<v1::Reply> ServerSession::read(const v1::Read& request, const Send& send) {
  uint64_t address = request.address();
  uint64_t left_bytes = request.size_bytes();
  if (left_bytes == 0) return invalidArgument("a read of no bytes");
  v1::Reply reply;
  while (true) {
    const uint64_t part_bytes = std::min<uint64_t>(left_bytes, kChunkBytes);
    std::string& data = *reply.mutable_data();
    data.resize(part_bytes);
    {
      // Not during send(): a slow client must not keep the device.
      VTA_ASSIGN_OR_RETURN(const Turn turn, takeTurn());
      if (!device_->buffers().owns(rangeOf(address, left_bytes), environment_.number)) {
        return strayRange(request.address(), request.size_bytes());
      }
      VTA_RETURN_IF_ERROR(device_->device().read(address, std::as_writable_bytes(std::span(data))));
    }
    environment_.metrics.sent(device_->name(), part_bytes);
    address += part_bytes;
    left_bytes -= part_bytes;
    if (left_bytes == 0) return reply;
    if (!send(reply)) return gone();
  }
}

Result<v1::Reply> ServerSession::launch(const v1::Launch& request) {
  const auto result = runLaunch(launchOf(request));
  if (!result.ok()) {
    environment_.metrics.launchFailed(device_->name(), environment_.client.name());
    return result.status();
  }
  v1::Reply reply;
  *reply.mutable_result() = resultMessage(*result);
  return reply;
}

Result<LaunchResult> ServerSession::runLaunch(const driver::Launch& launch) {
  const Clock::time_point asked = Clock::now();
  VTA_ASSIGN_OR_RETURN(const Turn turn, takeTurn());
  const double wait_seconds = secondsSince(asked);
  LaunchResult result;
  VTA_ASSIGN_OR_RETURN(const CheckedLaunch* checked, check(launch, result));
  const Clock::time_point start = Clock::now();
  if (checked != nullptr) {
    const std::vector<ByteRange> stores = checked->stores;
    VTA_RETURN_IF_ERROR(device_->prepareFor(environment_.number, is_traced_));
    auto run = device_->run(launch, environment_.limits.launch);
    for (const ByteRange& range : stores) forgetLaunches(range);
    if (run.status().code() == StatusCode::kDeadlineExceeded) {
      return run.status().withContext("the server's limit (--launch-limit)");
    }
    VTA_ASSIGN_OR_RETURN(result, std::move(run));
  }
  environment_.metrics.launchDone({.device = device_->name(),
                                   .client = environment_.client.name(),
                                   .wait_seconds = wait_seconds,
                                   .seconds = secondsSince(start),
                                   .is_fault = result.fault.has_value()});
  return result;
}

/// The launch, if it may run, until the next check; null with the reason in `refused`.
Result<const ServerSession::CheckedLaunch*> ServerSession::check(const driver::Launch& launch,
                                                                 LaunchResult& refused) {
  const auto known = std::ranges::find_if(
      checked_, [&](const CheckedLaunch& each) { return each.launch == launch; });
  if (known != checked_.end()) return &*known;
  const HwConfig& hw = device_->info().hw;
  const uint64_t size_bytes =
      uint64_t{launch.instruction_count} * static_cast<uint64_t>(hw.instructionBytes());
  const ByteRange range = rangeOf(launch.instruction_address, size_bytes);
  if (!device_->buffers().owns(range, environment_.number)) {
    refused.fault = Fault{FaultKind::kDramBounds, 0, "",
                          fmt::format("the {} instructions at {:#x} do not lie in one buffer of "
                                      "this session",
                                      launch.instruction_count, launch.instruction_address)};
    return nullptr;
  }
  std::vector<std::byte> stream(size_bytes);
  VTA_RETURN_IF_ERROR(device_->device().read(launch.instruction_address, stream));
  LaunchFindings findings = checkLaunch(
      {hw, device_->buffers(), environment_.number, device_->stopsOutside()}, launch, stream);
  if (findings.fault) {
    refused.fault = std::move(findings.fault);
    return nullptr;
  }
  VTA_RETURN_IF_ERROR(refuseLong(findings.least_cycles));
  // What strays is nobody's memory now, and may be somebody's later.
  if (checked_.size() >= kMostCheckedLaunches) checked_.clear();
  checked_.push_back({launch, range, std::move(findings.stores)});
  if (findings.has_strays) checked_.back().launch.instruction_count = 0;  // finds it never again
  return &checked_.back();
}

Status ServerSession::refuseLong(uint64_t least_cycles) const {
  const auto hertz = static_cast<double>(device_->info().hw.params().clock_hz);
  const double seconds = static_cast<double>(least_cycles) / hertz;
  const double most_seconds = std::chrono::duration<double>(environment_.limits.launch).count();
  if (seconds <= most_seconds) return {};
  return {StatusCode::kResourceExhausted,
          fmt::format("the launch takes at least {:.1f} s, and the server allows {:.1f} "
                      "(--launch-limit); split it into several launches",
                      seconds, most_seconds)};
}

void ServerSession::forgetLaunches(const ByteRange& changed) {
  std::erase_if(checked_, [&](const CheckedLaunch& each) { return each.stream.overlaps(changed); });
}

}  // namespace vta::remote
