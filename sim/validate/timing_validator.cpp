#include "sim/validate/timing_validator.h"

#include <fmt/format.h>

#include <string_view>

#include "isa/spec/memory_ports.h"

namespace vta::sim {
namespace {

constexpr int kLoadUnit = 0;  // of the units that retire

class Differences {
 public:
  explicit Differences(std::vector<std::string>& lines) : lines_(lines) {}

  void add(std::string_view name, uint64_t rtl, uint64_t model) {
    if (rtl == model) return;
    lines_.push_back(fmt::format("{}: RTL {}, simulator {}", name, rtl, model));
  }

  void add(std::string_view what, uint32_t instruction, uint64_t rtl, uint64_t model) {
    if (rtl == model) return;
    add(fmt::format("{} instruction {}", what, instruction), rtl, model);
  }

 private:
  std::vector<std::string>& lines_;
};

void compareUnit(Differences& differences, std::string_view unit,
                 const std::array<uint64_t, 7>& rtl, const UnitCounters& model) {
  constexpr std::string_view kNames[] = {"instructions", "busy",         "stall_token",
                                         "stall_memory", "stall_hazard", "read_bytes",
                                         "write_bytes"};
  const std::array<uint64_t, 7> figures = model.values();
  for (size_t i = 0; i < std::size(kNames); ++i) {
    differences.add(fmt::format("{}.{}", unit, kNames[i]), rtl[i], figures[i]);
  }
}

void compareCounters(Differences& differences, const RtlOutcome& rtl, const LaunchCounters& model) {
  differences.add("cycles", rtl.cycles, model.cycles);
  differences.add("gemm_uops", rtl.gemm_uops, model.gemm_uops);
  differences.add("alu_uops", rtl.alu_uops, model.alu_uops);
  compareUnit(differences, "fetch", rtl.units[0], model.fetch);
  compareUnit(differences, "load", rtl.units[1], model.load);
  compareUnit(differences, "compute", rtl.units[2], model.compute);
  compareUnit(differences, "store", rtl.units[3], model.store);
}

}  // namespace

Trouble troubleOf(uint64_t seed, uint64_t every) {
  if (every == 0 || seed % every != 0) return {};
  const uint64_t kind = seed / every % (kInjectedFaultCount + 2);
  if (kind < kInjectedFaultCount) return static_cast<InjectedFault>(kind);
  return kind == kInjectedFaultCount ? BusTrouble::kReadError : BusTrouble::kWriteError;
}

Result<std::unique_ptr<TimingValidator>> TimingValidator::create(const HwConfig& hw,
                                                                 const ModelCache& cache,
                                                                 const MemoryConfig& memory) {
  std::unique_ptr<TimingValidator> validator(new TimingValidator(hw));
  RtlOptions options;
  options.memory = memory;
  options.variant = ModelVariant::kChecked;
  VTA_ASSIGN_OR_RETURN(validator->rtl_, RtlSimulator::create(hw, validator->dram_, cache, options));
  VTA_ASSIGN_OR_RETURN(validator->model_, CycleModel::create(hw, memory));
  validator->observe();
  return validator;
}

void TimingValidator::observe() {
  rtl_->setRetireObserver([this](int unit, uint32_t number) -> Status {
    if (number >= times_.size()) return internalError("the RTL retires what is not there");
    if (unit == kLoadUnit && rtl_->launchCycle() > last_load_retire_) return {};
    times_[number].retired = rtl_->launchCycle();
    return {};
  });
  rtl_->setStartObserver([this](const VtaModelStarts& starts) -> Status {
    for (int i = 0; i < VTA_PROBE_STARTS; ++i) {
      if (starts.valid[i] == 0) continue;
      if (starts.number[i] >= times_.size())
        return internalError("the RTL starts what is not there");
      InstructionTimes& times = times_[starts.number[i]];
      (i == VTA_PROBE_FETCH ? times.dispatched : times.started) = rtl_->launchCycle();
    }
    return {};
  });
}

TimingResult TimingValidator::runModel(ProgramImage& image, Recording& recording) {
  dram_.current = &image;
  const auto view = streamOf(image, hw_);
  const std::vector<std::byte> stream(view.begin(), view.end());
  return model_->run(stream, image.instruction_address, image.bases, dram_, &recording);
}

Result<TimingComparison> TimingValidator::compare(ProgramImage& image, const BusErrors& errors) {
  // The RTL stores its results in memory, so the simulator, which reads micro-ops there, goes
  // first.
  Recording recording;
  model_->injectBusErrors(errors);
  const TimingResult model = runModel(image, recording);
  times_.assign(image.instruction_count, {});
  // Loads that have ended still leave the order of two DMAs when the core has stopped: in no
  // counter, and with no effect (docs/timing.md, "Load").
  const bool has_two_dmas = memoryPorts(hw_.params()).loadDmas() > 1;
  last_load_retire_ = has_two_dmas ? recording.fault_cycle : InstructionTimes::kNever;
  rtl_->injectBusErrors(errors);
  VTA_ASSIGN_OR_RETURN(const RtlOutcome rtl, rtl_->run({image.instruction_address,
                                                        image.instruction_count, image.bases}));
  recording.instructions.resize(image.instruction_count);

  TimingComparison comparison;
  comparison.cycles = rtl.cycles;
  comparison.faulted = rtl.fault != reg::FaultCode::kNone;
  comparison.bus_error = rtl.fault == reg::FaultCode::kBusError;
  Differences differences(comparison.differences);
  const auto model_code = model.fault ? faultCode(model.fault->kind) : reg::FaultCode::kNone;
  differences.add("fault", static_cast<uint64_t>(rtl.fault), static_cast<uint64_t>(model_code));
  if (comparison.faulted && model.fault) {
    differences.add("fault instruction", rtl.fault_instruction, model.fault->instruction);
  }
  for (uint32_t i = 0; i < image.instruction_count; ++i) {
    const InstructionTimes& expected = recording.instructions[i];
    if (times_[i].retired != InstructionTimes::kNever) ++comparison.instructions;
    differences.add("dispatch of", i, times_[i].dispatched, expected.dispatched);
    differences.add("start of", i, times_[i].started, expected.started);
    differences.add("retirement of", i, times_[i].retired, expected.retired);
  }
  compareCounters(differences, rtl, model.counters);
  return comparison;
}

// Any burst of the undisturbed program.
BusErrors TimingValidator::chooseErrors(ProgramImage& image, BusTrouble trouble, Rng& rng) {
  model_->injectBusErrors({});
  Recording recording;
  runModel(image, recording);
  std::vector<BurstTimes> bursts;
  for (const BurstTimes& burst : recording.bursts) {
    const bool is_write = burst.master == BusMaster::kStore;
    if (is_write == (trouble == BusTrouble::kWriteError)) bursts.push_back(burst);
  }
  BusErrors errors;
  errors.decode_error = rng.oneIn(2);
  if (bursts.empty()) return errors;
  const uint64_t number = rng.pick(0, bursts.size() - 1);
  if (trouble == BusTrouble::kWriteError) {
    errors.write_burst = number;
  } else {
    errors.read_burst = number;
    errors.read_beat = rng.pick(0, bursts[number].beats - 1);
  }
  return errors;
}

Result<TimingComparison> TimingValidator::compareProgram(const Program& program, uint64_t seed) {
  Rng rng(seed);
  VTA_ASSIGN_OR_RETURN(ProgramImage image, makeImage(program, hw_, rng));
  return compare(image);
}

Result<TimingComparison> TimingValidator::compareRandom(uint64_t seed, const Trouble& trouble,
                                                        const RandomProgramOptions& options) {
  Rng rng(seed);
  VTA_ASSIGN_OR_RETURN(ProgramImage image, makeImage(randomProgram(hw_, rng, options), hw_, rng));
  BusErrors errors;
  if (const auto* fault = std::get_if<InjectedFault>(&trouble)) {
    injectFault(image, hw_, *fault, rng);
  } else if (const auto* bus = std::get_if<BusTrouble>(&trouble)) {
    errors = chooseErrors(image, *bus, rng);
  }
  return compare(image, errors);
}

}  // namespace vta::sim
