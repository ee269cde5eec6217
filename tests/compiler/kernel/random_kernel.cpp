#include "tests/compiler/kernel/random_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "compiler/kernel/desc/depthwise_fold.h"
#include "compiler/kernel/desc/tiling.h"
#include "compiler/kernel/lower.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "isa/config/random_params.h"
#include "isa/spec/accumulator.h"
#include "isa/spec/narrow_weights.h"

namespace vta::kernel::testing {
namespace {

bool chance(Rng& rng, int percent) { return pick(rng, 1, 100) <= percent; }

Geometry randomGeometry(Rng& rng, KernelKind kind) {
  Geometry g;
  g.batch_blocks = pick(rng, 1, 2);
  if (kind == KernelKind::kContraction) {
    const int64_t groups = chance(rng, 40) ? pick(rng, 1, 4) : 1;
    g.groups = groups;
    g.in_channel_blocks = groups * pick(rng, 1, 3);
    g.out_channel_blocks = groups * pick(rng, 1, 3);
  } else {
    g.groups = g.in_channel_blocks = g.out_channel_blocks = pick(rng, 1, 5);
  }
  if (kind == KernelKind::kElementwise) {
    g.in_height = g.out_height = pick(rng, 1, 9);
    g.in_width = g.out_width = pick(rng, 1, 9);
    return g;
  }
  do {
    g.in_height = pick(rng, 1, 11);
    g.in_width = pick(rng, 1, 11);
    g.kernel_height = pick(rng, 1, 4);
    g.kernel_width = pick(rng, 1, 4);
    g.stride_y = pick(rng, 1, 3);
    g.stride_x = pick(rng, 1, 3);
    g.dilation_y = chance(rng, 30) ? pick(rng, 1, 9) : 1;
    g.dilation_x = chance(rng, 30) ? pick(rng, 1, 9) : 1;
    const int64_t max_pad = chance(rng, 10) ? 20 : 3;
    g.pad_top = pick(rng, 0, max_pad);
    g.pad_left = pick(rng, 0, max_pad);
    g.pad_bottom = pick(rng, 0, max_pad);
    g.pad_right = pick(rng, 0, max_pad);
    g.out_height =
        windows(g.in_height, g.pad_top + g.pad_bottom, g.kernel_height, g.stride_y, g.dilation_y);
    g.out_width =
        windows(g.in_width, g.pad_left + g.pad_right, g.kernel_width, g.stride_x, g.dilation_x);
  } while (g.out_height < 1 || g.out_width < 1 || g.out_height * g.out_width > 150);
  return g;
}

/// A product whose second operand another kernel has stored.
void multiplyRows(Rng& rng, KernelDesc& desc, const HwConfig& hw) {
  desc.weight_layout = hw.params().ext_transpose && chance(rng, 60) ? WeightLayout::kInputRows
                                                                    : WeightLayout::kOutputRows;
  Geometry& g = desc.geometry;
  g.kernel_height = g.kernel_width = g.stride_y = g.stride_x = g.dilation_y = g.dilation_x = 1;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 0;
  g.out_height = g.in_height;
  g.out_width = g.in_width;
  if (desc.weight_layout == WeightLayout::kInputRows && chance(rng, 30)) {  // elements of a pixel
    g.kernel_width = g.stride_x = 2;
    g.in_width *= 2;
  }
}

/// Depth to space, repetition or just a crop of the output.
void interleave(Rng& rng, KernelKind kind, Geometry& g) {
  g.interleave_y = pick(rng, 1, 3);
  g.interleave_x = pick(rng, 1, 3);
  const int64_t places = g.interleave_y * g.interleave_x;
  const bool is_lanes = g.groups == g.in_channel_blocks && g.groups == g.out_channel_blocks;
  if (chance(rng, 60)) {
    const bool splits_lanes = is_lanes && (kind != KernelKind::kContraction || chance(rng, 50));
    g.phases = places;
    g.out_channel_blocks *= places;
    if (splits_lanes) g.groups = g.in_channel_blocks = g.out_channel_blocks;
  }
  g.border = static_cast<Border>(pick(rng, 0, 2));
  const auto crop = [&](int64_t extent, int64_t& low, int64_t& high) {
    const int64_t beyond = g.border == Border::kReflect ? std::min<int64_t>(3, extent - 1) : 3;
    const int64_t least = chance(rng, 40) ? -beyond : 0;
    low = pick(rng, least, std::min<int64_t>(3, extent - 1));
    high = pick(rng, least, std::min<int64_t>(3, extent - 1 - low));
  };
  crop(g.out_height * g.interleave_y, g.crop_top, g.crop_bottom);
  crop(g.out_width * g.interleave_x, g.crop_left, g.crop_right);
}

// Windows over the output of `g`; often one that the hardware cannot pool in place, which
// validateKernelDesc refuses.
Pool randomPool(Rng& rng, const Geometry& g) {
  Pool p;
  p.kernel_height = pick(rng, 1, 4);
  p.kernel_width = pick(rng, 1, 4);
  p.stride_y = pick(rng, 1, 4);
  p.stride_x = pick(rng, 1, 4);
  p.pad_top = pick(rng, 0, 2);
  p.pad_left = pick(rng, 0, 2);
  const int64_t below = pick(rng, 0, 2);
  const int64_t right = pick(rng, 0, 2);
  p.out_height = windows(g.out_height, p.pad_top + below, p.kernel_height, p.stride_y, 1);
  p.out_width = windows(g.out_width, p.pad_left + right, p.kernel_width, p.stride_x, 1);
  return p;
}

EpilogueStep randomStep(Rng& rng, const KernelDesc& desc, const HwConfig& hw) {
  EpilogueStep step;
  std::vector<AluOpcode> opcodes = {AluOpcode::kMin, AluOpcode::kMax, AluOpcode::kAdd,
                                    AluOpcode::kShr};
  if (!hw.params().compat_0_0_2) opcodes.push_back(AluOpcode::kMul);
  if (hw.params().ext_clip) opcodes.push_back(AluOpcode::kClip);
  if (hw.params().ext_qmul && desc.num_params > 0) opcodes.push_back(AluOpcode::kQmul);
  step.opcode = opcodes[pick(rng, 0, static_cast<int64_t>(opcodes.size()) - 1)];
  const bool can_use_param = desc.num_params > 0 && step.opcode != AluOpcode::kClip;
  const bool is_self = step.opcode != AluOpcode::kClip && chance(rng, 10);
  if (is_self) {
    step.source = EpilogueStep::Source::kSelf;
  } else if (step.opcode == AluOpcode::kQmul || (can_use_param && chance(rng, 50))) {
    step.source = EpilogueStep::Source::kParam;
    step.param = static_cast<int32_t>(pick(rng, 0, desc.num_params - 1));
  }
  switch (step.opcode) {
    case AluOpcode::kQmul:
      step.imm = static_cast<int32_t>(pick(rng, 0, 62));
      break;
    case AluOpcode::kClip: {
      const int64_t lo = pick(rng, -128, 100);
      const int64_t hi = pick(rng, lo, 127);
      step.imm = static_cast<int32_t>((lo & 0xff) | (hi & 0xff) << 8);
      break;
    }
    case AluOpcode::kShr:
      step.imm = static_cast<int32_t>(pick(rng, -16, 15));
      break;
    default:
      step.imm = static_cast<int32_t>(pick(rng, -32768, 32767));
  }
  return step;
}

std::vector<EpilogueStep> randomSteps(Rng& rng, const KernelDesc& desc, const HwConfig& hw,
                                      int64_t max_steps) {
  std::vector<EpilogueStep> steps(pick(rng, 0, max_steps));
  for (EpilogueStep& step : steps) step = randomStep(rng, desc, hw);
  return steps;
}

/// Puts a REQUANT somewhere into the epilogue; the other steps leave it its parameters.
void addRequant(Rng& rng, KernelDesc& desc) {
  const auto keepOff = [&](std::vector<EpilogueStep>& steps) {
    for (EpilogueStep& step : steps) {
      if (step.source == EpilogueStep::Source::kParam) step.param += 2;
    }
  };
  keepOff(desc.epilogue);
  if (desc.residual) keepOff(desc.residual->steps);
  desc.num_params += 2;
  const int64_t lo = pick(rng, -128, 100);
  const auto imm = byteRangeImmediate({static_cast<int>(lo), static_cast<int>(pick(rng, lo, 127))});
  desc.epilogue.insert(
      desc.epilogue.begin() + pick(rng, 0, static_cast<int64_t>(desc.epilogue.size())),
      {AluOpcode::kRequant, EpilogueStep::Source::kParam, imm, 0});
}

// Whether a kernel's accumulators may begin with the bias.
bool isSum(const KernelDesc& desc) { return desc.kind != KernelKind::kMaxPool && !desc.pool; }

/// Puts a bias before the epilogue and, behind it, a bound that no lane of the bias is below.
void boundByBias(Rng& rng, KernelDesc& desc, const HwConfig& hw) {
  EpilogueStep bound;
  bound.opcode = hw.params().ext_clip && chance(rng, 50) ? AluOpcode::kClip : AluOpcode::kMin;
  const int64_t high =
      bound.opcode == AluOpcode::kClip ? pick(rng, -128, 127) : pick(rng, -32768, 32767);
  bound.imm = static_cast<int32_t>(high);
  if (bound.opcode == AluOpcode::kClip) bound.imm = (-128 & 0xff) | (bound.imm & 0xff) << 8;
  EpilogueStep bias;
  if (desc.num_params > 0 && chance(rng, 80)) {
    bias.source = EpilogueStep::Source::kParam;
    bias.param = static_cast<int32_t>(pick(rng, 0, desc.num_params - 1));
  } else {
    bias.imm = static_cast<int32_t>(pick(rng, high, 32767));
  }
  desc.epilogue.insert(desc.epilogue.begin(), bias);
  desc.epilogue.push_back(bound);
  desc.bias_exceeds_results = true;
  for (int64_t block = 0; block < desc.geometry.out_channel_blocks; ++block) {
    if (chance(rng, 15)) desc.small_bias_blocks.push_back(static_cast<int32_t>(block));
  }
}

/// Makes the promise of `desc` true: lanes of the bias that are below the bound of the results
/// become the bound, or a little more.
void keepBiasPromise(Rng& rng, const KernelDesc& desc, const HwConfig& hw,
                     std::vector<int32_t>& param) {
  const EpilogueStep& bias = desc.epilogue.front();
  const EpilogueStep& bound = desc.epilogue.back();
  if (bias.source != EpilogueStep::Source::kParam) return;
  const int32_t high =
      bound.opcode == AluOpcode::kClip ? static_cast<int8_t>((bound.imm >> 8) & 0xff) : bound.imm;
  const size_t lanes = param.size() / static_cast<size_t>(desc.num_params);
  const size_t per_block = lanes / static_cast<size_t>(desc.geometry.out_channel_blocks);
  for (size_t i = 0; i < lanes; ++i) {
    int32_t& lane = param[static_cast<size_t>(bias.param) * lanes + i];
    const auto block = static_cast<int32_t>(i / per_block);
    if (std::ranges::binary_search(desc.small_bias_blocks, block)) continue;
    lane = wrapAccumulator(lane, hw.params().acc_width_bits);
    if (lane < high) lane = high + static_cast<int32_t>(pick(rng, 0, 1));
  }
}

template <typename T>
std::vector<T> randomVector(Rng& rng, int64_t size) {
  std::vector<T> values(size);
  for (T& value : values) value = static_cast<T>(rng());
  return values;
}

/// Gives the weights factors, which are parameters behind the others.
void addFactors(Rng& rng, KernelDesc& desc) {
  if (desc.kind != KernelKind::kContraction || desc.weight_layout != WeightLayout::kTiles ||
      desc.bias_exceeds_results) {
    return;
  }
  desc.factor_blocks = pick(rng, 1, desc.geometry.inBlocksPerGroup());
  desc.num_params += desc.numFactors();
}

/// Puts a LUT somewhere into the epilogue or into the residual's steps.
void addLookup(Rng& rng, KernelDesc& desc) {
  if (desc.bias_exceeds_results) return;  // results of a table are not bounded by the bias
  desc.table = randomVector<int8_t>(rng, 256);
  std::vector<EpilogueStep>& steps =
      desc.residual && chance(rng, 30) ? desc.residual->steps : desc.epilogue;
  steps.insert(steps.begin() + pick(rng, 0, static_cast<int64_t>(steps.size())),
               {AluOpcode::kLut, EpilogueStep::Source::kImmediate, 0, 0});
}

}  // namespace

int64_t windows(int64_t in, int64_t pads, int64_t kernel, int64_t stride, int64_t dilation) {
  return (in + pads - (kernel - 1) * dilation - 1) / stride + 1;
}

int64_t pick(Rng& rng, int64_t lo, int64_t hi) {
  return std::uniform_int_distribution<int64_t>(lo, hi)(rng);
}

HwConfig randomHw(Rng& rng) {
  const UniformNumber number = [&](int64_t min, int64_t max) { return pick(rng, min, max); };
  for (;;) {
    HwParams p = drawHwParams(number);
    p.batch = 1 << pick(rng, 0, 2);
    p.block_in = 1 << pick(rng, 3, 5);
    p.block_out = chance(rng, 70) ? p.block_in : 1 << pick(rng, 3, 5);
    if (chance(rng, 10)) {  // accumulators above a page
      p.batch = 1 << pick(rng, 4, 6);
      p.block_out = 2048 / p.batch;
    }
    const int size = static_cast<int>(pick(rng, 0, 10));  // of the buffers: tiny to large
    p.compat_0_0_2 = chance(rng, 40);
    // Published hardware has depths of powers of two.
    const auto bytes = [&](int64_t least_log2) {
      const int64_t power = int64_t{1} << pick(rng, least_log2, least_log2 + 2 + size);
      return static_cast<uint64_t>(p.compat_0_0_2 ? power : leaveOutSome(power, number));
    };
    p.uop_buf_bytes = bytes(3);
    p.inp_buf_bytes = bytes(6);
    p.wgt_buf_bytes = bytes(9);
    p.acc_buf_bytes = bytes(8);
    p.token_queue_depth = chance(rng, 20) ? static_cast<int>(pick(rng, 3, 8)) : 512;
    p.command_queue_depth = chance(rng, 20) ? static_cast<int>(pick(rng, 1, 8)) : 512;
    if (p.compat_0_0_2) {
      p.ext_qmul = p.ext_clip = p.ext_pad_min = p.concurrent_compute = false;
    }
    p.ext_depthwise = p.ext_depthwise && !p.compat_0_0_2;
    p.depthwise_taps = std::min(p.depthwise_taps, p.block_in / 2);
    Result<HwConfig> hw = HwConfig::create(p);
    // Fewer elements hold nothing but an accumulator: kernels need room for operands beside it.
    if (hw.ok() && hw->depthElems(MemoryType::kAcc) >= 4 && hw->depthElems(MemoryType::kInp) >= 4) {
      return *hw;
    }
  }
}

namespace {

// Zero and the least value, which LOADs can make, and any other one.
int64_t randomPadValue(Rng& rng, KernelKind kind) {
  if (chance(rng, 50)) return 0;
  return kind == KernelKind::kMaxPool || chance(rng, 50) ? -128 : pick(rng, -127, 127);
}

}  // namespace

KernelDesc randomKernel(Rng& rng, const HwConfig& hw) {
  for (;;) {
    KernelDesc desc;
    desc.name = "random";
    desc.kind =
        chance(rng, 55) ? KernelKind::kContraction : static_cast<KernelKind>(pick(rng, 0, 3));
    desc.geometry = randomGeometry(rng, desc.kind);
    const bool depthwise = desc.kind == KernelKind::kContraction && hw.params().ext_depthwise;
    if (depthwise && chance(rng, 60)) {
      desc.geometry = randomGeometry(rng, KernelKind::kSumPool);
      desc.geometry.dilation_x = 1;
    }
    const bool may_multiply_rows = desc.kind == KernelKind::kContraction &&
                                   hw.params().wgt_width_bits == 8 &&
                                   (hw.params().ext_transpose || hw.blockIn() == hw.blockOut());
    if (may_multiply_rows && chance(rng, 15)) multiplyRows(rng, desc, hw);
    desc.geometry.pad_value = randomPadValue(rng, desc.kind);
    if (chance(rng, 20)) interleave(rng, desc.kind, desc.geometry);
    desc.num_params = pick(rng, 0, 3);
    desc.epilogue = randomSteps(rng, desc, hw, 3);
    if (desc.kind == KernelKind::kContraction && chance(rng, 30)) {
      desc.pool = randomPool(rng, desc.geometry);
    } else if (chance(rng, 35)) {
      desc.residual = Residual{randomSteps(rng, desc, hw, 2)};
      desc.residual_per_image = chance(rng, 25);
      EpilogueStep step;
      step.opcode = chance(rng, 70) ? AluOpcode::kAdd : AluOpcode::kMax;
      if (!hw.params().compat_0_0_2 && chance(rng, 30)) step.opcode = AluOpcode::kMul;
      step.source = EpilogueStep::Source::kResidual;
      for (int64_t uses = chance(rng, 25) ? pick(rng, 2, 3) : 1; uses > 0; --uses) {
        desc.epilogue.insert(
            desc.epilogue.begin() + pick(rng, 0, static_cast<int64_t>(desc.epilogue.size())), step);
      }
    }
    if (isSum(desc) && chance(rng, 40)) {
      boundByBias(rng, desc, hw);
    } else if (hw.params().ext_requant && chance(rng, 50)) {
      addRequant(rng, desc);
    }
    if (hw.params().ext_lut && chance(rng, 40)) addLookup(rng, desc);
    if (const auto folded = foldGeometry(desc, hw); folded && chance(rng, 90)) desc = *folded;
    if (!hw.params().compat_0_0_2 && chance(rng, 25)) addFactors(rng, desc);
    if (!validateKernelDesc(desc, hw).ok()) continue;
    // A window's accumulators, or places for a pair, may be too many for a tiny ACC.
    const bool may_not_fit =
        desc.pool || desc.hasPair() || desc.geometry.folds() || desc.factor_blocks > 0;
    if (!may_not_fit || defaultSchedule(desc, hw).ok()) return desc;
  }
}

Result<Schedule> randomSchedule(Rng& rng, const KernelDesc& desc, const HwConfig& hw) {
  const Geometry& g = desc.geometry;
  for (int attempt = 0; attempt < 50; ++attempt) {
    Schedule s;
    s.tile_height = pick(rng, 1, desc.outHeight());
    s.tile_width = pick(rng, 1, desc.outWidth());
    if (isPointwise(desc) && chance(rng, 50)) {
      s.tile_height = 1;
      s.tile_width = pick(rng, 1, g.out_height * g.out_width);
    }
    s.tile_out_blocks = pick(rng, 1, g.out_channel_blocks);
    s.tile_in_blocks = pick(rng, 1, g.inBlocksPerGroup());
    s.tile_kernel_height = chance(rng, 50) ? 0 : pick(rng, 1, g.kernel_height);
    s.tile_kernel_width = chance(rng, 50) ? 0 : pick(rng, 1, g.kernel_width);
    s.virtual_threads = static_cast<int>(pick(rng, 1, 2));
    s.order = chance(rng, 50) ? Schedule::Order::kWeightsInner : Schedule::Order::kWeightsOuter;
    s.int8_through_gemm = chance(rng, 50);
    s.skip_padding = chance(rng, 50);
    if (checkSchedule(desc, s, hw).ok()) return s;
  }
  return defaultSchedule(desc, hw);
}

Operands randomOperands(Rng& rng, const KernelDesc& desc, const HwConfig& hw) {
  const Geometry& g = desc.geometry;
  const bool contraction = desc.kind == KernelKind::kContraction;
  const int64_t in_lanes = hw.batch() * (contraction ? hw.blockIn() : hw.blockOut());
  const int64_t out_lanes = hw.batch() * hw.blockOut();
  Operands o;
  o.input = randomVector<int8_t>(
      rng, g.batch_blocks * g.in_channel_blocks * g.in_height * g.in_width * in_lanes);
  if (contraction) {
    o.weight = randomVector<int8_t>(rng, g.out_channel_blocks * g.inBlocksPerGroup() *
                                             g.weightElems() * hw.blockIn() * hw.blockOut());
    for (int8_t& weight : o.weight) {
      weight = static_cast<int8_t>(weight >> (8 - hw.params().wgt_width_bits));
    }
  }
  if (desc.residual.has_value()) {
    const int64_t pixels = desc.residual_per_image ? 1 : desc.outHeight() * desc.outWidth();
    o.residual =
        randomVector<int8_t>(rng, g.batch_blocks * g.out_channel_blocks * pixels * out_lanes);
  }
  o.param = randomVector<int32_t>(rng, desc.num_params * g.out_channel_blocks * out_lanes);
  // Small amounts too, so that shifts and clamps leave something to compare.
  for (size_t i = 0; i < o.param.size(); i += 2) o.param[i] %= 12;
  if (desc.bias_exceeds_results) keepBiasPromise(rng, desc, hw, o.param);
  o.table = desc.table;
  o.pad_value = g.pad_value;
  return o;
}

size_t bufferIndex(const Program& program, const std::string& name) {
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].name == name) return i;
  }
  throw std::logic_error("the program has no buffer '" + name + "'");
}

