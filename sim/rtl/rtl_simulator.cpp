#include "sim/rtl/rtl_simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/common/stream.h"

namespace vta::sim {
namespace {

constexpr int kResetCycles = 4;
constexpr uint64_t kRegisterTimeoutCycles = 1000;

std::pair<uint32_t, uint32_t> words(uint64_t value) {
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}

}  // namespace

Result<std::unique_ptr<RtlSimulator>> RtlSimulator::create(const HwConfig& hw, Dram& dram,
                                                           const ModelCache& cache,
                                                           const RtlOptions& options) {
  const int beat_bytes = hw.params().axi_data_width_bits / 8;
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<MemoryModel> memory,
                       MemoryModel::create(options.memory, beat_bytes, hw.params().clockMhz(),
                                           hw.params().axi_ports));
  VTA_ASSIGN_OR_RETURN(const std::filesystem::path library, cache.find(hw, options.variant));
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<RtlModel> model,
                       RtlModel::open(library, options.random_seed));
  std::unique_ptr<RtlSimulator> simulator(
      new RtlSimulator(hw, options, std::move(model), std::move(memory), dram));
  simulator->reset();
  VTA_RETURN_IF_ERROR(simulator->checkIdentity());
  return simulator;
}

RtlSimulator::RtlSimulator(const HwConfig& hw, const RtlOptions& options,
                           std::unique_ptr<RtlModel> model, std::unique_ptr<MemoryModel> memory,
                           Dram& dram)
    : hw_(hw),
      options_(options),
      model_(std::move(model)),
      memory_(std::move(memory)),
      monitors_(model_->axiPorts(), AxiMonitor(model_->dataBytes())) {
  const AxiMemory axi_memory(dram, model_->dataBytes());
  for (uint32_t port = 0; port < model_->axiPorts(); ++port) {
    if (options.random_bus) {
      RandomBusOptions of_port = *options.random_bus;
      of_port.seed += port;
      slaves_.push_back(makeRandomSlave(axi_memory, of_port));
    } else {
      slaves_.push_back(makeTimedSlave(axi_memory, *memory_, static_cast<int>(port)));
    }
  }
}

Status RtlSimulator::checkIdentity() {
  VTA_ASSIGN_OR_RETURN(const uint32_t id, readRegister(reg::kId));
  VTA_ASSIGN_OR_RETURN(const uint32_t low, readRegister(reg::kFingerprint));
  VTA_ASSIGN_OR_RETURN(const uint32_t high, readRegister(reg::kFingerprint + 4));
  const uint64_t fingerprint = uint64_t{high} << 32 | low;
  if (id == reg::kIdValue && fingerprint == hw_.fingerprint()) return {};
  return internalError(fmt::format(
      "the model's registers tell of id {:#x} and configuration {:016x}; '{}' has {:016x}", id,
      fingerprint, hw_.name(), hw_.fingerprint()));
}

void RtlSimulator::reset() {
  VtaModelPorts& ports = model_->ports();
  ports = {};
  for (int i = 0; i < kResetCycles; ++i) {
    model_->settle();
    model_->edge();
    ++total_cycles_;
  }
  for (const auto& slave : slaves_) slave->reset();
  for (AxiMonitor& monitor : monitors_) monitor.reset();
  was_running_ = false;
  ports.rst_n = 1;
}

// One clock cycle.
Status RtlSimulator::step() {
  VtaModelPorts& ports = model_->ports();
  for (size_t port = 0; port < slaves_.size(); ++port) {
    VtaAxiPort& axi = ports.axi[port];
    if (bus_is_frozen_) {
      axi.arready = axi.rvalid = axi.awready = axi.wready = axi.bvalid = 0;
    } else {
      slaves_[port]->drive(axi);
    }
  }
  model_->settle();
  // The cycle in which the core begins to run is cycle 0 of its launch. Nothing is on the bus yet.
  if (ports.running && !was_running_) {
    for (const auto& slave : slaves_) slave->beginLaunch();
    launch_start_ = total_cycles_;
    last_retired_ = 0;
    VTA_RETURN_IF_ERROR(updateWaves());
  }
  was_running_ = ports.running != 0;
  bool active = ports.retire_valid != 0 || !ports.running;
  for (size_t port = 0; port < slaves_.size(); ++port) {
    const VtaAxiPort& axi = ports.axi[port];
    monitors_[port].observe(axi);
    if (!bus_is_frozen_) slaves_[port]->observe(axi);
    active = active || (axi.arvalid && axi.arready) || axi.rvalid || (axi.wvalid && axi.wready) ||
             axi.bvalid;
  }
  quiet_cycles_ = active ? 0 : quiet_cycles_ + 1;
  const uint8_t retire_valid = ports.retire_valid;
  VtaModelStarts starts = {};
  if (start_observer_) starts = model_->probeStarts();
  model_->edge();
  ++total_cycles_;
  if (start_observer_ && std::ranges::count(starts.valid, 0) < VTA_PROBE_STARTS) {
    VTA_RETURN_IF_ERROR(start_observer_(starts));
  }
  if (retire_valid != 0) VTA_RETURN_IF_ERROR(retire());
  return checkHealth();
}

