#include "compiler/kernel/desc/bias_folding.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

#include "isa/spec/accumulator.h"

namespace vta::kernel {
namespace {

using Source = EpilogueStep::Source;

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxImmediate = std::numeric_limits<int16_t>::max();
constexpr int64_t kLeastRaise = 256;      // what int8 outputs do not show
constexpr int64_t kLargestRaise = 16384;  // bounds are immediates of 16 bits

// The lanes of one parameter vector.
template <typename T>
std::span<T> lanesOf(std::span<T> param, int32_t index, const KernelDesc& desc) {
  const size_t lanes = param.size() / static_cast<size_t>(desc.num_params);
  return param.subspan(static_cast<size_t>(index) * lanes, lanes);
}

// The largest operand of a step, of all lanes.
int64_t largestOperand(const EpilogueStep& step, const KernelDesc& desc,
                       std::span<const int32_t> param) {
  if (step.source == Source::kImmediate) return step.imm;
  return std::ranges::max(lanesOf(param, step.param, desc));
}

// What no result of the epilogue exceeds, by its minima and maxima alone.
int64_t largestResult(const KernelDesc& desc, std::span<const int32_t> param) {
  int64_t bound = kMaxInt32;
  for (const EpilogueStep& step : desc.epilogue) {
    const bool known = step.hasConstant();
    if (step.opcode == AluOpcode::kClip) {
      bound = static_cast<int8_t>((step.imm >> 8) & 0xff);
    } else if (step.opcode == AluOpcode::kMin && known) {
      bound = std::min(bound, largestOperand(step, desc, param));
    } else if (step.opcode == AluOpcode::kMax && known) {
      bound = std::max(bound, largestOperand(step, desc, param));
    } else if (step.opcode != AluOpcode::kMin) {
      bound = kMaxInt32;
    }
  }
  return bound;
}

bool addsBiasFirst(const KernelDesc& desc) {
  return desc.kind != KernelKind::kMaxPool && !desc.pool && !desc.epilogue.empty() &&
         desc.epilogue.front().opcode == AluOpcode::kAdd && desc.epilogue.front().hasConstant();
}

// Raises the results of one kernel, lane by lane.
class Raiser {
 public:
  Raiser(const KernelDesc& desc, std::span<const int32_t> param, std::vector<int64_t> sums,
         const HwConfig& hw)
      : desc_(desc),
        param_(param),
        sums_(std::move(sums)),
        most_(accumulatorRange(hw.params().acc_width_bits).most) {}

  /// The epilogue and bias whose results are `raise` higher; none where that is impossible.
  struct Raised {
    std::vector<EpilogueStep> epilogue;
    std::vector<int32_t> param;
  };
  std::optional<Raised> raised(int64_t raise) const {
    Raised out{desc_.epilogue, {param_.begin(), param_.end()}};
    for (size_t lane = 0; lane < sums_.size(); ++lane) {
      int64_t at = raise;  // of this lane, before step i
      for (size_t i = desc_.epilogue.size() - 1; i > 0; --i) {
        if (!passes(desc_.epilogue[i], lane, at, out.epilogue[i], lane == 0)) return std::nullopt;
      }
      if (!raiseBias(out, lane, at)) return std::nullopt;
    }
    return out;
  }

 private:
  int64_t operand(const EpilogueStep& step, size_t lane) const {
    if (step.source == Source::kImmediate) return step.imm;
    return lanesOf(param_, step.param, desc_)[lane];
  }

  // From behind a step to before it. Immediate bounds rise too, by the same in every lane.
  bool passes(const EpilogueStep& step, size_t lane, int64_t& at, EpilogueStep& out,
              bool first_lane) const {
    if (step.source == Source::kSelf) return false;
    switch (step.opcode) {
      case AluOpcode::kAdd:
        return true;
      case AluOpcode::kShr: {
        const int64_t amount = operand(step, lane);
        if (step.source == Source::kResidual || amount < 0 || amount > 31) return false;
        at <<= amount;
        return at <= most_;
      }
      case AluOpcode::kMin:
      case AluOpcode::kMax:
        if (step.source != Source::kImmediate || step.imm + at > kMaxImmediate) return false;
        if (first_lane) out.imm = static_cast<int32_t>(step.imm + at);
        return out.imm == step.imm + at;
      default:
        return false;
    }
  }

  bool raiseBias(Raised& out, size_t lane, int64_t at) const {
    EpilogueStep& first = out.epilogue.front();
    const int64_t bias = operand(desc_.epilogue.front(), lane);
    if (overflows(lane, bias) || overflows(lane, bias + at)) return false;
    if (first.source == Source::kImmediate) {
      if (lane == 0) first.imm = static_cast<int32_t>(bias + at);
      return first.imm == bias + at && bias + at <= kMaxImmediate;
    }
    lanesOf(std::span(out.param), first.param, desc_)[lane] = static_cast<int32_t>(bias + at);
    return true;
  }

  // Whether what the steps do to a lane's accumulators may leave the bits that these have.
  bool overflows(size_t lane, int64_t bias) const {
    int64_t largest = sums_[lane] + std::abs(bias);
    if (largest > most_) return true;
    for (size_t i = 1; i < desc_.epilogue.size(); ++i) {
      const EpilogueStep& step = desc_.epilogue[i];
      // What a user's operation does to magnitudes is not known.
      if (step.source == Source::kSelf || findAluOperation(step.opcode) == nullptr) return true;
      const bool residual = step.source == Source::kResidual;
      const int64_t y = residual ? residualBound(lane) : operand(step, lane);
      if (step.opcode == AluOpcode::kShr) {
        largest = (largest >> y) + 1;
      } else if (step.opcode == AluOpcode::kAdd) {
        largest += std::abs(y);
      }
      if (largest > most_) return true;
    }
    return false;
  }

