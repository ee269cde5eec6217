// The GEMM and ALU instructions of random programs.
#include <algorithm>

#include "isa/spec/depthwise.h"
#include "isa/spec/user_operation.h"
#include "sim/random/program_generator.h"

namespace vta::sim {

namespace {

constexpr uint32_t kMostIterations = (1u << kIterBits) - 1;  // what the fields hold

}  // namespace

bool ProgramGenerator::pickLoops(Loops& loops) {
  const uint32_t end = uop_window_.begin + uop_window_.count;
  loops.uop_bgn = rng_.pick(uop_window_.begin, end - 1);
  loops.uop_end =
      rng_.pick(loops.uop_bgn + 1, std::min(end, loops.uop_bgn + (rng_.oneIn(3) ? 24u : 4u)));
  if (options_.large_fields) {
    // One of the three is large: a loop, or the number of micro-ops.
    const uint32_t which = rng_.pick(0, 2);
    if (which == 0) loops.uop_end = loops.uop_bgn + edge(1, end - loops.uop_bgn);
    loops.iter_out = which == 1 ? edge(1, kMostIterations) : rng_.pick(1, 3);
    loops.iter_in = which == 2 ? edge(1, kMostIterations) : rng_.pick(1, 3);
    return loops.iterations() <= options_.max_iterations;
  }
  loops.iter_out = rng_.oneIn(20) ? 0 : rng_.pick(1, 6);
  loops.iter_in = rng_.oneIn(20) ? 0 : rng_.pick(1, rng_.oneIn(3) ? 30 : 6);
  return loops.iterations() <= options_.max_iterations;
}

// Factors that keep `index` of every iteration inside `window`. False if a micro-op is outside.
bool ProgramGenerator::pickFactors(const Loops& loops, uint32_t Uop::*index, const Window& window,
                                   Factors& factors) {
  uint32_t most = 0;
  for (uint32_t u = loops.uop_bgn; u < loops.uop_end; ++u) {
    if (!window.has(uops_[u].*index)) return false;
    most = std::max(most, uops_[u].*index);
  }
  uint32_t room = window.last() - most;
  const auto pick = [&](uint32_t iterations) {
    const uint32_t limit = iterations > 1 ? room / (iterations - 1) : std::min(room, 7u);
    const uint32_t most = options_.large_fields ? limit : std::min(limit, 5u);
    const uint32_t factor = rng_.oneIn(4)           ? 0
                            : options_.large_fields ? edge(0, most)
                                                    : rng_.pick(0, most);
    if (iterations > 1) room -= factor * (iterations - 1);
    return factor;
  };
  factors.in = pick(loops.iter_in);
  factors.out = pick(loops.iter_out);
  return true;
}

std::vector<uint32_t> ProgramGenerator::indexes(const Loops& loops, uint32_t Uop::*index,
                                                const Factors& factors) {
  std::vector<uint32_t> elements;
  for (uint32_t i0 = 0; i0 < loops.iter_out; ++i0) {
    for (uint32_t i1 = 0; i1 < loops.iter_in; ++i1) {
      for (uint32_t u = loops.uop_bgn; u < loops.uop_end; ++u) {
        elements.push_back(uops_[u].*index + i0 * factors.out + i1 * factors.in);
      }
    }
  }
  return elements;
}

// Half of the GEMMs of hardware that has the mode, with as many taps as the window has room for.
void ProgramGenerator::drawDepthwise(const Loops& loops, GemmInsn& gemm) {
  if (!hw_.params().ext_depthwise || loops.iter_in > kMaxDepthwiseIterIn || rng_.oneIn(2)) return;
  const uint32_t taps = rng_.pick(1, inpReadElems(hw_.params()));
  if (inp_window_.count < taps) return;
  gemm.depthwise = true;
  gemm.taps = taps;
}

bool ProgramGenerator::addGemm() {
  for (int attempt = 0; attempt < 8; ++attempt) {
    Loops loops;
    Factors dst;
    Factors src;
    Factors wgt;
    if (!pickLoops(loops) || !pickFactors(loops, &Uop::dst_idx, acc_window_, dst)) continue;
    GemmInsn gemm;
    gemm.reset = rng_.oneIn(6);
    drawDepthwise(loops, gemm);
    // A reset reads neither operand, so they may be anywhere in their buffers.
    const Window sources = {inp_window_.begin, inp_window_.count - (gemm.taps - 1)};
    if (!pickFactors(loops, &Uop::src_idx, sources, src) ||
        !pickFactors(loops, &Uop::wgt_idx, wgt_window_, wgt)) {
      continue;
    }
    gemm.uop_bgn = loops.uop_bgn;
    gemm.uop_end = loops.uop_end;
    gemm.iter_out = loops.iter_out;
    gemm.iter_in = loops.iter_in;
    gemm.dst_factor_out = dst.out;
    gemm.dst_factor_in = dst.in;
    gemm.src_factor_out = src.out;
    gemm.src_factor_in = src.in;
    gemm.wgt_factor_out = wgt.out;
    gemm.wgt_factor_in = wgt.in;
    std::vector<uint32_t> read = indexes(loops, &Uop::src_idx, src);
    for (size_t i = read.size(); gemm.taps > 1 && i > 0; --i) {
      for (uint32_t tap = 1; tap < gemm.taps; ++tap) read.push_back(read[i - 1] + tap);
    }
    std::vector<Access> accesses = {{&acc_usage_, true, indexes(loops, &Uop::dst_idx, dst)},
                                    {&inp_usage_, false, std::move(read)},
                                    {&wgt_usage_, false, indexes(loops, &Uop::wgt_idx, wgt)}};
    add(Instruction::gemm(gemm), accesses);
    return true;
  }
  return false;
}

// One of the base instruction set, or, more often than those, one of an extension.
const AluOperation& ProgramGenerator::randomAluOperation() {
  constexpr auto is_base = [](const AluOperation& operation) {
    return operation.extension == nullptr;
  };
  constexpr auto kBaseCount = static_cast<uint32_t>(std::ranges::count_if(kAluOperations, is_base));
  static_assert(std::ranges::is_partitioned(kAluOperations, is_base));
  const AluOperation* operation = &kAluOperations[rng_.pick(0, kBaseCount - 1)];
  for (const AluOperation& other : kAluOperations) {
    if (other.extension != nullptr && hasAluOperation(hw_.params(), other) && rng_.oneIn(4))
      operation = &other;
  }
  for (const auto& other : hw_.params().operations.list()) {
    if (rng_.oneIn(4)) operation = &other->row;
  }
  return *operation;
}

// Operation, operand kind and immediate.
AluInsn ProgramGenerator::randomOperation() {
  AluInsn alu;
  const AluOperation& operation = randomAluOperation();
  alu.alu_opcode = operation.opcode;
  alu.use_imm = rng_.oneIn(2);
  const bool small = rng_.oneIn(2);
  alu.imm = small ? static_cast<int32_t>(rng_.pick(0, 80)) - 40
                  : static_cast<int16_t>(rng_.pick(0, 0xffff));
  if (operation.operand != AluOperand::kTensorOrImmediate) {
    alu.use_imm = operation.operand == AluOperand::kImmediate;
  }
  if (operation.immediate == AluImmediate::kShift) {
    alu.imm = static_cast<int32_t>(rng_.pick(0, kMaxAluShift));
  }
  if (operation.immediate == AluImmediate::kZero) alu.imm = 0;
  if (operation.immediate == AluImmediate::kByteRange) {
    auto low = static_cast<int8_t>(rng_.pick(0, 255));
    auto high = static_cast<int8_t>(rng_.pick(0, 255));
    if (low > high) std::swap(low, high);
    alu.imm = byteRangeImmediate({low, high});
  }
  return alu;
}

bool ProgramGenerator::addAlu() {
  for (int attempt = 0; attempt < 8; ++attempt) {
    Loops loops;
    Factors dst;
    Factors src;
    if (!pickLoops(loops) || !pickFactors(loops, &Uop::dst_idx, acc_window_, dst) ||
        !pickFactors(loops, &Uop::src_idx, acc_window_, src)) {
      continue;
    }
    AluInsn alu = randomOperation();
    alu.uop_bgn = loops.uop_bgn;
    alu.uop_end = loops.uop_end;
    alu.iter_out = loops.iter_out;
    alu.iter_in = loops.iter_in;
    alu.dst_factor_out = dst.out;
    alu.dst_factor_in = dst.in;
    alu.src_factor_out = src.out;
    alu.src_factor_in = src.in;
    std::vector<uint32_t> read = indexes(loops, &Uop::src_idx, src);
    if (readsPair(alu.alu_opcode)) {
      for (size_t i = read.size(); i > 0; --i) read.push_back(read[i - 1] ^ 1);
    }
    std::vector<Access> accesses = {{&acc_usage_, true, indexes(loops, &Uop::dst_idx, dst)},
                                    {&acc_usage_, false, std::move(read)}};
    add(Instruction::alu(alu), accesses);
    return true;
  }
  return false;
}

}  // namespace vta::sim