// The outputs still show the cycle before the edge; the scratchpads show its effects.
Status RtlSimulator::retire() {
  const VtaModelPorts& ports = model_->ports();
  for (int unit = 0; unit < kUnitCount; ++unit) {
    if ((ports.retire_valid >> unit & 1) == 0) continue;
    last_retired_ = std::max(last_retired_, ports.retire_number[unit]);
    if (observer_) VTA_RETURN_IF_ERROR(observer_(unit, ports.retire_number[unit]));
  }
  return updateWaves();
}

Status RtlSimulator::updateWaves() {
  if (options_.waves.empty() || waves_done_) return {};
  const bool wanted =
      last_retired_ + 1 >= options_.waves_from && last_retired_ <= options_.waves_to;
  if (wanted && !waves_open_) {
    VTA_RETURN_IF_ERROR(model_->openWaves(options_.waves));
    waves_open_ = true;
  }
  if (!wanted && waves_open_) {
    model_->closeWaves();
    waves_open_ = false;
    waves_done_ = true;
  }
  return {};
}

Status RtlSimulator::checkHealth() {
  for (size_t port = 0; port < monitors_.size(); ++port) {
    if (monitors_[port].violation().empty()) continue;
    return internalError(fmt::format("the RTL breaks AXI at memory port {} in cycle {}: {}", port,
                                     total_cycles_, monitors_[port].violation()));
  }
  if (const char* failure = model_->failure()) {
    return internalError(fmt::format("cycle {}: {}", total_cycles_, failure));
  }
  return {};
}

// The bus has been quiet for long. A single instruction may work as long as it likes, so the busy
// counters tell whether anything goes on.
Status RtlSimulator::checkProgress() {
  uint64_t work = 0;
  for (int unit = 0; unit < 4; ++unit) {
    VTA_ASSIGN_OR_RETURN(const uint32_t busy,
                         readRegister(reg::unitCounterOffset(unit, reg::UnitCounter::kBusyCycles)));
    work += busy;
  }
  quiet_cycles_ = 0;
  if (std::exchange(work_done_, work) != work) return {};
  VTA_ASSIGN_OR_RETURN(const uint32_t status, readRegister(reg::kStatus));
  return Status(
      StatusCode::kDeviceFault,
      fmt::format(
          "the RTL hangs: for {} cycles, up to cycle {} of the launch, no unit has worked and the "
          "bus has accepted nothing; highest instruction retired: {}; status register: {:#x}",
          options_.quiet_limit_cycles, total_cycles_ - launch_start_, last_retired_, status));
}

Status RtlSimulator::writeRegister(uint32_t offset, uint32_t value) {
  VtaModelPorts& ports = model_->ports();
  ports.axil_awaddr = static_cast<uint16_t>(offset);
  ports.axil_wdata = value;
  ports.axil_wstrb = 0xf;
  ports.axil_awvalid = ports.axil_wvalid = ports.axil_bready = 1;
  for (uint64_t i = 0; i < kRegisterTimeoutCycles; ++i) {
    VTA_RETURN_IF_ERROR(step());
    if (ports.axil_awready) ports.axil_awvalid = 0;
    if (ports.axil_wready) ports.axil_wvalid = 0;
    if (!ports.axil_bvalid) continue;
    ports.axil_bready = 0;
    if (ports.axil_bresp == kRespOkay) return {};
    return internalError(fmt::format("register {:#x} refuses a write", offset));
  }
  return internalError(fmt::format("no answer to a write of register {:#x}", offset));
}