  // The largest magnitude of the residual behind its own steps; beyond them where unknown.
  int64_t residualBound(size_t lane) const {
    const int64_t unknown = most_ + 1;
    int64_t largest = 128;
    for (const EpilogueStep& step : desc_.residual->steps) {
      if (step.source == Source::kSelf) return unknown;
      const int64_t y = operand(step, lane);
      switch (step.opcode) {
        case AluOpcode::kShr:
          if (y < -22 || y > 31) return unknown;
          largest = y < 0 ? largest << -y : (largest >> y) + 1;
          break;
        case AluOpcode::kAdd:
          largest += std::abs(y);
          break;
        case AluOpcode::kMin:
        case AluOpcode::kMax:
          largest = std::max(largest, std::abs(y));
          break;
        case AluOpcode::kClip:
          break;
        default:
          return unknown;
      }
      if (largest > most_) return unknown;
    }
    return largest;
  }

  const KernelDesc& desc_;
  std::span<const int32_t> param_;
  std::vector<int64_t> sums_;
  int64_t most_;  // that an accumulator holds
};

// The largest magnitude of the sums that each lane of a parameter vector meets: int8 inputs.
std::vector<int64_t> sumBounds(const KernelDesc& desc, std::span<const int8_t> weight,
                               const HwConfig& hw) {
  const Geometry& g = desc.geometry;
  const int64_t taps = g.weightElems();
  const int64_t block_out = hw.blockOut(), block_in = hw.blockIn(), batch = hw.batch();
  std::vector<int64_t> bounds(g.out_channel_blocks * batch * block_out, 128 * taps);
  if (desc.kind != KernelKind::kContraction) return bounds;
  for (int64_t block = 0; block < g.out_channel_blocks; ++block) {
    for (int64_t lane = 0; lane < block_out; ++lane) {
      int64_t sum = 0;
      for (int64_t tile = 0; tile < g.inBlocksPerGroup() * taps; ++tile) {
        const int64_t first =
            ((block * g.inBlocksPerGroup() * taps + tile) * block_out + lane) * block_in;
        for (int64_t i = 0; i < block_in; ++i) sum += std::abs(static_cast<int>(weight[first + i]));
      }
      for (int64_t b = 0; b < batch; ++b) {
        bounds[(block * batch + b) * block_out + lane] = 128 * sum;
      }
    }
  }
  return bounds;
}

// Whether other steps use the bias's vector, too.
bool isShared(const KernelDesc& desc) {
  const EpilogueStep& bias = desc.epilogue.front();
  if (bias.source != Source::kParam) return false;
  const auto uses = [&](const EpilogueStep& step) {
    return step.source == Source::kParam && step.param == bias.param;
  };
  if (desc.residual && std::ranges::any_of(desc.residual->steps, uses)) return true;
  return std::ranges::count_if(desc.epilogue, uses) > 1;
}

}  // namespace

void promiseBias(KernelDesc& desc, std::span<const int32_t> param) {
  desc.bias_exceeds_results = false;
  desc.small_bias_blocks.clear();
  if (!addsBiasFirst(desc)) return;
  const EpilogueStep& bias = desc.epilogue.front();
  const int64_t largest = largestResult(desc, param);
  if (bias.source == Source::kImmediate) {
    desc.bias_exceeds_results = bias.imm >= largest;
    return;
  }
  const std::span<const int32_t> lanes = lanesOf(param, bias.param, desc);
  const auto blocks = static_cast<size_t>(desc.geometry.out_channel_blocks);
  const size_t per_block = lanes.size() / blocks;
  for (size_t block = 0; block < blocks; ++block) {
    if (std::ranges::min(lanes.subspan(block * per_block, per_block)) >= largest) continue;
    desc.small_bias_blocks.push_back(static_cast<int32_t>(block));
  }
  desc.bias_exceeds_results = desc.small_bias_blocks.size() < blocks;
  if (!desc.bias_exceeds_results) desc.small_bias_blocks.clear();
}

bool foldBias(KernelDesc& desc, std::vector<int32_t>& param, std::span<const int8_t> weight,
              const HwConfig& hw) {
  const auto holdsEverywhere = [](const KernelDesc& d) {
    return d.bias_exceeds_results && d.small_bias_blocks.empty();
  };
  promiseBias(desc, param);
  if (holdsEverywhere(desc) || !addsBiasFirst(desc) || isShared(desc)) {
    return desc.bias_exceeds_results;
  }
  const Raiser raiser(desc, param, sumBounds(desc, weight, hw), hw);
  KernelDesc best = desc;
  std::vector<int32_t> best_param = param;
  for (int64_t raise = kLeastRaise; raise <= kLargestRaise && !holdsEverywhere(best); raise *= 2) {
    auto raised = raiser.raised(raise);
    if (!raised) break;  // a larger one is no more possible
    KernelDesc candidate = desc;
    candidate.epilogue = std::move(raised->epilogue);
    promiseBias(candidate, raised->param);
    const bool better = !best.bias_exceeds_results ||
                        candidate.small_bias_blocks.size() < best.small_bias_blocks.size();
    if (!candidate.bias_exceeds_results || !better) continue;
    best = std::move(candidate);
    best_param = std::move(raised->param);
  }
  desc = std::move(best);
  param = std::move(best_param);
  return desc.bias_exceeds_results;
}

}  // namespace vta::kernel
