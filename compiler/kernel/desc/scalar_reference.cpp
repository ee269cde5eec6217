#include "compiler/kernel/desc/scalar_reference.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "compiler/kernel/desc/stored_axis.h"
#include "isa/spec/accumulator.h"
#include "isa/spec/user_operation.h"

namespace vta::kernel {
namespace {

int32_t signExtend(int32_t value, int bits) {
  const int shift = 32 - bits;
  return static_cast<int32_t>(static_cast<uint32_t>(value) << shift) >> shift;
}

int32_t wrap(int64_t value, int bits = kAccDramBits) {
  return wrapAccumulator(static_cast<int32_t>(static_cast<uint32_t>(value)), bits);
}

int32_t shiftRight(int32_t x, int32_t y) {
  const int32_t amount = signExtend(y, 6);
  if (amount >= 0) return x >> amount;
  if (amount == -32) return 0;
  return static_cast<int32_t>(static_cast<uint32_t>(x) << -amount);
}

int32_t qmul(int32_t x, int32_t y, int32_t shift, const HwParams& params) {
  const int64_t product = static_cast<int64_t>(x) * signExtend(y, params.qmul_multiplier_bits);
  const int64_t half = shift == 0 ? 0 : int64_t{1} << (shift - 1);
  const int64_t rounded = product >= 0 ? (product + half) >> shift : -((-product + half) >> shift);
  const AccumulatorRange range = accumulatorRange(params.acc_width_bits);
  return static_cast<int32_t>(std::clamp<int64_t>(rounded, range.least, range.most));
}

// One output vector position: where the loops of the reference stand.
struct Position {
  int64_t n, oc, y, x;
};

class Reference {
 public:
  Reference(const KernelDesc& desc, const HwConfig& hw, std::span<const int8_t> input,
            std::span<const int8_t> weight, std::span<const int32_t> param,
            std::span<const int8_t> residual)
      : desc_(desc),
        g_(desc.geometry),
        outputs_(desc.outputGeometry()),
        hw_(hw),
        input_(input),
        weight_(weight),
        param_(param),
        residual_(residual),
        batch_(hw.batch()),
        block_out_(hw.blockOut()),
        block_in_(desc.kind == KernelKind::kContraction ? hw.blockIn() : hw.blockOut()) {}

  std::vector<int8_t> run() const {
    std::vector<int8_t> output;
    output.reserve(g_.batch_blocks * g_.storedBlocks() * outputs_.storedHeight() *
                   outputs_.storedWidth() * batch_ * block_out_);
    for (int64_t n = 0; n < g_.batch_blocks; ++n) {
      for (int64_t block = 0; block < g_.storedBlocks(); ++block) {
        for (int64_t y = 0; y < outputs_.storedHeight(); ++y) {
          for (int64_t x = 0; x < outputs_.storedWidth(); ++x) {
            appendVector(storedAt(n, block, y, x), output);
          }
        }
      }
    }
    return output;
  }

 private:
  // As the accumulators of the hardware hold it.
  int32_t wrapSum(int64_t sum) const { return wrap(sum, hw_.params().acc_width_bits); }

  // The output that is stored at a place.
  Position storedAt(int64_t n, int64_t block, int64_t y, int64_t x) const {
    y = storedRows(outputs_).placeAt(y);
    x = storedColumns(outputs_).placeAt(x);
    const int64_t place = y % g_.interleave_y * g_.interleave_x + x % g_.interleave_x;
    const int64_t phase = g_.phases == 1 ? 0 : place;
    return {n, g_.outputBlock(block, phase), y / g_.interleave_y, x / g_.interleave_x};
  }

  void appendVector(const Position& at, std::vector<int8_t>& output) const {
    for (int64_t b = 0; b < batch_; ++b) {
      for (int64_t lane = 0; lane < block_out_; ++lane) {
        const int32_t acc = applySteps(desc_.epilogue, accumulate(at, b, lane), at, b, lane);
        output.push_back(static_cast<int8_t>(static_cast<uint32_t>(acc)));
      }
    }
  }

  // Input lane at a padded position.
  int32_t inputAt(const Position& at, int64_t ky, int64_t kx, int64_t channel_block, int64_t b,
                  int64_t lane) const {
    const int64_t y = at.y * g_.stride_y + ky * g_.dilation_y - g_.pad_top;
    const int64_t x = at.x * g_.stride_x + kx * g_.dilation_x - g_.pad_left;
    if (y < 0 || y >= g_.in_height || x < 0 || x >= g_.in_width) {
      return static_cast<int32_t>(g_.pad_value);
    }
    const int64_t elem =
        ((at.n * g_.in_channel_blocks + channel_block) * g_.in_height + y) * g_.in_width + x;
    return input_[(elem * batch_ + b) * block_in_ + lane];
  }