Result<uint32_t> RtlSimulator::readRegister(uint32_t offset) {
  VtaModelPorts& ports = model_->ports();
  ports.axil_araddr = static_cast<uint16_t>(offset);
  ports.axil_arvalid = ports.axil_rready = 1;
  for (uint64_t i = 0; i < kRegisterTimeoutCycles; ++i) {
    VTA_RETURN_IF_ERROR(step());
    if (ports.axil_arready) ports.axil_arvalid = 0;
    if (!ports.axil_rvalid) continue;
    ports.axil_rready = 0;
    if (ports.axil_rresp == kRespOkay) return ports.axil_rdata;
    return internalError(fmt::format("register {:#x} refuses a read", offset));
  }
  return internalError(fmt::format("no answer to a read of register {:#x}", offset));
}

Status RtlSimulator::start(const RtlLaunch& launch) {
  const std::pair<uint32_t, uint64_t> addresses[] = {{reg::kInsnAddr, launch.instruction_address},
                                                     {reg::kUopBase, launch.bases.uop},
                                                     {reg::kInpBase, launch.bases.inp},
                                                     {reg::kWgtBase, launch.bases.wgt},
                                                     {reg::kAccBase, launch.bases.acc},
                                                     {reg::kOutBase, launch.bases.out}};
  const uint32_t high_registers[] = {reg::kInsnAddrHi, reg::kUopBaseHi, reg::kInpBaseHi,
                                     reg::kWgtBaseHi,  reg::kAccBaseHi, reg::kOutBaseHi};
  for (size_t i = 0; i < std::size(addresses); ++i) {
    const auto [low, high] = words(addresses[i].second);
    VTA_RETURN_IF_ERROR(writeRegister(addresses[i].first, low));
    VTA_RETURN_IF_ERROR(writeRegister(high_registers[i], high));
  }
  VTA_RETURN_IF_ERROR(writeRegister(reg::kInsnCount, launch.instruction_count));
  VTA_RETURN_IF_ERROR(writeRegister(reg::kIrqEnable, reg::kIrqDone | reg::kIrqFault));
  VTA_RETURN_IF_ERROR(writeRegister(reg::kIrqStatus, reg::kIrqDone | reg::kIrqFault));
  quiet_cycles_ = 0;
  work_done_ = 0;
  started_ = total_cycles_;
  return writeRegister(reg::kControl, reg::kControlLaunch);
}

Result<bool> RtlSimulator::advance(uint64_t max_cycles) {
  const VtaModelPorts& ports = model_->ports();
  for (uint64_t i = 0; i < max_cycles; ++i) {
    VTA_RETURN_IF_ERROR(step());
    if (ports.irq && !ports.running) return true;
    if (quiet_cycles_ >= options_.quiet_limit_cycles) VTA_RETURN_IF_ERROR(checkProgress());
    if (options_.max_cycles != 0 && total_cycles_ - started_ > options_.max_cycles) {
      return Status(StatusCode::kDeviceFault,
                    fmt::format("the launch has not ended after {} cycles", options_.max_cycles));
    }
  }
  return false;
}

Result<RtlOutcome> RtlSimulator::outcome() {
  const auto read64 = [&](uint32_t offset) -> Result<uint64_t> {
    VTA_ASSIGN_OR_RETURN(const uint32_t low, readRegister(offset));
    VTA_ASSIGN_OR_RETURN(const uint32_t high, readRegister(offset + 4));
    return uint64_t{high} << 32 | low;
  };
  RtlOutcome outcome;
  VTA_ASSIGN_OR_RETURN(outcome.cycles, read64(reg::kCounterCycles));
  VTA_ASSIGN_OR_RETURN(outcome.gemm_uops, read64(reg::kCounterGemmUops));
  VTA_ASSIGN_OR_RETURN(outcome.alu_uops, read64(reg::kCounterAluUops));
  for (int unit = 0; unit < 4; ++unit) {
    for (int counter = 0; counter < 7; ++counter) {
      VTA_ASSIGN_OR_RETURN(
          outcome.units[unit][counter],
          read64(reg::unitCounterOffset(unit, static_cast<reg::UnitCounter>(counter))));
    }
  }
  VTA_ASSIGN_OR_RETURN(const uint32_t fault, readRegister(reg::kFault));
  outcome.fault = static_cast<reg::FaultCode>(fault & 0xf);
  VTA_ASSIGN_OR_RETURN(outcome.fault_instruction, readRegister(reg::kFaultInsn));
  return outcome;
}

Result<RtlOutcome> RtlSimulator::run(const RtlLaunch& launch) {
  VTA_RETURN_IF_ERROR(start(launch));
  for (;;) {
    VTA_ASSIGN_OR_RETURN(const bool done, advance(uint64_t{1} << 20));
    if (done) return outcome();
  }
}

}  // namespace vta::sim
