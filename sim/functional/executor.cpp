#include "sim/functional/executor.h"

#include <fmt/format.h>

namespace vta::sim {
namespace {

constexpr int kMaxQmulShift = 62;

template <typename Insn>
uint64_t iterations(const Insn& insn) {
  if (insn.uop_bgn >= insn.uop_end) return 0;
  return uint64_t{insn.iter_out} * insn.iter_in * (insn.uop_end - insn.uop_bgn);
}

Violation illegal(std::string reason) {
  return {FaultKind::kIllegalInstruction, std::move(reason)};
}

}  // namespace

std::optional<Violation> checkLegality(const Instruction& insn) {
  const Unit unit = insn.unit();
  const Tokens& tokens = insn.tokens;
  if (unit == Unit::kLoad && (tokens.pop_prev || tokens.push_prev)) {
    return illegal("the load unit has no previous unit to exchange tokens with");
  }
  if (unit == Unit::kStore && (tokens.pop_next || tokens.push_next)) {
    return illegal("the store unit has no next unit to exchange tokens with");
  }
  if (insn.opcode == Opcode::kLoad && insn.mem().memory_type == MemoryType::kOut) {
    return illegal("OUT cannot be loaded: it mirrors ACC");
  }
  if (insn.opcode == Opcode::kStore && insn.mem().memory_type != MemoryType::kOut) {
    return illegal(
        fmt::format("{} cannot be stored: only OUT can", memoryTypeName(insn.mem().memory_type)));
  }
  if (insn.opcode == Opcode::kAlu && insn.alu().alu_opcode == AluOpcode::kQmul &&
      (insn.alu().imm < 0 || insn.alu().imm > kMaxQmulShift)) {
    return illegal(fmt::format("QMUL shift is {}; legal: 0 to {}", insn.alu().imm, kMaxQmulShift));
  }
  return std::nullopt;
}

Executor::Executor(const HwConfig& hw)
    : hw_(hw),
      kernels_(selectKernels(hw)),
      pads_(hw, kernels_),
      dma_(hw, kernels_, pads_),
      gemm_(hw, kernels_, pads_),
      alu_(hw, kernels_, pads_) {}

std::optional<Violation> Executor::check(const Instruction& insn, const BaseAddresses& bases,
                                         const Dram& dram) {
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

void Executor::execute(const Instruction& insn, const BaseAddresses& bases, Dram& dram,
                       Activity& activity) {
  UnitActivity& unit = activity.of(insn.unit());
  switch (insn.opcode) {
    case Opcode::kLoad:
    case Opcode::kStore: {
      const MemInsn& mem = insn.mem();
      dma_.execute(insn.opcode, mem, bases, dram);
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
