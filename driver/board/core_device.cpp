#include "driver/board/core_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "driver/check_programs.h"
#include "driver/device_registry.h"
#include "driver/loader.h"
#include "driver/self_test.h"
#include "isa/config/dram_alignment.h"
#include "isa/instruction/encoding.h"
#include "isa/program/text/assembler.h"

namespace vta::driver {
namespace {

using Clock = std::chrono::steady_clock;

/// Between the start of a launch and the cycle in which the core says that it runs, at most.
constexpr std::chrono::milliseconds kSettleTime{2};

/// Between a reset of the core and the last answer of a memory that answers, at most.
constexpr std::chrono::milliseconds kDrainTime{100};

/// Of launches that the driver makes by itself. They take milliseconds.
constexpr std::chrono::milliseconds kOwnLaunchLimit{5000};

Status resetInTheMiddle() {
  return {StatusCode::kDeviceFault,
          "the core was reset while a launch ran: it neither runs nor has ended; was the FPGA "
          "programmed, or its reset driven? Create the device again"};
}

}  // namespace

CoreDevice::CoreDevice(DeviceInfo info, std::unique_ptr<CoreMap> core,
                       std::chrono::milliseconds busy_timeout)
    : info_(std::move(info)), core_(std::move(core)), busy_timeout_(busy_timeout) {}

bool CoreDevice::isBusy() const {
  const CoreStatus status = core_->status();
  return status.running || status.draining;
}

Status CoreDevice::probeIdle() {
  const Time deadline = Clock::now() + busy_timeout_;
  while (isBusy()) {
    VTA_RETURN_IF_ERROR(accessStatus());
    if (Clock::now() >= deadline) return stopLaunch("another process");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return accessStatus();
}

Status CoreDevice::stopLaunch(std::string_view whose) {
  if (core_->canStop()) core_->stop();
  const Time deadline = Clock::now() + (core_->canStop() ? kDrainTime : busy_timeout_);
  while (isBusy()) {
    VTA_RETURN_IF_ERROR(accessStatus());
    if (Clock::now() >= deadline) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const CoreStatus status = core_->status();
  VTA_RETURN_IF_ERROR(accessStatus());
  if (!status.running && !status.draining) return {};
  const std::string problem =
      status.running
          ? fmt::format("the core still runs a launch of {} and cannot be stopped", whose)
          : fmt::format(
                "the core was reset, since a launch of {} did not end, but the memory has "
                "not answered its bursts {} ms later",
                whose, kDrainTime.count());
  return {StatusCode::kResourceExhausted, problem + "; program the FPGA again with vta-flash"};
}

bool CoreDevice::isProven() const {
  const CoreStatus status = core_->status();
  return status.done && !status.fault;
}

Status CoreDevice::meet(FirstContact contact, bool is_proven) {
  if (contact == FirstContact::kTestNever) return {};
  if (contact == FirstContact::kTestNew && is_proven) return {};
  // The interrupt has been tested, or is not used.
  const SelfTestReport report = selfTest(*this, kOwnLaunchLimit, false);
  if (report.passed()) return {};
  // So that the next one who opens the device meets it as a new one, too.
  core_->startBadLaunch();
  return {StatusCode::kDeviceFault,
          fmt::format("the device does not pass its self test, so results would be wrong; to use "
                      "it all the same give it the option {}=never\n{}",
                      kSelfTestOption, report.text())};
}

Status CoreDevice::submit(const Launch& launch) {
  if (submitted_) return invalidArgument("a launch is already submitted; wait for it first");
  refused_.reset();
  const uint64_t size_bytes =
      uint64_t{launch.instruction_count} * static_cast<uint64_t>(info_.hw.instructionBytes());
  if (!checkRange(launch.instruction_address, size_bytes).ok()) {
    refused_ = Fault{FaultKind::kDramBounds, 0, "",
                     fmt::format("the {} instructions at {:#x} do not lie in one allocated buffer",
                                 launch.instruction_count, launch.instruction_address)};
    submitted_ = launch;
    return {};
  }
  core_->acknowledgeInterrupt();
  VTA_RETURN_IF_ERROR(prepareLaunch());
  const Status started = core_->start(launch);
  if (!started.ok()) {
    VTA_RETURN_IF_ERROR(checkAlive());
    return started;
  }
  const bool refused = core_->status().refused;
  VTA_RETURN_IF_ERROR(accessStatus());
  if (refused) {
    VTA_RETURN_IF_ERROR(checkAlive());
    return {StatusCode::kDeviceFault, "the core refuses the launch: it runs another one"};
  }
  submitted_ = launch;
  return {};
}

Result<LaunchResult> CoreDevice::wait(std::chrono::milliseconds timeout) {
  if (!submitted_) return invalidArgument("no launch is submitted");
  if (refused_) {
    submitted_.reset();
    return LaunchResult{{}, std::exchange(refused_, std::nullopt), nullptr};
  }
  const Time now = Clock::now();
  const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(Time::max() - now);
  const Result<bool> done = waitDone(now + std::min(timeout, longest / 2));
  if (!done.ok()) {
    submitted_.reset();
    return done.status();
  }
  if (!*done) return timeoutStatus(timeout);
  LaunchResult result = takeResult();
  submitted_.reset();
  VTA_RETURN_IF_ERROR(accessStatus());
  return result;
}

/// False when it is not done in time.
Result<bool> CoreDevice::waitDone(Time deadline) {
  const Time start = Clock::now();
  const Time settled = start + kSettleTime;
  for (;;) {
    const CoreStatus status = core_->status();
    VTA_RETURN_IF_ERROR(accessStatus());
    if (status.done) return true;
    if (!status.running && Clock::now() >= settled) {
      // Between two states, the core says neither for some cycles.
      const CoreStatus again = core_->status();
      if (!again.running && !again.done) VTA_RETURN_IF_ERROR(checkAlive());
      if (!again.running && !again.done) return resetInTheMiddle();
    }
    if (Clock::now() >= deadline) return false;
    VTA_RETURN_IF_ERROR(sleep(start, deadline));
  }
}

void CoreDevice::sleepBetweenPolls(Time start, Time deadline) {
  const Time now = Clock::now();
  const auto elapsed = now - start;
  if (elapsed < kSpinTime) return;
  const auto most = std::min<Clock::duration>(deadline - now, kLongestSleep);
  std::this_thread::sleep_for(std::min<Clock::duration>(most, elapsed / 16));
}

/// The hardware is still what it was.
Status CoreDevice::checkAlive() {
  const Status status = identify();
  if (status.ok()) return {};
  return {StatusCode::kDeviceFault, fmt::format("the core disappeared: {}", status.message())};
}

Status CoreDevice::timeoutStatus(std::chrono::milliseconds timeout) const {
  const std::string progress = core_->progress();
  VTA_RETURN_IF_ERROR(accessStatus());
  const std::string remedy =
      core_->canStop()
          ? fmt::format(
                "a reset of the device gives it up, as the next process that opens the "
                "device does after {} ms",
                busy_timeout_.count())
          : "program the FPGA again with vta-flash";
  return {StatusCode::kDeadlineExceeded,
          fmt::format("the launch still runs after {} ms; of its {} instructions, {}; if it never "
                      "ends, {}",
                      timeout.count(), submitted_->instruction_count, progress, remedy)};
}

LaunchResult CoreDevice::takeResult() {
  LaunchResult result;
  result.counters = core_->counters();
  if (core_->faultCode() != reg::FaultCode::kNone) result.fault = readFault();
  core_->acknowledgeInterrupt();
  return result;
}

Fault CoreDevice::readFault() {
  Fault fault;
  const reg::FaultCode code = core_->faultCode();
  fault.kind = faultKind(code);
  fault.instruction = core_->faultInstruction();
  fault.reason =
      fmt::format("the core reports: {}",
                  code == reg::FaultCode::kBadLaunch ? "bad launch" : faultKindName(fault.kind));
  const auto insn_bytes = static_cast<uint64_t>(info_.hw.instructionBytes());
  if (fault.instruction >= submitted_->instruction_count) return fault;
  const uint64_t address = submitted_->instruction_address + fault.instruction * insn_bytes;
  std::vector<std::byte> bytes(insn_bytes);
  if (!read(address, bytes).ok()) return fault;
  const auto insn = decodeInstruction(bytes, info_.hw);
  if (insn.ok()) fault.disassembly = disassemble(*insn);
  return fault;
}

Status CoreDevice::identify() {
  Status status = core_->identify(info_.hw);
  VTA_RETURN_IF_ERROR(accessStatus());
  return status;
}

Status CoreDevice::reset() {
  submitted_.reset();
  refused_.reset();
  if (isBusy()) VTA_RETURN_IF_ERROR(stopLaunch("this process"));
  VTA_RETURN_IF_ERROR(accessStatus());
  VTA_RETURN_IF_ERROR(identify());
  core_->initialise();
  // Nothing but a program reaches the scratchpads.
  const Program program = clearProgram(info_.hw);
  VTA_ASSIGN_OR_RETURN(const DeviceBuffer zeros,
                       allocate(program.buffers[1].size_bytes, dramAlignmentBytes(info_.hw)));
  const uint64_t addresses[] = {0, zeros.address};
  Status status;
  {
    auto loaded = LoadedProgram::load(*this, program, addresses);
    status = loaded.ok() ? loaded->run(kOwnLaunchLimit).status() : loaded.status();
  }
  VTA_RETURN_IF_ERROR(free(zeros));
  return status;
}

}  // namespace vta::driver
