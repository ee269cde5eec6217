#include "sweep/network/network_timer.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <utility>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/launch/launches.h"
#include "driver/devices/cycle_device.h"
#include "driver/loaded_code.h"
#include "program/encoded_program.h"
#include "sim/cycle/program_timer.h"
#include "sweep/network/device_layout.h"
#include "sweep/network/schedule_search.h"
#include "tune/task/task.h"
#include "tune/task/task_text.h"

namespace vta::sweep {
namespace {

using compiler::ModuleOutline;
using compiler::OutlinedKernel;

// A simulator's launch ends by itself; the time-out is not waited for.
constexpr std::chrono::milliseconds kNoTimeout = std::chrono::hours(24);

Status inLayer(const OutlinedKernel& kernel, const Status& status) {
  return status.withContext(fmt::format("layer '{}'", kernel.desc.name));
}

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
                                          const std::vector<kernel::Schedule>& schedules,
                                          const HwConfig& hw) {
  std::vector<Program> programs;
  kernel::Placement placement;  // alternates, as vta-lower-kernels has it
  for (size_t i = 0; i < outline.kernels.size(); ++i) {
    auto program = kernel::lower(outline.kernels[i].desc, schedules[i], hw, placement);
    if (!program.ok()) return inLayer(outline.kernels[i], program.status());
    programs.push_back(*std::move(program));
    placement.from_top = !placement.from_top;
  }
  return programs;
}

Result<kernel::Schedule> chosenBy(kernel::ScheduleChooser& chooser,
                                  const kernel::KernelDesc& desc) {
  VTA_ASSIGN_OR_RETURN(const auto chosen, chooser.choose(desc));
  return chosen.schedule;
}

/// Runs the launches of a module whose programs are made.
class LaunchTimer {
 public:
  LaunchTimer(const BoundModule& module, const std::vector<Program>& programs, const HwConfig& hw)
      : module_(module), programs_(programs), hw_(hw) {}

  Result<NetworkTime> run(driver::Device& device) {
    VTA_ASSIGN_OR_RETURN(addresses_, placeTensors(module_, device));
    // All programs are on the device before the first runs, as in a session.
    std::vector<driver::LoadedCode> codes;
    for (const ActionInfo& action : module_.info.actions) {
      if (module_.info.executors[action.executor].kind == kCpuKind) continue;
      VTA_ASSIGN_OR_RETURN(driver::LoadedCode code, load(action, device));
      codes.push_back(std::move(code));
    }
    for (driver::LoadedCode& code : codes) {
      VTA_ASSIGN_OR_RETURN(const driver::LaunchResult launched, code.execute(kNoTimeout));
      time_.counters += launched.counters;
      launches_.push_back(launched.counters);
      ++time_.launches;
    }
    return time_;
  }

  const std::vector<LaunchCounters>& launches() const { return launches_; }

 private:
  Result<driver::LoadedCode> load(const ActionInfo& action, driver::Device& device) {
    VTA_ASSIGN_OR_RETURN(const compiler::LinkedLaunch launch,
                         compiler::linkLaunch(programs_, action, hw_, module_.info));
    time_.events += sim::countEnergyEvents(launch.program.instructions, hw_);
    VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, serializeProgram(launch.program, hw_));
    time_.program_bytes += bytes.size();
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
  NetworkTime time_;
  std::vector<LaunchCounters> launches_;
};

/// What the outline alone says.
void describe(const ModuleOutline& outline, NetworkTime& time) {
  time.kernels = std::ssize(outline.kernels);
  time.activation_bytes = outline.info.deviceArenaBytes();
  for (const StepInfo& step : outline.info.steps) {
    const int64_t macs = outline.info.layers[step.layer].macs;
    if (outline.info.isOnCpu(step)) {
      ++time.host_steps;
      time.macs_on_cpu += macs;
    } else {
      time.macs_on_vta += macs;
    }
  }
}

}  // namespace

std::string effortName(const Effort& effort) {
  if (effort.kind == Effort::kEstimated) return "estimated";
  if (effort.kind == Effort::kSimulated) return "simulated";
  return fmt::format("searched {} {}", effort.searcher, effort.trials);
}

