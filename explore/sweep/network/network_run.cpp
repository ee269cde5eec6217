#include "explore/sweep/network/network_run.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "compiler/kernel/lower.h"
#include "compiler/launch/vta_linker.h"
#include "driver/devices/cycle_device.h"
#include "driver/loaded_code.h"
#include "explore/sweep/network/device_layout.h"
#include "isa/program/encoded_program.h"

namespace vta::sweep {
namespace {

using compiler::ModuleOutline;
using compiler::OutlinedKernel;

// A simulator's launch ends by itself; the time-out is not waited for.
constexpr std::chrono::milliseconds kNoTimeout = std::chrono::hours(24);

sim::EnergyEvents& operator+=(sim::EnergyEvents& sum, const sim::EnergyEvents& more) {
  sum.dram_read_bytes += more.dram_read_bytes;
  sum.dram_write_bytes += more.dram_write_bytes;
  const std::pair<sim::SramTraffic*, const sim::SramTraffic*> traffic[] = {{&sum.uop, &more.uop},
                                                                           {&sum.inp, &more.inp},
                                                                           {&sum.wgt, &more.wgt},
                                                                           {&sum.acc, &more.acc},
                                                                           {&sum.out, &more.out}};
  for (const auto& [to, from] : traffic) {
    to->read_bits += from->read_bits;
    to->write_bits += from->write_bits;
  }
  sum.macs += more.macs;
  sum.alu_adds += more.alu_adds;
  sum.alu_multiplies += more.alu_multiplies;
  return sum;
}

Result<std::vector<Program>> lowerKernels(const ModuleOutline& outline,
                                          std::span<const kernel::Schedule> schedules,
                                          const HwConfig& hw) {
  std::vector<Program> programs;
  kernel::Placement placement;  // alternates, as vta-lower-kernels has it
  for (size_t i = 0; i < outline.kernels.size(); ++i) {
    auto program = kernel::lower(outline.kernels[i].desc, schedules[i], hw, placement);
    if (!program.ok()) {
      return program.status().withContext(fmt::format("layer '{}'", outline.kernels[i].desc.name));
    }
    programs.push_back(*std::move(program));
    placement.from_top = !placement.from_top;
  }
  return programs;
}

/// Runs the launches of a module whose programs are made.
class Launches {
 public:
  Launches(const BoundModule& module, const std::vector<Program>& programs, const HwConfig& hw)
      : module_(module), programs_(programs), hw_(hw) {}

  Result<NetworkRun> run(driver::Device& device) {
    VTA_ASSIGN_OR_RETURN(addresses_, placeTensors(module_, device));
    // All programs are on the device before the first runs, as in a session.
    VTA_ASSIGN_OR_RETURN(std::vector<driver::LoadedCode> codes,
                         loadAll(module_.info.actions, device));
    return execute(codes);
  }

  /// The same of `actions`, which are none of the module's. Its own are on the device, too, but do
  /// not run: addresses matter to memories.
  Result<NetworkRun> runOthers(std::span<const ActionInfo> actions, driver::Device& device) {
    VTA_ASSIGN_OR_RETURN(addresses_, placeTensors(module_, device));
    VTA_ASSIGN_OR_RETURN(const auto idle, loadAll(module_.info.actions, device));
    run_ = {};
    VTA_ASSIGN_OR_RETURN(std::vector<driver::LoadedCode> codes, loadAll(actions, device));
    return execute(codes);
  }

 private:
  Result<NetworkRun> execute(std::vector<driver::LoadedCode>& codes) {
    for (driver::LoadedCode& code : codes) {
      VTA_ASSIGN_OR_RETURN(const driver::LaunchResult launched, code.execute(kNoTimeout));
      run_.counters += launched.counters;
      run_.launches.push_back(launched.counters);
    }
    return run_;
  }

  Result<std::vector<driver::LoadedCode>> loadAll(std::span<const ActionInfo> actions,
                                                  driver::Device& device) {
    std::vector<driver::LoadedCode> codes;
    for (const ActionInfo& action : actions) {
      if (module_.info.executors[action.executor].kind == kCpuKind) continue;
      VTA_ASSIGN_OR_RETURN(driver::LoadedCode code, load(action, device));
      codes.push_back(std::move(code));
    }
    return codes;
  }

  Result<driver::LoadedCode> load(const ActionInfo& action, driver::Device& device) {
    VTA_ASSIGN_OR_RETURN(const compiler::LinkedLaunch launch,
                         compiler::linkLaunch(programs_, action, hw_, module_.info));
    run_.events += sim::countEnergyEvents(launch.program.instructions, hw_);
    VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, serializeProgram(launch.program, hw_));
    run_.program_bytes += bytes.size();
    VTA_ASSIGN_OR_RETURN(const EncodedProgram program,
                         viewProgram(bytes, hw_, ProgramChecksum::kTrust));
    std::vector<uint64_t> addresses;
    for (const int32_t tensor : launch.buffers) {
      addresses.push_back(tensor < 0 ? 0 : addresses_[static_cast<size_t>(tensor)]);
    }
    return driver::LoadedCode::load(device, program, addresses);
  }

  const BoundModule& module_;
  const std::vector<Program>& programs_;
  const HwConfig& hw_;
  std::vector<uint64_t> addresses_;
  NetworkRun run_;
};

}  // namespace

Result<std::unique_ptr<driver::Device>> NetworkRunner::createDevice() const {
  driver::CycleDeviceOptions options;
  options.timing_only = true;
  options.dram = memory_;
  options.memory_bytes = device_bytes_;
  return driver::CycleDevice::create(hw_, options);
}

Result<NetworkRun> NetworkRunner::run(const ModuleOutline& outline,
                                      std::span<const kernel::Schedule> schedules) const {
  VTA_ASSIGN_OR_RETURN(const std::vector<Program> programs, lowerKernels(outline, schedules, hw_));
  VTA_ASSIGN_OR_RETURN(const BoundModule module, bindPrograms(outline, programs, hw_));
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<driver::Device> device, createDevice());
  return Launches(module, programs, hw_).run(*device);
}

Result<NetworkRun> NetworkRunner::runAlone(const ModuleOutline& outline,
                                           std::span<const kernel::Schedule> schedules) const {
  VTA_ASSIGN_OR_RETURN(const std::vector<Program> programs, lowerKernels(outline, schedules, hw_));
  VTA_ASSIGN_OR_RETURN(const BoundModule module, bindPrograms(outline, programs, hw_));
  std::vector<ActionInfo> layers;
  for (const OutlinedKernel& kernel : outline.kernels) {
    const StepInfo& step = module.info.steps[kernel.step];
    layers.push_back({step.executor, kernel.step, 1, step.entry, false, {}});
  }
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<driver::Device> device, createDevice());
  return Launches(module, programs, hw_).runOthers(layers, *device);
}

}  // namespace vta::sweep
