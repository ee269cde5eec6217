#include "driver/devices/rtl_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "driver/device_registry.h"
#include "driver/devices/sim_results.h"
#include "isa/instruction/encoding.h"
#include "isa/program/text/assembler.h"

namespace vta::driver {
namespace {

constexpr uint64_t kSliceCycles = 20'000;

/// A copy of all buffers.
class MemoryCopy final : public sim::Dram {
 public:
  explicit MemoryCopy(const std::vector<sim::DramRange>& buffers) {
    for (const sim::DramRange& buffer : buffers) {
      copies_.emplace_back(buffer.data, buffer.data + (buffer.end - buffer.begin));
      ranges_.push_back({buffer.begin, buffer.end, copies_.back().data()});
    }
  }

  std::optional<sim::DramRange> findRange(uint64_t address) const override {
    for (const sim::DramRange& range : ranges_) {
      if (address >= range.begin && address < range.end) return range;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::vector<std::byte>> copies_;
  std::vector<sim::DramRange> ranges_;
};

}  // namespace

Result<std::unique_ptr<Device>> RtlDevice::create(std::string name, const HwConfig& hw,
                                                  const RtlDeviceOptions& options) {
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<SimMemory> memory,
                       SimMemory::create(options.memory_bytes, false, kTimedGuardBytes));
  const Capabilities capabilities = {
      .values = true, .cycles = true, .mappable_memory = true, .fixed_addresses = true};
  DeviceInfo info{std::move(name), hw, capabilities, ""};
  std::unique_ptr<RtlDevice> device(new RtlDevice(std::move(info), options, std::move(memory)));
  VTA_ASSIGN_OR_RETURN(device->shadow_, sim::FunctionalModel::create(hw));
  VTA_RETURN_IF_ERROR(device->createSimulator());
  return std::unique_ptr<Device>(std::move(device));
}

RtlDevice::RtlDevice(DeviceInfo info, RtlDeviceOptions options, std::unique_ptr<SimMemory> memory)
    : SimDevice(std::move(info), std::move(memory)), options_(std::move(options)) {}

Status RtlDevice::createSimulator() {
  sim::ModelCache cache = sim::ModelCache::standard();
  cache.progress = options_.progress;
  VTA_ASSIGN_OR_RETURN(simulator_, sim::RtlSimulator::create(hw(), memory(), cache, options_.rtl));
  return {};
}

// What the functional simulator makes of the launch: the words for a fault, should there be one.
std::optional<Fault> RtlDevice::runShadow(const Launch& launch) {
  MemoryCopy copy(memory().buffers());
  const std::span<const std::byte> view = *findStream(launch, hw(), memory());
  const std::vector<std::byte> stream(view.begin(), view.end());
  sim::FunctionalRun run = shadow_->run(stream, baseAddresses(launch), copy);
  if (!run.fault) return std::nullopt;
  return run.fault;
}

Status RtlDevice::submit(const Launch& launch) {
  if (submitted_) return invalidArgument("a launch is already submitted; wait for it first");
  if (!findStream(launch, hw(), memory())) {
    refused_ = LaunchResult{};
    refused_->fault = strayLaunch(launch);
    submitted_ = launch;
    return {};
  }
  executed_ = 0;
  shadow_fault_ = runShadow(launch);
  VTA_RETURN_IF_ERROR(simulator_->start(
      {launch.instruction_address, launch.instruction_count, baseAddresses(launch)}));
  submitted_ = launch;
  return {};
}

Result<LaunchResult> RtlDevice::wait(std::chrono::milliseconds timeout) {
  if (!submitted_) return invalidArgument("no launch is submitted");
  if (refused_) {
    submitted_.reset();
    return *std::exchange(refused_, std::nullopt);
  }
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const Result<bool> done = simulator_->advance(kSliceCycles);
    executed_ = simulator_->lastRetired();
    if (!done.ok()) {
      submitted_.reset();
      simulator_->reset();  // the core may still be running
      return done.status();
    }
    if (*done) break;
    if (std::chrono::steady_clock::now() >= deadline) {
      return Status(StatusCode::kDeadlineExceeded,
                    fmt::format("the launch still runs after {} ms of simulation; {} cycles in all",
                                timeout.count(), simulator_->totalCycles()));
    }
  }
  const Result<sim::RtlOutcome> outcome = simulator_->outcome();
  if (!outcome.ok()) return outcome.status();
  LaunchResult result = resultOf(*outcome);
  submitted_.reset();
  return result;
}

LaunchResult RtlDevice::resultOf(const sim::RtlOutcome& outcome) const {
  LaunchResult result;
  result.counters.cycles = outcome.cycles;
  result.counters.gemm_uops = outcome.gemm_uops;
  result.counters.alu_uops = outcome.alu_uops;
  result.counters.fetch = UnitCounters::fromValues(outcome.units[0]);
  result.counters.load = UnitCounters::fromValues(outcome.units[1]);
  result.counters.compute = UnitCounters::fromValues(outcome.units[2]);
  result.counters.store = UnitCounters::fromValues(outcome.units[3]);
  if (outcome.fault != reg::FaultCode::kNone) result.fault = faultOf(outcome);
  return result;
}

Fault RtlDevice::faultOf(const sim::RtlOutcome& outcome) const {
  const FaultKind kind = faultKind(outcome.fault);
  if (shadow_fault_ && shadow_fault_->instruction == outcome.fault_instruction) {
    // On the bus, memory outside all buffers answers with an error.
    const bool outside =
        kind == FaultKind::kBusError && shadow_fault_->kind == FaultKind::kDramBounds;
    if (outside || shadow_fault_->kind == kind) return *shadow_fault_;
  }
  Fault fault;
  fault.kind = kind;
  fault.instruction = outcome.fault_instruction;
  fault.reason = fmt::format("the core reports: {}", faultCodeName(outcome.fault));
  const auto insn_bytes = static_cast<uint64_t>(hw().instructionBytes());
  std::vector<std::byte> bytes(insn_bytes);
  const uint64_t address = submitted_->instruction_address + fault.instruction * insn_bytes;
  if (memory().read(address, bytes).ok()) {
    const auto insn = decodeInstruction(bytes, hw());
    if (insn.ok()) fault.disassembly = disassemble(*insn);
  }
  return fault;
}

// A new core: its scratchpads are zeros again.
Status RtlDevice::reset() {
  submitted_.reset();
  refused_.reset();
  shadow_fault_.reset();
  shadow_->reset();
  return createSimulator();
}

namespace {

/// "rtl:key=value,...": what info() tells.
std::string nameWith(const DeviceOptions& options) {
  std::string name = "rtl";
  for (const auto& [key, value] : options) {
    name +=
        fmt::format("{}{}{}{}", name.size() == 3 ? ":" : ",", key, value.empty() ? "" : "=", value);
  }
  return name;
}

Result<RtlDeviceOptions> parseOptions(const DeviceOptions& options) {
  RtlDeviceOptions parsed;
  parsed.memory_bytes = sizeOption(options, "memory", parsed.memory_bytes);
  sim::RtlOptions& rtl = parsed.rtl;
  if (const auto dram = options.find("dram"); dram != options.end()) {
    VTA_ASSIGN_OR_RETURN(rtl.memory, sim::resolveMemoryConfig(dram->second));
  }
  if (options.contains("checked")) rtl.variant = sim::ModelVariant::kChecked;
  if (const auto waves = options.find("waves"); waves != options.end()) {
    rtl.waves = waves->second;
    rtl.variant = sim::ModelVariant::kWaves;
  }
  rtl.max_cycles = numberOption(options, "max-cycles", rtl.max_cycles);
  constexpr uint64_t kLast = std::numeric_limits<uint32_t>::max();
  rtl.waves_from =
      static_cast<uint32_t>(std::min(kLast, numberOption(options, "waves-from", rtl.waves_from)));
  rtl.waves_to =
      static_cast<uint32_t>(std::min(kLast, numberOption(options, "waves-to", rtl.waves_to)));
  return parsed;
}

Status checkOptions(const DeviceOptions& options) { return parseOptions(options).status(); }

Result<std::unique_ptr<Device>> createFromOptions(const DeviceOptions& options, const HwConfig& hw,
                                                  const DeviceProgress& progress) {
  VTA_ASSIGN_OR_RETURN(RtlDeviceOptions parsed, parseOptions(options));
  parsed.progress = progress;
  return RtlDevice::create(nameWith(options), hw, parsed);
}

}  // namespace
}  // namespace vta::driver

// What a program that links this device names, so that the linker keeps it (CMakeLists.txt).
extern "C" {
extern const bool vta_device_rtl;
const bool vta_device_rtl = vta::driver::registerDevice(
    {.name = "rtl",
     .description = "the Verilated RTL: the hardware itself, cycle by cycle",
     .options = {{"checked"},
                 {"dram", vta::driver::DeviceOption::Value::kText, vta::sim::builtinMemoryNames},
                 {"max-cycles", vta::driver::DeviceOption::Value::kNumber},
                 {"memory", vta::driver::DeviceOption::Value::kSize},
                 {"waves", vta::driver::DeviceOption::Value::kOutputFile},
                 {"waves-from", vta::driver::DeviceOption::Value::kNumber},
                 {"waves-to", vta::driver::DeviceOption::Value::kNumber}},
     .aliases = {},
     .is_simulator = true,
     .order = 2,
     .check = vta::driver::checkOptions,
     .create = vta::driver::createFromOptions});
}
