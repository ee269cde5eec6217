#include "sim/functional/alu_engine.h"

#include <algorithm>

#include "isa/spec/lookup_table.h"
#include "isa/spec/user_operation.h"
#include "sim/functional/bounds.h"

namespace vta::sim {

AluEngine::AluEngine(const HwConfig& hw, const Kernels& kernels, Scratchpads& pads)
    : hw_(hw), kernels_(kernels), pads_(pads) {}

std::span<const Uop> AluEngine::uopsOf(const AluInsn& insn) const {
  if (insn.uop_bgn >= insn.uop_end) return {};
  return pads_.uops().subspan(insn.uop_bgn, insn.uop_end - insn.uop_bgn);
}

std::optional<Violation> AluEngine::check(const AluInsn& insn) const {
  if (auto violation = checkUopRange(insn.uop_end, hw_)) return violation;
  const std::span<const Uop> uops = uopsOf(insn);
  if (uops.empty() || insn.iter_out == 0 || insn.iter_in == 0) return std::nullopt;
  uint32_t max_dst = 0;
  uint32_t max_src = 0;
  for (const Uop& uop : uops) {
    max_dst = std::max(max_dst, uop.dst_idx);
    max_src = std::max(max_src, uop.src_idx);
  }
  const LoopBounds bounds = {insn.iter_out, insn.iter_in};
  const IndexUse dst = {MemoryType::kAcc, "dst", max_dst, insn.dst_factor_out, insn.dst_factor_in};
  if (auto violation = checkIndexes(dst, bounds, hw_)) return violation;
  if (insn.use_imm) return std::nullopt;
  const IndexUse src = {MemoryType::kAcc, "src", max_src, insn.src_factor_out, insn.src_factor_in};
  return checkIndexes(src, bounds, hw_);
}

void AluEngine::buildRuns(std::span<const Uop> uops, bool reads_source, bool reads_pair) {
  runs_.clear();
  for (const Uop& uop : uops) {
    if (!runs_.empty() && !reads_pair) {
      Run& last = runs_.back();
      const bool dst_follows = uop.dst_idx == last.dst + last.length;
      const bool src_follows = !reads_source || uop.src_idx == last.src + last.length;
      if (dst_follows && src_follows) {
        ++last.length;
        continue;
      }
    }
    runs_.push_back({uop.dst_idx, uop.src_idx, 1});
  }
}

void AluEngine::execute(const AluInsn& insn) {
  const std::span<const Uop> uops = uopsOf(insn);
  if (uops.empty() || insn.iter_out == 0 || insn.iter_in == 0) return;
  const bool reads_source = !insn.use_imm;
  const bool reads_pair = readsPair(insn.alu_opcode);
  AluCall call;
  call.opcode = insn.alu_opcode;
  call.imm = insn.imm;
  call.qmul_multiplier_bits = hw_.params().qmul_multiplier_bits;
  call.acc_width_bits = hw_.params().acc_width_bits;
  user_operation_ = findUserOperation(hw_.params(), insn.alu_opcode);
  buildRuns(uops, reads_source, reads_pair);

  // A single run that the inner, then the outer loop continues becomes one longer run.
  uint32_t iter_in = insn.iter_in;
  uint32_t iter_out = insn.iter_out;
  if (runs_.size() == 1 && !reads_pair) {
    Run& run = runs_.front();
    const auto continues = [&](uint32_t dst_factor, uint32_t src_factor) {
      return dst_factor == run.length && (!reads_source || src_factor == run.length);
    };
    if (iter_in == 1 || continues(insn.dst_factor_in, insn.src_factor_in)) {
      run.length *= iter_in;
      iter_in = 1;
      if (continues(insn.dst_factor_out, insn.src_factor_out)) {
        run.length *= iter_out;
        iter_out = 1;
      }
    }
  }
  for (uint32_t i0 = 0; i0 < iter_out; ++i0) {
    for (uint32_t i1 = 0; i1 < iter_in; ++i1) {
      const uint32_t dst = i0 * insn.dst_factor_out + i1 * insn.dst_factor_in;
      const uint32_t src = i0 * insn.src_factor_out + i1 * insn.src_factor_in;
      for (const Run& run : runs_) {
        executeRun({run.dst + dst, run.src + src, run.length}, reads_source, call);
      }
    }
  }
}

void AluEngine::executeRun(const Run& run, bool reads_source, AluCall call) {
  if (writesTable(call.opcode)) return writeTable(run, call.imm);
  if (readsTable(call.opcode)) return readTable(run);
  const uint32_t elem_lanes = pads_.accElemLanes();
  call.dst = pads_.acc(run.dst);
  call.lanes = size_t{run.length} * elem_lanes;
  if (readsPair(call.opcode)) return executePair(run, call);
  if (!reads_source) return executeLanes(call);
  call.src = pads_.acc(run.src);
  const uint32_t distance = run.dst > run.src ? run.dst - run.src : run.src - run.dst;
  if (distance == 0 || distance >= run.length) return executeLanes(call);
  call.lanes = elem_lanes;
  for (uint32_t i = 0; i < run.length; ++i) {
    executeLanes(call);
    call.dst += elem_lanes;
    call.src += elem_lanes;
  }
}

void AluEngine::executeLanes(const AluCall& call) {
  if (user_operation_ != nullptr) {
    user_operation_->evaluateLanes(call.dst, call.src, call.lanes, call.imm);
  } else {
    kernels_.alu(call);
  }
  pads_.wrapAcc(call.dst, call.lanes);
}

void AluEngine::writeTable(const Run& run, int32_t imm) {
  for (uint32_t i = 0; i < run.length; ++i) {
    const int32_t* const words = pads_.acc(run.dst + i);
    std::copy_n(words, pads_.accElemLanes(), pads_.table(tableWordOf(run.dst + i, imm)));
  }
}

void AluEngine::readTable(const Run& run) {
  const uint32_t lanes = pads_.accElemLanes();
  const int32_t* const words = pads_.table(0);
  for (uint32_t i = 0; i < run.length; ++i) {
    int32_t* const values = pads_.acc(run.dst + i);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      const int32_t x = values[lane];
      values[lane] = tableResult(words[size_t{tableWordFor(x)} * lanes + lane], x);
    }
  }
}

// dst may be one of the pair, which is read before.
void AluEngine::executePair(const Run& run, AluCall call) {
  call.src = pads_.acc(run.src & ~1u);
  call.bias = pads_.acc(run.src | 1u);
  call.shift = requantShiftOf(call.src[0], hw_.params());
  if (run.dst >> 1 == run.src >> 1) {
    pair_.assign(call.src, call.src + call.lanes);
    pair_.insert(pair_.end(), call.bias, call.bias + call.lanes);
    call.src = pair_.data();
    call.bias = pair_.data() + call.lanes;
  }
  kernels_.alu(call);
}

}  // namespace vta::sim
