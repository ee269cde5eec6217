#include "sim/functional/depthwise_engine.h"

#include <algorithm>
#include <optional>

#include "isa/spec/depthwise.h"

namespace vta::sim {

DepthwiseEngine::DepthwiseEngine(const HwConfig& hw, Scratchpads& pads)
    : pads_(pads),
      batch_(static_cast<uint32_t>(hw.batch())),
      block_in_(static_cast<uint32_t>(hw.blockIn())),
      block_out_(static_cast<uint32_t>(hw.blockOut())),
      weights_(inpReadElems(hw.params()),
               {std::vector<int32_t>(block_out_), std::vector<int32_t>(block_out_)}),
      sums_(block_out_) {}

void DepthwiseEngine::execute(const GemmInsn& insn, std::span<const Uop> uops) {
  std::optional<uint32_t> weights_of;  // the tile that is in weights_
  for (uint32_t i0 = 0; i0 < insn.iter_out; ++i0) {
    for (uint32_t i1 = 0; i1 < insn.iter_in; ++i1) {
      for (const Uop& uop : uops) {
        const uint32_t wgt = uop.wgt_idx + i0 * insn.wgt_factor_out + i1 * insn.wgt_factor_in;
        if (weights_of != wgt) readWeights(wgt, insn.taps);
        weights_of = wgt;
        step(insn, uop.dst_idx + i0 * insn.dst_factor_out + i1 * insn.dst_factor_in,
             uop.src_idx + i0 * insn.src_factor_out + i1 * insn.src_factor_in);
      }
    }
  }
}

void DepthwiseEngine::readWeights(uint32_t wgt, uint32_t taps) {
  uses_other_ = false;
  for (uint32_t tap = 0; tap < taps; ++tap) {
    for (uint32_t oc = 0; oc < block_out_; ++oc) {
      const int8_t* const row = pads_.wgt(wgt) + size_t{oc} * block_in_;
      weights_[tap].own[oc] = row[depthwiseMultiplier(oc, tap, block_in_)];
      weights_[tap].other[oc] = row[depthwiseMultiplier(oc ^ 1, tap, block_in_)];
      uses_other_ |= weights_[tap].other[oc] != 0;
    }
  }
}

void DepthwiseEngine::step(const GemmInsn& insn, uint32_t dst, uint32_t src) {
  for (uint32_t b = 0; b < batch_; ++b) {
    std::ranges::fill(sums_, 0);
    for (uint32_t tap = 0; tap < insn.taps; ++tap) {
      const int8_t* const inp = pads_.inp(src + tap) + size_t{b} * block_in_;
      const TapWeights& weights = weights_[tap];
      for (uint32_t first = 0; first < block_out_; first += block_in_) {
        addTap(weights, inp, first, std::min(block_in_, block_out_ - first));
      }
    }
    int32_t* const acc = pads_.acc(dst) + size_t{b} * block_out_;
    for (uint32_t oc = 0; oc < block_out_; ++oc) {
      const auto old = insn.reset ? 0u : static_cast<uint32_t>(acc[oc]);
      acc[oc] = static_cast<int32_t>(old + static_cast<uint32_t>(sums_[oc]));
    }
    pads_.wrapAcc(acc, block_out_);
  }
}

// Adds the products of a tap to the sums of `count` outputs from `first` on, of which each has the
// channel of `inp` at its place.
void DepthwiseEngine::addTap(const TapWeights& weights, const int8_t* inp, uint32_t first,
                             uint32_t count) {
  const auto own = std::span(weights.own).subspan(first, count);
  const auto other = std::span(weights.other).subspan(first, count);
  const auto sums = std::span(sums_).subspan(first, count);
  for (uint32_t oc = 0; oc < count; ++oc) sums[oc] += inp[oc] * own[oc];
  if (!uses_other_) return;
  for (uint32_t oc = 0; oc < count; ++oc) sums[oc] += inp[oc ^ 1] * other[oc];
}

}  // namespace vta::sim
