#include "sim/functional/instruction_executor.h"

namespace vta::sim {
namespace {

template <typename Insn>
uint64_t iterations(const Insn& insn) {
  if (insn.uop_bgn >= insn.uop_end) return 0;
  return uint64_t{insn.iter_out} * insn.iter_in * (insn.uop_end - insn.uop_bgn);
}

}  // namespace

InstructionExecutor::InstructionExecutor(const HwConfig& hw)
    : hw_(hw),
      kernels_(selectKernels(hw)),
      pads_(hw, kernels_),
      dma_(hw, kernels_, pads_),
      gemm_(hw, kernels_, pads_),
      alu_(hw, kernels_, pads_) {}

std::optional<Violation> InstructionExecutor::check(const Instruction& insn,
                                                    const BaseAddresses& bases, const Dram& dram) {
  switch (insn.opcode) {
    case Opcode::kLoad:
    case Opcode::kStore:
      return dma_.check(insn.opcode, insn.mem(), bases, dram);
    case Opcode::kGemm:
      return gemm_.check(insn.gemm());
    case Opcode::kAlu:
      return alu_.check(insn.alu());
    case Opcode::kFinish:
      break;
  }
  return std::nullopt;
}

void InstructionExecutor::execute(const Instruction& insn, const BaseAddresses& bases, Dram& dram,
                                  Activity& activity) {
  UnitActivity& unit = activity.of(insn.unit());
  switch (insn.opcode) {
    case Opcode::kLoad:
    case Opcode::kStore: {
      const MemInsn& mem = insn.mem();
      dma_.execute(insn.opcode, mem, bases, dram);
      if (isOnChip(mem.memory_type)) break;
      const uint64_t bytes = uint64_t{mem.y_size} * mem.x_size * hw_.elemBytes(mem.memory_type);
      (insn.opcode == Opcode::kLoad ? unit.read_bytes : unit.write_bytes) += bytes;
      break;
    }
    case Opcode::kGemm:
      gemm_.execute(insn.gemm());
      activity.gemm_uops += iterations(insn.gemm());
      break;
    case Opcode::kAlu:
      alu_.execute(insn.alu());
      activity.alu_uops += iterations(insn.alu());
      break;
    case Opcode::kFinish:
      break;
  }
  ++unit.instructions;
}

}  // namespace vta::sim