  int32_t accumulate(const Position& at, int64_t b, int64_t lane) const {
    switch (desc_.kind) {
      case KernelKind::kContraction:
        return desc_.pool ? pool(*desc_.pool, at, b, lane) : contract(at, b, lane);
      case KernelKind::kElementwise:
        return inputAt(at, 0, 0, at.oc, b, lane);
      case KernelKind::kMaxPool:
      case KernelKind::kSumPool:
        break;
    }
    const bool is_max = desc_.kind == KernelKind::kMaxPool;
    int32_t acc = is_max ? -128 : 0;
    for (int64_t ky = 0; ky < g_.kernel_height; ++ky) {
      for (int64_t kx = 0; kx < g_.kernel_width; ++kx) {
        const int32_t value = inputAt(at, ky, kx, at.oc, b, lane);
        acc = is_max ? std::max(acc, value) : wrapSum(int64_t{acc} + value);
      }
    }
    return acc;
  }

  int32_t pool(const Pool& pool, const Position& at, int64_t b, int64_t lane) const {
    int32_t best = std::numeric_limits<int32_t>::min();
    for (int64_t ky = 0; ky < pool.kernel_height; ++ky) {
      for (int64_t kx = 0; kx < pool.kernel_width; ++kx) {
        const int64_t y = at.y * pool.stride_y + ky - pool.pad_top;
        const int64_t x = at.x * pool.stride_x + kx - pool.pad_left;
        if (y < 0 || y >= g_.out_height || x < 0 || x >= g_.out_width) continue;
        best = std::max(best, contract({at.n, at.oc, y, x}, b, lane));
      }
    }
    return best;
  }

  // A depthwise kernel by what its GEMMs read.
  int32_t contractFolded(const Position& at, int64_t b, int64_t lane) const {
    const int64_t half = block_in_ / 2;
    int64_t acc = 0;
    for (int64_t ky = 0; ky < g_.kernel_height; ++ky) {
      for (int64_t column = 0; column < g_.tapGroups(); ++column) {
        const int64_t elem = (at.oc * g_.kernel_height + ky) * g_.tapGroups() + column;
        for (int64_t i = 0; i < block_in_; ++i) {
          if (i % half >= g_.fold_taps) continue;
          const int64_t kx = column * g_.fold_pitch + i % half;
          acc += int64_t{inputAt(at, ky, kx, at.oc, b, lane % block_in_ / 2 * 2 + i / half)} *
                 weight_[(elem * block_out_ + lane) * block_in_ + i];
        }
      }
    }
    return wrapSum(acc);
  }

  // The second operand of a product is a matrix [columns / block][rows][block].
  int32_t contractRows(const Position& at, int64_t b, int64_t lane) const {
    const int64_t ins = g_.inBlocksPerGroup(), outs = g_.outBlocksPerGroup();
    const int64_t group = at.oc / outs;
    const int64_t pixel_block = block_in_ * g_.kernel_width;
    int64_t acc = 0;
    for (int64_t i = 0; i < ins * pixel_block; ++i) {
      const int64_t in_block = group * ins + i / pixel_block;
      const int64_t output = at.oc % outs * block_out_ + lane;
      const int64_t place =
          desc_.weight_layout == WeightLayout::kOutputRows
              ? (in_block * outs * block_out_ + output) * block_in_ + i % block_in_
              : (at.oc * ins * pixel_block + i) * block_out_ + lane;
      const int64_t kx = i % pixel_block / block_in_;
      acc += int64_t{inputAt(at, 0, kx, in_block, b, i % block_in_)} * weight_[place];
    }
    return wrapSum(acc);
  }

  int32_t contract(const Position& at, int64_t b, int64_t lane) const {
    if (g_.folds()) return withFactor(contractFolded(at, b, lane), 0, at, b, lane);
    if (desc_.weight_layout != WeightLayout::kTiles) return contractRows(at, b, lane);
    const int64_t per_group = g_.inBlocksPerGroup();
    const int64_t group = at.oc / g_.outBlocksPerGroup();
    int64_t acc = 0;
    for (int64_t ic = 0; ic < per_group; ++ic) {
      if (ic > 0 && desc_.factor_blocks > 0 && ic % desc_.factor_blocks == 0) {
        acc = withFactor(wrapSum(acc), ic / desc_.factor_blocks - 1, at, b, lane);
      }
      for (int64_t ky = 0; ky < g_.kernel_height; ++ky) {
        for (int64_t kx = 0; kx < g_.kernel_width; ++kx) {
          const int64_t elem =
              ((at.oc * per_group + ic) * g_.kernel_height + ky) * g_.kernel_width + kx;
          for (int64_t i = 0; i < block_in_; ++i) {
            acc += int64_t{inputAt(at, ky, kx, group * per_group + ic, b, i)} *
                   weight_[(elem * block_out_ + lane) * block_in_ + i];
          }
        }
      }
    }
    return withFactor(wrapSum(acc), desc_.numFactors() - 1, at, b, lane);
  }

