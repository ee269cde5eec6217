#include <span>
#include <utility>

#include "isa/instruction/encoding.h"
#include "sim/board/arithmetic_fault.h"
#include "sim/board/one_block_core.h"
#include "sim/common/register_file.h"
#include "sim/cycle/cycle_model.h"
#include "sim/functional/functional_model.h"

namespace vta::sim {
namespace {

class ModelCore final : public OneBlockCore {
 public:
  ModelCore(const HwConfig& hw, Dram& dram, std::unique_ptr<CycleModel> timing,
            std::unique_ptr<FunctionalModel> values)
      : hw_(hw),
        dram_(dram),
        registers_(hw),
        timing_(std::move(timing)),
        values_(std::move(values)) {}

  Result<uint32_t> read(uint32_t offset) override { return registers_.read(offset); }
  Status write(uint32_t offset, uint32_t value) override {
    const bool launches = registers_.write(offset, value);
    if (launches && registers_.isBadLaunch()) {
      registers_.finish({}, reg::FaultCode::kBadLaunch, 0);
    }
    return {};
  }
  bool isBusy() const override { return registers_.running(); }
  bool interrupt() const override { return registers_.irq(); }
  void reset() override { registers_ = RegisterFile(hw_); }

  Status advance() override {
    const uint64_t address = registers_.instructionAddress();
    const uint64_t size_bytes =
        uint64_t{registers_.instructionCount()} * static_cast<uint64_t>(hw_.instructionBytes());
    const auto range = dram_.findRange(address);
    if (!range || !range->contains(address, size_bytes)) {
      registers_.finish({}, reg::FaultCode::kBusError, 0);
      return {};
    }
    run({range->at(address), static_cast<size_t>(size_bytes)}, address);
    return {};
  }

  void setBusError(bool on) override {
    BusErrors errors;
    if (on) errors.read_burst = 3;
    timing_->injectBusErrors(errors);
  }

  bool setArithmeticFault(const std::optional<ArithmeticFault>& fault) override {
    fault_ = fault;
    return true;
  }

 private:
  void run(std::span<const std::byte> stream, uint64_t address) {
    const BaseAddresses bases = registers_.bases();
    // Time first: it reads micro-ops, which the program itself could overwrite.
    const TimingResult timing = timing_->run(stream, address, bases, dram_);
    // Values also behind a fault: tokens that are left over undo nothing.
    std::optional<Fault> fault =
        fault_ ? runStepwise(stream, bases) : values_->run(stream, bases, dram_).fault;
    if (timing.fault) fault = timing.fault;
    if (!fault) return registers_.finish(timing.counters, reg::FaultCode::kNone, 0);
    registers_.finish(timing.counters, faultCode(fault->kind), fault->instruction);
  }

  /// One instruction after the other, so that something can go wrong behind each.
  std::optional<Fault> runStepwise(std::span<const std::byte> stream, const BaseAddresses& bases) {
    const auto insn_bytes = static_cast<size_t>(hw_.instructionBytes());
    for (size_t at = 0; at < stream.size(); at += insn_bytes) {
      const auto number = static_cast<uint32_t>(at / insn_bytes);
      const auto insn = decodeInstruction(stream.subspan(at, insn_bytes), hw_);
      if (!insn.ok()) return Fault{FaultKind::kIllegalInstruction, number, "", ""};
      if (insn->opcode == Opcode::kFinish) break;
      if (const auto violation = values_->step(*insn, bases, dram_)) {
        return Fault{violation->kind, number, "", violation->reason};
      }
      applyFault(*fault_, *insn, hw_, *values_);
    }
    return std::nullopt;
  }

  HwConfig hw_;
  Dram& dram_;
  RegisterFile registers_;
  std::unique_ptr<CycleModel> timing_;
  std::unique_ptr<FunctionalModel> values_;
  std::optional<ArithmeticFault> fault_;
};

}  // namespace

Result<std::unique_ptr<BoardCore>> makeModelCore(const HwConfig& hw, Dram& dram) {
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<CycleModel> timing, CycleModel::create(hw, MemoryConfig{}));
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<FunctionalModel> values, FunctionalModel::create(hw));
  return std::unique_ptr<BoardCore>(
      std::make_unique<ModelCore>(hw, dram, std::move(timing), std::move(values)));
}

}  // namespace vta::sim
