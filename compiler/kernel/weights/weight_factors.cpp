#include "compiler/kernel/weights/weight_factors.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/integer_math.h"
#include "isa/spec/narrow_weights.h"

namespace vta::kernel {
namespace {

// What some weights have in common: their greatest common divisor, 0 where all are 0, and the
// extremes of their values.
struct Common {
  int32_t divisor = 0;
  int32_t least = 0;
  int32_t most = 0;

  void add(const Common& other) {
    divisor = std::gcd(divisor, other.divisor);
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
};

int powerOfTwo(int32_t value) { return std::countr_zero(static_cast<uint32_t>(value)); }

// The inverse of an odd number modulo 2^32: each of Newton's steps doubles the bits that are right,
// of which there are three at first.
uint32_t inverseOf(uint32_t odd) {
  uint32_t inverse = odd;
  for (int bits = 3; bits < 32; bits *= 2) inverse *= 2 - odd * inverse;
  return inverse;
}

class Factoring {
 public:
  Factoring(std::span<const int8_t> weights, const Geometry& geometry, const HwConfig& hw)
      : weights_(weights),
        g_(geometry),
        range_(weightRange(hw.params().wgt_width_bits)),
        batch_(hw.batch()),
        block_in_(hw.blockIn()),
        block_out_(hw.blockOut()),
        in_blocks_(geometry.inBlocksPerGroup()) {
    surveyBlocks();
  }

  std::optional<FactoredWeights> run() {
    for (int64_t size = in_blocks_; size >= 1; --size) {
      if (setFactors(size)) return factored(size);
    }
    return std::nullopt;
  }

 private:
  int64_t channels() const { return g_.out_channel_blocks * block_out_; }
  size_t blockAt(int64_t channel, int64_t in_block) const {
    return static_cast<size_t>(channel * in_blocks_ + in_block);
  }

  // Calls visit(weight number) for the weights of a channel and an input block.
  template <typename Visit>
  void forEachWeight(int64_t channel, int64_t in_block, const Visit& visit) const {
    const int64_t first = (channel / block_out_ * in_blocks_ + in_block) * g_.weightElems();
    for (int64_t elem = first; elem < first + g_.weightElems(); ++elem) {
      const int64_t row = (elem * block_out_ + channel % block_out_) * block_in_;
      for (int64_t i = row; i < row + block_in_; ++i) visit(static_cast<size_t>(i));
    }
  }

  void surveyBlocks() {
    blocks_.resize(static_cast<size_t>(channels() * in_blocks_));
    for (int64_t channel = 0; channel < channels(); ++channel) {
      for (int64_t in_block = 0; in_block < in_blocks_; ++in_block) {
        Common& common = blocks_[blockAt(channel, in_block)];
        forEachWeight(channel, in_block, [&](size_t i) {
          const int32_t weight = weights_[i];
          common.add({weight, std::min(weight, 0), std::max(weight, 0)});
        });
      }
    }
  }

  bool fits(const Common& common, int32_t factor) const {
    return common.least >= range_.least * factor && common.most <= range_.most * factor;
  }

  // Fills factors_ for groups of `size` blocks. False where a group does not fit.
  bool setFactors(int64_t size) {
    const int64_t groups = ceilDiv(in_blocks_, size);
    factors_.assign(static_cast<size_t>(channels() * groups), 1);
    powers_.assign(static_cast<size_t>(channels()), 0);
    std::vector<Common> common(static_cast<size_t>(groups));
    for (int64_t channel = 0; channel < channels(); ++channel) {
      std::ranges::fill(common, Common{});
      for (int64_t in_block = 0; in_block < in_blocks_; ++in_block) {
        common[static_cast<size_t>(in_block / size)].add(blocks_[blockAt(channel, in_block)]);
      }
      if (!setChannel(channel, common)) return false;
    }
    return true;
  }

  // The factors of one channel, of what its groups have in common.
  bool setChannel(int64_t channel, const std::vector<Common>& common) {
    int power = 8;
    for (const Common& group : common) {
      if (group.divisor != 0) power = std::min(power, powerOfTwo(group.divisor));
    }
    if (power == 8) return true;  // zeros alone
    powers_[static_cast<size_t>(channel)] = power;
    int32_t* const own = &factors_[static_cast<size_t>(channel) * common.size()];
    for (size_t group = common.size(); group-- > 0;) {
      // Zeros may have the factor of the next group: nothing is multiplied between the two.
      own[group] = group + 1 < common.size() ? own[group + 1] : 1;
      const int32_t divisor = common[group].divisor;
      if (divisor == 0) continue;
      own[group] = divisor >> powerOfTwo(divisor);
      if (!fits(common[group], own[group] << power)) return false;
    }
    return true;
  }

  FactoredWeights factored(int64_t size) const {
    const int64_t groups = ceilDiv(in_blocks_, size);
    FactoredWeights out;
    out.factor_blocks = size;
    out.weights.assign(weights_.begin(), weights_.end());
    out.params.resize(static_cast<size_t>(groups * channels() * batch_));
    for (int64_t channel = 0; channel < channels(); ++channel) {
      const int32_t* const own = &factors_[static_cast<size_t>(channel * groups)];
      const int power = powers_[static_cast<size_t>(channel)];
      for (int64_t in_block = 0; in_block < in_blocks_; ++in_block) {
        const int32_t factor = own[in_block / size] << power;
        forEachWeight(channel, in_block, [&](size_t i) {
          out.weights[i] = static_cast<int8_t>(out.weights[i] / factor);
        });
      }
      for (int64_t group = 0; group < groups; ++group) {
        const auto factor = static_cast<uint32_t>(own[group]);
        const uint32_t quotient = group + 1 < groups
                                      ? factor * inverseOf(static_cast<uint32_t>(own[group + 1]))
                                      : factor << power;
        setParam(out.params, group, channel, static_cast<int32_t>(quotient));
      }
    }
    return out;
  }

  // A parameter is the same for all rows of a batch.
  void setParam(std::vector<int32_t>& params, int64_t group, int64_t channel, int32_t value) const {
    const int64_t block = group * g_.out_channel_blocks + channel / block_out_;
    for (int64_t b = 0; b < batch_; ++b) {
      params[static_cast<size_t>((block * batch_ + b) * block_out_ + channel % block_out_)] = value;
    }
  }

  std::span<const int8_t> weights_;
  const Geometry& g_;
  const WeightRange range_;
  const int64_t batch_, block_in_, block_out_, in_blocks_;
  std::vector<Common> blocks_;    // [channel][input block]
  std::vector<int32_t> factors_;  // [channel][group], odd
  std::vector<int> powers_;       // of two, by channel
};

}  // namespace

bool fitWeights(std::span<const int8_t> weights, const HwConfig& hw) {
  const auto [least, most] = weightRange(hw.params().wgt_width_bits);
  return std::ranges::all_of(weights,
                             [&](int8_t weight) { return weight >= least && weight <= most; });
}

std::optional<FactoredWeights> factorWeights(std::span<const int8_t> weights,
                                             const Geometry& geometry, const HwConfig& hw) {
  return Factoring(weights, geometry, hw).run();
}

}  // namespace vta::kernel