  // What the accumulators hold by now, times factor `number` if there are factors.
  int32_t withFactor(int32_t acc, int64_t number, const Position& at, int64_t b,
                     int64_t lane) const {
    if (desc_.factor_blocks == 0) return acc;
    return wrapSum(int64_t{acc} * paramAt(desc_.factorParam(number), at, b, lane));
  }

  int32_t paramAt(int32_t param, const Position& at, int64_t b, int64_t lane) const {
    const int64_t elem = param * g_.out_channel_blocks + at.oc;
    return wrapSum(param_[static_cast<size_t>((elem * batch_ + b) * block_out_ + lane)]);
  }

  int32_t applySteps(const std::vector<EpilogueStep>& steps, int32_t acc, const Position& at,
                     int64_t b, int64_t lane) const {
    for (const EpilogueStep& step : steps) {
      if (readsPair(step.opcode)) {
        acc = requant(step, acc, at, b, lane);
        continue;
      }
      if (readsTable(step.opcode)) {
        acc = lookUp(acc);
        continue;
      }
      const bool is_self = step.source == EpilogueStep::Source::kSelf;
      const int32_t operand = is_self ? acc : operandOf(step, at, b, lane);
      acc = applyAlu(step.opcode, acc, operand, step.imm, hw_.params());
    }
    return acc;
  }

  int32_t lookUp(int32_t acc) const { return desc_.table.at(signExtend(acc, 8) + 128); }

  // ADD of the bias, QMUL by what the first lane of the multipliers says, CLIP.
  int32_t requant(const EpilogueStep& step, int32_t acc, const Position& at, int64_t b,
                  int64_t lane) const {
    const int64_t lanes = batch_ * block_out_;
    const int32_t* const pair = &param_[2 * at.oc * lanes];
    const int64_t own = b * block_out_ + lane;
    const HwParams& params = hw_.params();
    acc = applyAlu(AluOpcode::kAdd, acc, pair[lanes + own], 0, params);
    acc = applyAlu(AluOpcode::kQmul, acc, pair[own], requantShiftOf(pair[0], params), params);
    return applyAlu(AluOpcode::kClip, acc, 0, step.imm, params);
  }

  int32_t operandOf(const EpilogueStep& step, const Position& at, int64_t b, int64_t lane) const {
    switch (step.source) {
      case EpilogueStep::Source::kImmediate:
        return step.imm;
      case EpilogueStep::Source::kParam:
        return paramAt(step.param, at, b, lane);
      case EpilogueStep::Source::kResidual:
      case EpilogueStep::Source::kSelf:
        break;
    }
    int64_t elem = at.n * g_.out_channel_blocks + at.oc;
    if (!desc_.residual_per_image) {
      elem = (elem * desc_.outHeight() + at.y) * desc_.outWidth() + at.x;
    }
    return applySteps(desc_.residual->steps, residual_[(elem * batch_ + b) * block_out_ + lane], at,
                      b, lane);
  }

  const KernelDesc& desc_;
  const Geometry& g_;
  const Geometry outputs_;
  const HwConfig& hw_;
  std::span<const int8_t> input_, weight_;
  std::span<const int32_t> param_;
  std::span<const int8_t> residual_;
  int64_t batch_, block_out_, block_in_;
};

}  // namespace

int32_t applyAlu(AluOpcode opcode, int32_t x, int32_t y, int32_t imm, const HwParams& params) {
  const int bits = params.acc_width_bits;
  if (const UserOperation* user = findUserOperation(params, opcode)) {
    return wrap(user->evaluate(x, y, imm), bits);
  }
  switch (opcode) {
    case AluOpcode::kMin:
      return std::min(x, y);
    case AluOpcode::kMax:
      return std::max(x, y);
    case AluOpcode::kAdd:
      return wrap(int64_t{x} + y, bits);
    case AluOpcode::kShr:
      return wrap(shiftRight(x, y), bits);
    case AluOpcode::kMul:
      return wrap(int64_t{x} * y, bits);
    case AluOpcode::kQmul:
      return qmul(x, y, imm, params);
    case AluOpcode::kPrelu:
      return x < 0 ? qmul(x, y, imm, params) : x;
    case AluOpcode::kRequant:
      break;  // two operands: Reference::requant
    case AluOpcode::kTable:
      return x;
    case AluOpcode::kLut:
      break;  // a table: Reference::lookUp
    case AluOpcode::kClip: {
      const auto lo = static_cast<int8_t>(imm & 0xff);
      const auto hi = static_cast<int8_t>((imm >> 8) & 0xff);
      return std::clamp<int32_t>(x, lo, hi);
    }
  }
  assert(false && "unknown ALU opcode");
  return x;
}

std::vector<int8_t> runReference(const KernelDesc& desc, const HwConfig& hw,
                                 std::span<const int8_t> input, std::span<const int8_t> weight,
                                 std::span<const int32_t> param, std::span<const int8_t> residual) {
  return Reference(desc, hw, input, weight, param, residual).run();
}

}  // namespace vta::kernel
