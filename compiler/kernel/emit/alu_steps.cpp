#include "compiler/kernel/emit/alu_steps.h"

#include <array>

#include "isa/spec/user_operation.h"

namespace vta::kernel {
namespace {

// An operation of vectors. Some opcodes take a shift or bounds in the immediate field beside that.
AccOperation vectorOperation(const EpilogueStep& step, const HwConfig& hw) {
  const AluOperation* const operation = findAluOperation(hw.params(), step.opcode);
  const bool has_imm = operation != nullptr && operation->immediate != AluImmediate::kNumber;
  return {.opcode = step.opcode, .use_imm = false, .imm = has_imm ? step.imm : 0};
}

}  // namespace

void AluSteps::apply(const EpilogueStep& step, const TileJob& job, const TilePart& part) {
  Nest nest;
  nest.base.dst_idx = part.acc;
  if (step.source == EpilogueStep::Source::kImmediate) {
    nest.base.src_idx = part.acc;
    nest.push({part.blocks, part.pixels, part.pixels, 0, true});
    nest.push({part.pixels, 1, 1, 0, true});
    context_.emit.aluImmediate(step.opcode, step.imm, nest, part.acc, part.end());
    return;
  }
  if (step.source == EpilogueStep::Source::kSelf) return combine(step, part, part.acc);
  const uint32_t width = readsPair(step.opcode) ? 2 : 1;
  const uint32_t param = constants_.param(job, step.param) + width * part.block;
  nest.base.src_idx = param;
  nest.push({part.blocks, part.pixels, width, 0, true});
  nest.push({part.pixels, 1, 0, 0, true});
  const std::array<SramAccess, 2> accesses = {{
      {Sram::kAcc, param, param + width * part.blocks, false},
      {Sram::kAcc, part.acc, part.end(), true},
  }};
  context_.emit.alu(vectorOperation(step, context_.hw), nest, accesses);
}

void AluSteps::combine(const EpilogueStep& step, const TilePart& part, uint32_t residual,
                       bool is_per_block) {
  const uint32_t pixels = is_per_block ? 1 : part.pixels;
  Nest nest;
  nest.base.dst_idx = part.acc;
  nest.base.src_idx = residual;
  nest.push({part.blocks, part.pixels, pixels, 0, true});
  nest.push({part.pixels, 1, is_per_block ? 0u : 1u, 0, true});
  const std::array<SramAccess, 2> accesses = {{
      {Sram::kAcc, residual, residual + part.blocks * pixels, false},
      {Sram::kAcc, part.acc, part.end(), true},
  }};
  context_.emit.alu(vectorOperation(step, context_.hw), nest, accesses);
}

}  // namespace vta::kernel