std::vector<std::vector<uint8_t>> makeBuffers(const Program& program, const HwConfig& hw,
                                              const Operands& operands) {
  std::vector<std::vector<uint8_t>> buffers;
  for (const BufferDecl& decl : program.buffers) {
    std::vector<uint8_t> bytes(decl.size_bytes, 0xee);
    const auto fill = [&](const auto& values) {
      const size_t size = values.size() * sizeof(values[0]);
      if (size != bytes.size()) throw std::logic_error("size of buffer '" + decl.name + "'");
      std::memcpy(bytes.data(), values.data(), size);
    };
    if (decl.name == kInputBuffer) fill(operands.input);
    if (decl.name == kWeightBuffer) {
      fill(packWeights(operands.weight, hw.params().wgt_width_bits));
    }
    if (decl.name == kParamBuffer) fill(operands.param);
    if (decl.name == kResidualBuffer) fill(operands.residual);
    if (decl.name == kIdentityBuffer) fill(identityWeights(hw));
    if (decl.name == kPaddingBuffer) fill(paddingElement(operands.pad_value, hw));
    if (decl.name == kTableBuffer) fill(tableWords(operands.table, hw));
    buffers.push_back(std::move(bytes));
  }
  return buffers;
}

std::string describe(const KernelDesc& desc) {
  const Geometry& g = desc.geometry;
  std::string pool;
  if (desc.pool) {
    const Pool& p = *desc.pool;
    pool = fmt::format(" pool={}x{} s={},{} pad={},{} to {}x{}", p.kernel_height, p.kernel_width,
                       p.stride_y, p.stride_x, p.pad_top, p.pad_left, p.out_height, p.out_width);
  }
  return pool + fmt::format(
                    " kind={} n={} c={}->{} groups={} in={}x{} out={}x{} k={}x{} s={},{} d={},{} "
                    "pad={},{},{},{} "
                    "{} params={} factor_blocks={} steps={} residual={}{}{}",
                    static_cast<int>(desc.kind), g.batch_blocks, g.in_channel_blocks,
                    g.out_channel_blocks, g.groups, g.in_height, g.in_width, g.out_height,
                    g.out_width, g.kernel_height, g.kernel_width, g.stride_y, g.stride_x,
                    g.dilation_y, g.dilation_x, g.pad_top, g.pad_left, g.pad_bottom, g.pad_right,
                    g.pad_value, desc.num_params, desc.factor_blocks, desc.epilogue.size(),
                    desc.residual ? 1 : 0, desc.bias_exceeds_results ? " begins with bias" : "",
                    g.folds() ? fmt::format(" folds {} by {}", g.fold_taps, g.fold_pitch) : "");
}

}  // namespace vta::kernel::testing
