#include "sim/functional/functional_model.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "isa/program/text/assembler.h"
#include "sim/functional/scheduler.h"

namespace vta::sim {
namespace {

Fault makeFault(Violation violation, uint32_t number, const Stream& stream) {
  return {violation.kind, number, disassemble(stream.instructions[number]),
          std::move(violation.reason)};
}

// The fault of a stream that ran to its end without a FINISH.
Fault missingFinish(const Stream& stream) {
  Fault fault;
  fault.kind = FaultKind::kDeadlock;
  fault.reason = "the stream ends without FINISH";
  if (!stream.instructions.empty()) {
    fault.instruction = static_cast<uint32_t>(stream.instructions.size() - 1);
    fault.disassembly = disassemble(stream.instructions.back());
  }
  return fault;
}

}  // namespace

Result<std::unique_ptr<FunctionalModel>> FunctionalModel::create(const HwConfig& hw,
                                                                 const FunctionalOptions& options) {
  const HwParams& p = hw.params();
  if (p.inp_width_bits != 8 || p.out_width_bits != 8) {
    return unsupported(
        fmt::format("the functional simulator computes with inp and out of 8 bits; configuration "
                    "'{}' has {} and {}",
                    hw.name(), p.inp_width_bits, p.out_width_bits));
  }
  try {
    return std::unique_ptr<FunctionalModel>(new FunctionalModel(hw, options));
  } catch (const std::bad_alloc&) {
    return Status(
        StatusCode::kResourceExhausted,
        fmt::format("the host has no memory for the buffers of configuration '{}'", hw.name()));
  }
}

FunctionalModel::FunctionalModel(const HwConfig& hw, const FunctionalOptions& options)
    : hw_(hw),
      options_(options),
      executor_(hw),
      checker_(options.checked ? std::make_unique<Checker>(hw) : nullptr) {}

void FunctionalModel::reset() {
  executor_.pads().clear();
  if (checker_) checker_ = std::make_unique<Checker>(hw_);
}

FunctionalRun FunctionalModel::run(std::span<const std::byte> bytes, const BaseAddresses& bases,
                                   Dram& dram) {
  const Stream& stream = streams_.find(bytes, hw_);
  Scheduler scheduler(stream, hw_, options_.checked);
  if (checker_) checker_->beginRun();
  FunctionalRun result;
  result.fault = runUntilStuck(scheduler, stream, bases, dram, result.activity);
  result.activity.fetch.instructions = scheduler.fetched();
  result.activity.fetch.read_bytes =
      uint64_t{scheduler.fetched()} * static_cast<uint64_t>(hw_.instructionBytes());
  if (result.fault) return result;

  if (stream.illegal) {
    result.fault = stream.illegal;
  } else if (!scheduler.isDone()) {
    result.fault = scheduler.deadlock();
  } else if (!stream.has_finish) {
    result.fault = missingFinish(stream);
  } else if (auto violation = scheduler.leftOverTokens()) {
    const auto last = static_cast<uint32_t>(stream.instructions.size() - 1);
    result.fault = makeFault(*std::move(violation), last, stream);
  }
  return result;
}

std::optional<Fault> FunctionalModel::runUntilStuck(Scheduler& scheduler, const Stream& stream,
                                                    const BaseAddresses& bases, Dram& dram,
                                                    Activity& activity) {
  uint32_t executed = 0;
  executed_.store(0, std::memory_order_relaxed);
  bool progress = true;
  while (progress) {
    progress = false;
    for (const Unit unit : kUnits) {
      while (const std::optional<uint32_t> number = scheduler.ready(unit)) {
        scheduler.start(unit);
        std::optional<Violation> violation = execute(*number, stream, bases, dram, activity);
        if (!violation) violation = scheduler.finish(*number);
        if (violation) return makeFault(*std::move(violation), *number, stream);
        executed_.store(++executed, std::memory_order_relaxed);
        progress = true;
      }
    }
  }
  return std::nullopt;
}

std::optional<Violation> FunctionalModel::execute(uint32_t number, const Stream& stream,
                                                  const BaseAddresses& bases, Dram& dram,
                                                  Activity& activity) {
  const Instruction& insn = stream.instructions[number];
  if (auto violation = executor_.check(insn, bases, dram)) return violation;
  if (checker_) {
    checker_->begin(insn.unit(), number, stream.tokens[number].pops);
    auto violation = checker_->check(insn, executor_.pads().uops(), bases, dram);
    if (violation) return violation;
    checker_->end(stream.tokens[number].pushes);
  }
  executor_.execute(insn, bases, dram, activity);
  return std::nullopt;
}

std::optional<Violation> FunctionalModel::step(const Instruction& insn, const BaseAddresses& bases,
                                               Dram& dram) {
  if (auto violation = checkLegality(insn, hw_)) return violation;
  if (auto violation = executor_.check(insn, bases, dram)) return violation;
  Activity activity;
  executor_.execute(insn, bases, dram, activity);
  return std::nullopt;
}

}  // namespace vta::sim