Result<Effort> parseEffort(const std::string& name) {
  if (name == "estimated") return Effort(Effort::kEstimated);
  if (name == "simulated") return Effort(Effort::kSimulated);
  std::istringstream words(name);
  std::string searched;
  Effort effort(Effort::kSearched);
  if (words >> searched >> effort.searcher >> effort.trials && searched == "searched") {
    return effort;
  }
  return invalidArgument(fmt::format("there is no effort '{}'", name));
}

/// Kernels that are there twice are searched once: also where nobody else remembers schedules.
Result<kernel::Schedule> NetworkTimer::searched(const kernel::KernelDesc& desc) {
  const std::string workload = tune::workloadText(desc);
  if (const auto found = searched_.find(workload); found != searched_.end()) return found->second;
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule schedule,
                       searchSchedule({desc, hw_, memory_, {}}, effort_.searcher, effort_.trials));
  return searched_.emplace(workload, schedule).first->second;
}

Result<std::vector<kernel::Schedule>> NetworkTimer::chooseSchedules(const ModuleOutline& outline,
                                                                    const ScheduleMemory& known) {
  kernel::ScheduleHints hints;
  hints.memory = tune::memoryTraits(memory_, hw_);
  if (effort_.kind == Effort::kSimulated) {
    VTA_ASSIGN_OR_RETURN(sim::ProgramTimer created, sim::ProgramTimer::create(hw_, memory_));
    auto timer = std::make_shared<sim::ProgramTimer>(std::move(created));
    hints.measure = [timer](const Program& program, uint64_t most) {
      return timer->cyclesUpTo(program, most);
    };
  }
  kernel::ScheduleChooser chooser(hw_, std::move(hints));
  std::vector<kernel::Schedule> schedules;
  for (const OutlinedKernel& kernel : outline.kernels) {
    if (const auto found = known.find ? known.find(kernel.desc) : std::nullopt) {
      schedules.push_back(*found);
      continue;
    }
    const auto chosen =
        effort_.kind == Effort::kSearched ? searched(kernel.desc) : chosenBy(chooser, kernel.desc);
    if (!chosen.ok()) return inLayer(kernel, chosen.status());
    if (known.keep) known.keep(kernel.desc, *chosen);
    schedules.push_back(*chosen);
  }
  return schedules;
}

Result<std::unique_ptr<driver::Device>> NetworkTimer::createDevice() const {
  driver::CycleDeviceOptions options;
  options.timing_only = true;
  options.dram = memory_;
  return driver::CycleDevice::create(hw_, options);
}

Result<NetworkTime> NetworkTimer::run(const ModuleOutline& outline, const ScheduleMemory& known) {
  VTA_ASSIGN_OR_RETURN(const std::vector<kernel::Schedule> schedules,
                       chooseSchedules(outline, known));
  VTA_ASSIGN_OR_RETURN(const std::vector<Program> programs, lowerKernels(outline, schedules, hw_));
  VTA_ASSIGN_OR_RETURN(const BoundModule module, bindPrograms(outline, programs, hw_));
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<driver::Device> device, createDevice());
  VTA_ASSIGN_OR_RETURN(NetworkTime time, LaunchTimer(module, programs, hw_).run(*device));
  describe(outline, time);
  return time;
}

Result<std::vector<LayerTime>> NetworkTimer::runLayers(const ModuleOutline& outline,
                                                       const ScheduleMemory& known) {
  VTA_ASSIGN_OR_RETURN(const std::vector<kernel::Schedule> schedules,
                       chooseSchedules(outline, known));
  VTA_ASSIGN_OR_RETURN(const std::vector<Program> programs, lowerKernels(outline, schedules, hw_));
  VTA_ASSIGN_OR_RETURN(BoundModule module, bindPrograms(outline, programs, hw_));
  module.info.actions.clear();
  for (const OutlinedKernel& kernel : outline.kernels) {
    const StepInfo& step = module.info.steps[kernel.step];
    module.info.actions.push_back({step.executor, kernel.step, 1, step.entry, false, {}});
  }
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<driver::Device> device, createDevice());
  LaunchTimer timer(module, programs, hw_);
  VTA_RETURN_IF_ERROR(timer.run(*device).status());
  std::vector<LayerTime> layers;
  for (size_t i = 0; i < outline.kernels.size(); ++i) {
    const LayerInfo& layer = outline.info.layers[module.info.steps[outline.kernels[i].step].layer];
    layers.push_back({layer.name, layer.macs, timer.launches()[i]});
  }
  return layers;
}

}  // namespace vta::sweep
