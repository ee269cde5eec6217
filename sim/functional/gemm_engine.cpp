#include "sim/functional/gemm_engine.h"

#include <algorithm>

#include "sim/functional/bounds.h"

namespace vta::sim {
namespace {

// Bounds of the tables; a loop that would exceed them is run as an outer one.
constexpr uint64_t kMaxSteps = 16384;
constexpr uint64_t kMaxRows = 65536;

}  // namespace

GemmEngine::GemmEngine(const HwConfig& hw, const Kernels& kernels, Scratchpads& pads)
    : hw_(hw),
      kernels_(kernels),
      pads_(pads),
      batch_(static_cast<uint32_t>(hw.batch())),
      block_in_(static_cast<uint32_t>(hw.blockIn())),
      block_out_(static_cast<uint32_t>(hw.blockOut())),
      depthwise_(hw, pads) {}

std::span<const Uop> GemmEngine::uopsOf(const GemmInsn& insn) const {
  if (insn.uop_bgn >= insn.uop_end) return {};
  return pads_.uops().subspan(insn.uop_bgn, insn.uop_end - insn.uop_bgn);
}

std::optional<Violation> GemmEngine::check(const GemmInsn& insn) {
  if (auto violation = checkUopRange(insn.uop_end, hw_)) return violation;
  const std::span<const Uop> uops = uopsOf(insn);
  if (uops.empty() || insn.iter_out == 0 || insn.iter_in == 0) return std::nullopt;

  const LoopBounds bounds = {insn.iter_out, insn.iter_in};
  if (!insn.readsOperands()) {
    const uint32_t max_dst = std::ranges::max(uops, {}, &Uop::dst_idx).dst_idx;
    return checkIndexes({MemoryType::kAcc, "dst", max_dst, insn.dst_factor_out, insn.dst_factor_in},
                        bounds, hw_);
  }
  const UopPlan& plan = plans_.find(uops);
  const IndexUse uses[] = {
      {MemoryType::kAcc, "dst", plan.max_dst, insn.dst_factor_out, insn.dst_factor_in},
      {MemoryType::kInp, "src", plan.max_src, insn.src_factor_out, insn.src_factor_in, insn.taps},
      {MemoryType::kWgt, "wgt", plan.max_wgt, insn.wgt_factor_out, insn.wgt_factor_in}};
  for (const IndexUse& use : uses) {
    if (auto violation = checkIndexes(use, bounds, hw_)) return violation;
  }
  return std::nullopt;
}

void GemmEngine::execute(const GemmInsn& insn) {
  const std::span<const Uop> uops = uopsOf(insn);
  if (uops.empty() || insn.iter_out == 0 || insn.iter_in == 0) return;
  if (insn.depthwise) return depthwise_.execute(insn, uops);
  if (insn.reset) return reset(insn, uops);
  for (const UopFamily& family : plans_.find(uops).families) {
    classify(insn, family.rows.size(), family.steps.size());
    buildSteps(family);
    buildRows(family);
    runFamily(family.base);
  }
}

void GemmEngine::classify(const GemmInsn& insn, size_t family_rows, size_t family_steps) {
  const Loop loops[2] = {
      {insn.iter_out, insn.dst_factor_out, insn.src_factor_out, insn.wgt_factor_out},
      {insn.iter_in, insn.dst_factor_in, insn.src_factor_in, insn.wgt_factor_in}};
  uint64_t num_steps = family_steps;
  uint64_t num_rows = family_rows;
  nest_.reduction.clear();
  nest_.rows.clear();
  for (int i = 0; i < 2; ++i) {
    const Loop& loop = loops[i];
    nest_.outer[i] = Loop{};
    if (loop.count == 1) continue;
    if (loop.dst == 0 && num_steps * loop.count <= kMaxSteps) {
      num_steps *= loop.count;
      nest_.reduction.push_back(loop);
    } else if (loop.dst != 0 && loop.wgt == 0 && num_rows * loop.count <= kMaxRows) {
      num_rows *= loop.count;
      nest_.rows.push_back(loop);
    } else {
      nest_.outer[i] = loop;
    }
  }
}

void GemmEngine::buildSteps(const UopFamily& family) {
  const uint32_t inp_bytes = pads_.packedInpElemBytes();
  const uint64_t wgt_bytes = pads_.packedWgtElemBytes();
  if (steps_loops_ == nest_.reduction && steps_source_ == family.steps) return;
  steps_loops_ = nest_.reduction;
  steps_source_ = family.steps;
  steps_.clear();
  for (const UopFamily::Step& step : family.steps) {
    steps_.push_back({step.src * inp_bytes, step.wgt * wgt_bytes});
  }
  for (const Loop& loop : nest_.reduction) {
    const size_t inner = steps_.size();
    for (uint32_t i = 1; i < loop.count; ++i) {
      for (size_t k = 0; k < inner; ++k) {
        steps_.push_back({steps_[k].inp_offset_bytes + i * loop.src * inp_bytes,
                          steps_[k].wgt_offset_bytes + uint64_t{i} * loop.wgt * wgt_bytes});
      }
    }
  }
}

void GemmEngine::buildRows(const UopFamily& family) {
  if (rows_loops_ == nest_.rows && rows_source_ == family.rows) return;
  rows_loops_ = nest_.rows;
  rows_source_ = family.rows;
  rows_.clear();
  const Loop none;
  const Loop& out = nest_.rows.empty() ? none : nest_.rows.front();
  const Loop& in = nest_.rows.size() < 2 ? none : nest_.rows.back();
  for (uint32_t i0 = 0; i0 < out.count; ++i0) {
    for (uint32_t i1 = 0; i1 < in.count; ++i1) {
      const uint32_t dst = i0 * out.dst + i1 * in.dst;
      const uint32_t src = i0 * out.src + i1 * in.src;
      for (const UopFamily::Row& row : family.rows) appendRow(row.dst + dst, row.src + src);
    }
  }
}

void GemmEngine::appendRow(uint32_t dst, uint32_t src) {
  const uint32_t inp_row_bytes = pads_.packedInpRowBytes();
  for (uint32_t b = 0; b < batch_; ++b) {
    rows_.push_back({(src * batch_ + b) * inp_row_bytes, (dst * batch_ + b) * block_out_});
  }
}

void GemmEngine::runFamily(const UopFamily::Base& base) {
  const Loop& out = nest_.outer[0];
  const Loop& in = nest_.outer[1];
  GemmCall call;
  call.steps = steps_;
  call.rows = rows_;
  call.block_in = static_cast<int>(block_in_);
  call.block_out = static_cast<int>(block_out_);
  for (uint32_t i0 = 0; i0 < out.count; ++i0) {
    for (uint32_t i1 = 0; i1 < in.count; ++i1) {
      const size_t src = base.src + i0 * out.src + i1 * in.src;
      const size_t wgt = base.wgt + i0 * out.wgt + i1 * in.wgt;
      call.inp = pads_.packedInp() + src * pads_.packedInpElemBytes();
      call.wgt = pads_.packedWgt() + wgt * pads_.packedWgtElemBytes();
      call.acc = pads_.acc(base.dst + i0 * out.dst + i1 * in.dst);
      kernels_.gemm(call);
      // Sums wrap, so those of 32 bits end in the same low bits as narrower ones.
      for (const GemmRow& row : rows_) pads_.wrapAcc(call.acc + row.acc_offset_lanes, block_out_);
    }
  }
}

void GemmEngine::reset(const GemmInsn& insn, std::span<const Uop> uops) {
  // The order does not matter: each micro-op's run along the inner loop is cleared at once.
  const bool rows_are_runs = insn.dst_factor_in == 1;
  const uint32_t iter_in = rows_are_runs ? 1 : insn.iter_in;
  const size_t run_lanes = size_t{pads_.accElemLanes()} * (rows_are_runs ? insn.iter_in : 1);
  for (uint32_t i0 = 0; i0 < insn.iter_out; ++i0) {
    for (uint32_t i1 = 0; i1 < iter_in; ++i1) {
      const uint32_t offset = i0 * insn.dst_factor_out + i1 * insn.dst_factor_in;
      for (const Uop& uop : uops) std::fill_n(pads_.acc(uop.dst_idx + offset), run_lanes, 0);
    }
  }
}

}  // namespace vta::sim
