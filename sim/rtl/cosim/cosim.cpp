#include "sim/rtl/cosim/cosim.h"

#include <fmt/format.h>

#include "sim/functional/functional_model.h"
#include "sim/rtl/cosim/edge_programs.h"

namespace vta::sim {
namespace {

std::string describe(const RtlOutcome& outcome) {
  if (outcome.fault == reg::FaultCode::kNone) return "no fault";
  return fmt::format("{} at instruction {}", faultCodeName(outcome.fault),
                     outcome.fault_instruction);
}

FunctionalRun runFunctional(const HwConfig& hw, ProgramImage& image) {
  // The configuration has been accepted by the co-simulation's own model.
  const std::unique_ptr<FunctionalModel> model = *FunctionalModel::create(hw);
  const std::span<const std::byte> view = streamOf(image, hw);
  const std::vector<std::byte> stream(view.begin(), view.end());
  ImageDram dram(image);
  return model->run(stream, image.bases, dram);
}

// On the bus, memory that is not there answers with an error.
reg::FaultCode expectedCode(const FunctionalRun& model) {
  if (!model.fault) return reg::FaultCode::kNone;
  return model.fault->kind == FaultKind::kDramBounds ? reg::FaultCode::kBusError
                                                     : faultCode(model.fault->kind);
}

Status compareFault(const RtlOutcome& outcome, const FunctionalRun& model, std::string_view what) {
  const bool same_place = !model.fault || outcome.fault_instruction == model.fault->instruction;
  if (outcome.fault == expectedCode(model) && same_place) return {};
  return internalError(fmt::format(
      "{}: the RTL reports {}; the functional model {}", what, describe(outcome),
      model.fault ? fmt::format("{} at instruction {}: {}", faultCodeName(expectedCode(model)),
                                model.fault->instruction, model.fault->reason)
                  : "no fault"));
}

}  // namespace

Result<std::unique_ptr<Cosim>> Cosim::create(const HwConfig& hw, const ModelCache& cache,
                                             const CosimOptions& options) {
  std::unique_ptr<Cosim> cosim(new Cosim(hw, options));
  VTA_ASSIGN_OR_RETURN(cosim->simulator_,
                       RtlSimulator::create(hw, cosim->dram_, cache, options.rtl));
  VTA_ASSIGN_OR_RETURN(cosim->checker_,
                       RetireChecker::create(hw, cosim->simulator_->model(), cosim->dram_));
  Cosim* self = cosim.get();
  self->simulator_->setRetireObserver([self](int unit, uint32_t number) -> Status {
    if (!self->checking_) return {};
    return self->checker_->retire(unit, number, self->simulator_->totalCycles());
  });
  return cosim;
}

Result<ProgramImage> Cosim::makeProgram(uint64_t seed, Rng& rng, ImagePlace place) const {
  rng = Rng(seed);
  return makeImage(randomProgram(hw_, rng, options_.program), hw_, rng, place);
}

Result<RtlOutcome> Cosim::run(ProgramImage& image) {
  dram_.current = &image;
  VTA_RETURN_IF_ERROR(
      simulator_->start({image.instruction_address, image.instruction_count, image.bases}));
  for (;;) {
    VTA_ASSIGN_OR_RETURN(const bool done, simulator_->advance(16));
    if (simulator_->totalCycles() >= thaws_at_) simulator_->freezeBus(false);
    if (checking_) VTA_RETURN_IF_ERROR(checker_->tick(simulator_->totalCycles()));
    if (done) return simulator_->outcome();
  }
}

Status Cosim::compareMemory(const ProgramImage& image, const ProgramImage& reference) const {
  for (size_t i = 0; i < image.bytes.size(); ++i) {
    if (image.bytes[i] == reference.bytes[i]) continue;
    return internalError(fmt::format("memory at {:#x} is {:02x}; the functional model has {:02x}",
                                     image.address + i, static_cast<int>(image.bytes[i]),
                                     static_cast<int>(reference.bytes[i])));
  }
  return {};
}

Status Cosim::compareCounters(const RtlOutcome& outcome, const Activity& activity) const {
  struct Pair {
    const char* name;
    uint64_t rtl;
    uint64_t model;
  };
  const auto counter = [&](int unit, reg::UnitCounter which) {
    return outcome.units[unit][static_cast<size_t>(which)];
  };
  std::vector<Pair> pairs = {{"gemm_uops", outcome.gemm_uops, activity.gemm_uops},
                             {"alu_uops", outcome.alu_uops, activity.alu_uops}};
  const UnitActivity* units[] = {&activity.fetch, &activity.load, &activity.compute,
                                 &activity.store};
  constexpr const char* kNames[] = {"fetch", "load", "compute", "store"};
  for (int unit = 0; unit < 4; ++unit) {
    pairs.push_back(
        {kNames[unit], counter(unit, reg::UnitCounter::kInstructions), units[unit]->instructions});
    pairs.push_back(
        {kNames[unit], counter(unit, reg::UnitCounter::kReadBytes), units[unit]->read_bytes});
    pairs.push_back(
        {kNames[unit], counter(unit, reg::UnitCounter::kWriteBytes), units[unit]->write_bytes});
    uint64_t sum = 0;
    for (const auto part :
         {reg::UnitCounter::kBusyCycles, reg::UnitCounter::kStallTokenCycles,
          reg::UnitCounter::kStallMemoryCycles, reg::UnitCounter::kStallHazardCycles}) {
      sum += counter(unit, part);
    }
    if (sum > outcome.cycles) {
      return internalError(fmt::format("{} was busy or stalled for {} of {} cycles", kNames[unit],
                                       sum, outcome.cycles));
    }
  }
  for (const Pair& pair : pairs) {
    if (pair.rtl == pair.model) continue;
    return internalError(fmt::format("counter of {}: {}; the functional model counts {}", pair.name,
                                     pair.rtl, pair.model));
  }
  return {};
}

Result<CosimReport> Cosim::runLegal(uint64_t seed) {
  Rng rng(seed);
  VTA_ASSIGN_OR_RETURN(const ProgramImage image, makeProgram(seed, rng));
  return runLegal(image);
}

Result<CosimReport> Cosim::runLegal(ProgramImage image) {
  ProgramImage checked = image;    // the memory of the retirement checker's reference
  ProgramImage reference = image;  // the memory of the functional run
  ImageDram checked_dram(checked);
  const uint64_t instructions_before = checker_->checkedInstructions();
  VTA_RETURN_IF_ERROR(checker_->beginLaunch(streamOf(checked, hw_), image.bases, checked_dram));
  checking_ = true;
  const Result<RtlOutcome> outcome = run(image);
  checking_ = false;
  if (!outcome.ok()) return outcome.status();
  if (outcome->fault != reg::FaultCode::kNone) {
    return internalError(fmt::format("a legal program ends with {}", describe(*outcome)));
  }
  VTA_RETURN_IF_ERROR(checker_->finish());
  const FunctionalRun model = runFunctional(hw_, reference);
  VTA_RETURN_IF_ERROR(compareMemory(image, reference));
  VTA_RETURN_IF_ERROR(compareCounters(*outcome, model.activity));
  return CosimReport{outcome->cycles, checker_->checkedInstructions() - instructions_before, ""};
}

Result<CosimReport> Cosim::runFaulty(uint64_t seed, InjectedFault fault) {
  Rng rng(seed);
  VTA_ASSIGN_OR_RETURN(ProgramImage image, makeProgram(seed, rng));
  if (!injectFault(image, hw_, fault, rng)) return runLegal(seed);
  ProgramImage reference = image;
  const FunctionalRun model = runFunctional(hw_, reference);
  VTA_ASSIGN_OR_RETURN(const RtlOutcome outcome, run(image));
  VTA_RETURN_IF_ERROR(compareFault(outcome, model, injectedFaultName(fault)));
  return CosimReport{outcome.cycles, 0, describe(outcome)};
}

Result<CosimReport> Cosim::runWithBusErrors(uint64_t seed) {
  Rng rng(seed);
  VTA_ASSIGN_OR_RETURN(ProgramImage image, makeProgram(seed, rng));
  VTA_ASSIGN_OR_RETURN(const RtlOutcome outcome, run(image));
  if (outcome.fault != reg::FaultCode::kNone && outcome.fault != reg::FaultCode::kBusError) {
    return internalError(fmt::format("with bus errors, {}", describe(outcome)));
  }
  return CosimReport{outcome.cycles, 0, describe(outcome)};
}

Result<CosimReport> Cosim::runWithReset(uint64_t seed, std::optional<uint64_t> cycles) {
  Rng rng(seed);
  VTA_ASSIGN_OR_RETURN(ProgramImage image, makeProgram(seed, rng));
  dram_.current = &image;
  VTA_RETURN_IF_ERROR(
      simulator_->start({image.instruction_address, image.instruction_count, image.bases}));
  const uint64_t until = cycles ? *cycles : rng.pick(1, 3000);
  VTA_ASSIGN_OR_RETURN(const bool done, simulator_->advance(until));
  static_cast<void>(done);
  simulator_->reset();
  return runLegal(seed);
}

// Zero, unaligned, past the bus's addresses; an unaligned base: each alone is a fault.
Status Cosim::expectBadLaunches(const RtlLaunch& launch, Rng& rng) {
  for (uint32_t which = 0; which < 4; ++which) {
    RtlLaunch bad = launch;
    uint64_t* const bases[] = {&bad.bases.uop, &bad.bases.inp, &bad.bases.wgt, &bad.bases.acc,
                               &bad.bases.out};
    if (which == 0) bad.instruction_address = 0;
    if (which == 1) bad.instruction_address += rng.pick(1, 15);
    if (which == 2) bad.instruction_address = ~uint64_t{63};
    if (which == 2) bad.instruction_count = ~0u;
    if (which == 3) *bases[rng.pick(0, 4)] += 1;
    VTA_ASSIGN_OR_RETURN(const RtlOutcome outcome, simulator_->run(bad));
    if (outcome.fault != reg::FaultCode::kBadLaunch || outcome.cycles != 0) {
      return internalError(fmt::format("bad launch {}: {} after {} cycles", which,
                                       describe(outcome), outcome.cycles));
    }
  }
  return {};
}

// While a launch runs.
Status Cosim::disturb(const RtlLaunch& launch) {
  VTA_RETURN_IF_ERROR(simulator_->writeRegister(reg::kControl, reg::kControlLaunch));
  VTA_ASSIGN_OR_RETURN(const uint32_t status, simulator_->readRegister(reg::kStatus));
  if ((status & reg::kStatusRunning) != 0 && (status & reg::kStatusLaunchRefused) == 0) {
    return internalError("a launch during a run has not been refused");
  }
  VTA_RETURN_IF_ERROR(simulator_->writeRegister(reg::kInsnAddr, 0));
  VTA_RETURN_IF_ERROR(simulator_->writeRegister(reg::kUser, launch.instruction_count));
  for (const RegisterInfo& info : controlRegisters()) {
    VTA_RETURN_IF_ERROR(simulator_->readRegister(info.offset).status());
  }
  // Where no register is.
  VTA_RETURN_IF_ERROR(simulator_->readRegister(0xf00).status());
  VTA_ASSIGN_OR_RETURN(const uint32_t user, simulator_->readRegister(reg::kUser));
  if (user == launch.instruction_count) return {};
  return internalError(fmt::format("the user register holds {:#x}", user));
}

Result<CosimReport> Cosim::runAmongRegisterAccesses(uint64_t seed) {
  Rng rng(seed);
  VTA_ASSIGN_OR_RETURN(ProgramImage image, makeProgram(seed, rng));
  ProgramImage reference = image;
  const RtlLaunch launch = {image.instruction_address, image.instruction_count, image.bases};
  dram_.current = &image;
  VTA_RETURN_IF_ERROR(expectBadLaunches(launch, rng));
  VTA_RETURN_IF_ERROR(simulator_->start(launch));
  VTA_ASSIGN_OR_RETURN(bool done, simulator_->advance(rng.pick(1, 40)));
  if (!done) VTA_RETURN_IF_ERROR(disturb(launch));
  while (!done) {
    VTA_ASSIGN_OR_RETURN(done, simulator_->advance(1000));
  }
  VTA_ASSIGN_OR_RETURN(const RtlOutcome outcome, simulator_->outcome());
  if (outcome.fault != reg::FaultCode::kNone) {
    return internalError(fmt::format("a legal program ends with {}", describe(outcome)));
  }
  static_cast<void>(runFunctional(hw_, reference));
  VTA_RETURN_IF_ERROR(compareMemory(image, reference));
  return CosimReport{outcome.cycles, 0, ""};
}

Result<CosimReport> Cosim::runEdge(uint64_t seed) {
  VTA_ASSIGN_OR_RETURN(std::optional<EdgeProgram> edge, edgeProgram(hw_, seed));
  if (!edge) return runLegal(seed);
  ProgramImage reference = edge->image;
  const FunctionalRun model = runFunctional(hw_, reference);
  VTA_ASSIGN_OR_RETURN(const RtlOutcome outcome, run(edge->image));
  if (!edge->races) {
    VTA_RETURN_IF_ERROR(compareFault(outcome, model, fmt::format("edge program {}", seed)));
    if (!model.fault) VTA_RETURN_IF_ERROR(compareMemory(edge->image, reference));
  } else if (outcome.fault != expectedCode(model)) {
    return internalError(fmt::format("edge program {}: {}", seed, describe(outcome)));
  }
  return CosimReport{outcome.cycles, 0, describe(outcome)};
}

}  // namespace vta::sim
