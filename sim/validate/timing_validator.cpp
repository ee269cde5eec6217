#include "sim/validate/timing_validator.h"

#include <fmt/format.h>

#include <string_view>

namespace vta::sim {
namespace {

class Differences {
 public:
  explicit Differences(std::vector<std::string>& lines) : lines_(lines) {}

  void add(std::string_view name, uint64_t rtl, uint64_t model) {
    if (rtl == model) return;
    lines_.push_back(fmt::format("{}: RTL {}, simulator {}", name, rtl, model));
  }

 private:
  std::vector<std::string>& lines_;
};

void compareUnit(Differences& differences, std::string_view unit,
                 const std::array<uint64_t, 7>& rtl, const UnitTiming& model) {
  constexpr std::string_view kNames[] = {"instructions", "busy",         "stall_token",
                                         "stall_memory", "stall_hazard", "read_bytes",
                                         "write_bytes"};
  const uint64_t figures[] = {model.instructions,        model.busy_cycles,
                              model.stall_token_cycles,  model.stall_memory_cycles,
                              model.stall_hazard_cycles, model.read_bytes,
                              model.write_bytes};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    differences.add(fmt::format("{}.{}", unit, kNames[i]), rtl[i], figures[i]);
  }
}

void compareCounters(Differences& differences, const RtlOutcome& rtl, const CycleCounters& model) {
  differences.add("cycles", rtl.cycles, model.cycles);
  differences.add("gemm_uops", rtl.gemm_uops, model.gemm_uops);
  differences.add("alu_uops", rtl.alu_uops, model.alu_uops);
  compareUnit(differences, "fetch", rtl.units[0], model.fetch);
  compareUnit(differences, "load", rtl.units[1], model.load);
  compareUnit(differences, "compute", rtl.units[2], model.compute);
  compareUnit(differences, "store", rtl.units[3], model.store);
}

}  // namespace

Result<std::unique_ptr<TimingValidator>> TimingValidator::create(const HwConfig& hw,
                                                                 const ModelCache& cache,
                                                                 const MemoryConfig& memory) {
  std::unique_ptr<TimingValidator> validator(new TimingValidator(hw));
  RtlOptions options;
  options.memory = memory;
  options.variant = ModelVariant::kChecked;
  VTA_ASSIGN_OR_RETURN(validator->rtl_, RtlSimulator::create(hw, validator->dram_, cache, options));
  VTA_ASSIGN_OR_RETURN(validator->model_, CycleModel::create(hw, memory));
  TimingValidator* self = validator.get();
  self->rtl_->setRetireObserver([self](int /*unit*/, uint32_t number) -> Status {
    if (number >= self->retired_.size()) return internalError("the RTL retires what is not there");
    self->retired_[number] = self->rtl_->launchCycle();
    return {};
  });
  return validator;
}

Result<TimingComparison> TimingValidator::compare(ProgramImage& image) {
  // The RTL stores its results in memory, so the simulator, which reads micro-ops there, goes
  // first.
  dram_.current = &image;
  const auto view = streamOf(image, hw_);
  const std::vector<std::byte> stream(view.begin(), view.end());
  Recording recording;
  const TimingResult model =
      model_->run(stream, image.instruction_address, image.bases, dram_, &recording);
  retired_.assign(image.instruction_count, InstructionTimes::kNever);
  VTA_ASSIGN_OR_RETURN(const RtlOutcome rtl, rtl_->run({image.instruction_address,
                                                        image.instruction_count, image.bases}));
  recording.instructions.resize(image.instruction_count);

  TimingComparison comparison;
  comparison.cycles = rtl.cycles;
  comparison.faulted = rtl.fault != reg::FaultCode::kNone;
  Differences differences(comparison.differences);
  const auto model_code = model.fault ? faultCode(model.fault->kind) : reg::FaultCode::kNone;
  differences.add("fault", static_cast<uint64_t>(rtl.fault), static_cast<uint64_t>(model_code));
  if (comparison.faulted && model.fault) {
    differences.add("fault instruction", rtl.fault_instruction, model.fault->instruction);
  }
  for (uint32_t i = 0; i < image.instruction_count; ++i) {
    if (retired_[i] != InstructionTimes::kNever) ++comparison.instructions;
    differences.add(fmt::format("retirement of instruction {}", i), retired_[i],
                    recording.instructions[i].retired);
  }
  compareCounters(differences, rtl, model.counters);
  return comparison;
}

Result<TimingComparison> TimingValidator::compareRandom(uint64_t seed,
                                                        std::optional<InjectedFault> fault,
                                                        const RandomProgramOptions& options) {
  Rng rng(seed);
  VTA_ASSIGN_OR_RETURN(ProgramImage image, makeImage(randomProgram(hw_, rng, options), hw_, rng));
  if (fault) injectFault(image, hw_, *fault, rng);
  return compare(image);
}

}  // namespace vta::sim
