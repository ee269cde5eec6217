#include "explore/tune/dataset/random_task.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "compiler/kernel/desc/depthwise_fold.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "isa/config/random_params.h"
#include "isa/spec/alu_operations.h"

namespace vta::tune {
namespace {

using kernel::EpilogueStep;
using kernel::Geometry;
using kernel::KernelDesc;
using kernel::KernelKind;
using sim::Rng;
using Source = EpilogueStep::Source;

constexpr uint32_t kDefaultHardwareIn = 4;    // one group in so many is on the default accelerator
constexpr int64_t kMostOperations = 250'000;  // of GEMM or ALU for one kernel
constexpr int kMemoriesOfGroup = 4;

int64_t pick(Rng& rng, int64_t min, int64_t max) {
  return rng.pick(static_cast<uint32_t>(min), static_cast<uint32_t>(max));
}

/// Each octave is as likely as any other. Whole numbers only, so that all machines agree.
int64_t pickLog(Rng& rng, int64_t min, int64_t max) {
  const auto octave = [](int64_t value) {
    return static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(value))) - 1;
  };
  const int64_t drawn = pick(rng, octave(min), octave(max));
  return pick(rng, std::max(min, int64_t{1} << drawn), std::min(max, (int64_t{2} << drawn) - 1));
}

template <typename T, size_t n>
const T& oneOf(Rng& rng, const T (&values)[n]) {
  return values[rng.pick(0, n - 1)];
}

HwConfig drawHardware(Rng& rng) {
  if (rng.oneIn(kDefaultHardwareIn)) return HwConfig::makeDefault();
  for (;;) {
    const HwParams params =
        drawHwParams([&rng](int64_t min, int64_t max) { return pick(rng, min, max); },
                     [&rng](HwParams& drawn, const UniformNumber&) {
                       drawn.batch = rng.oneIn(4) ? 2 : 1;
                       drawn.block_in = 1 << pick(rng, 3, 5);
                       drawn.block_out = rng.oneIn(3) ? 1 << pick(rng, 3, 5) : drawn.block_in;
                     });
    const Result<HwConfig> hw = HwConfig::create(params);
    if (hw.ok()) return *hw;
  }
}

sim::MemoryConfig drawMemory(Rng& rng) {
  sim::MemoryConfig memory;
  if (rng.oneIn(4)) return memory;
  if (rng.oneIn(3)) {
    const std::vector<std::string> names = sim::builtinMemoryNames();
    const auto found =
        sim::resolveMemoryConfig(names[rng.pick(0, static_cast<uint32_t>(names.size()) - 1)]);
    return found.ok() ? *found : memory;
  }
  static constexpr std::pair<uint32_t, uint32_t> kBeats[] = {{1, 1}, {1, 1}, {3, 4},
                                                             {2, 3}, {1, 2}, {1, 4}};
  memory.name = "random";
  memory.simple.latency_cycles = static_cast<int>(pickLog(rng, 4, 400));
  std::tie(memory.simple.beats_numerator, memory.simple.beats_denominator) = oneOf(rng, kBeats);
  memory.outstanding = static_cast<int>(pickLog(rng, 1, 32));
  return memory;
}

int64_t blocks(int64_t channels, int64_t block) { return (channels + block - 1) / block; }

/// Square windows with the padding that keeps the size, or none.
void drawWindow(Rng& rng, Geometry& g, std::span<const int64_t> kernels) {
  const int64_t kernel = kernels[rng.pick(0, static_cast<uint32_t>(kernels.size()) - 1)];
  const int64_t stride = rng.oneIn(4) ? 2 : 1;
  const int64_t pad = rng.oneIn(6) ? 0 : (kernel - 1) / 2;
  g.in_height = pickLog(rng, 4, 112);
  g.in_width = rng.oneIn(5) ? pickLog(rng, 4, 112) : g.in_height;
  g.kernel_height = std::min(kernel, g.in_height);
  g.kernel_width = std::min(kernel, g.in_width);
  g.stride_y = g.stride_x = stride;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = pad;
  g.out_height = (g.in_height + 2 * pad - g.kernel_height) / stride + 1;
  g.out_width = (g.in_width + 2 * pad - g.kernel_width) / stride + 1;
}

Geometry drawConvolution(Rng& rng, const HwParams& hw) {
  static constexpr int64_t kKernels[] = {1, 1, 3, 3, 3, 5, 7};
  Geometry g;
  g.in_channel_blocks = blocks(pickLog(rng, 8, 512), hw.block_in);
  g.out_channel_blocks = blocks(pickLog(rng, 8, 512), hw.block_out);
  if (rng.oneIn(6)) {  // dense layers and matrix products
    g.in_width = g.out_width = pickLog(rng, 1, 256);
    return g;
  }
  drawWindow(rng, g, kKernels);
  return g;
}

/// One block of channels in each group.
Geometry drawByChannel(Rng& rng, const HwParams& hw, std::span<const int64_t> kernels) {
  Geometry g;
  g.groups = blocks(pickLog(rng, 8, 512), hw.block_out);
  g.in_channel_blocks = g.out_channel_blocks = g.groups;
  drawWindow(rng, g, kernels);
  return g;
}

/// From sums to int8, as the compiler does it with what the hardware has.
void addRequantisation(KernelDesc& desc, const HwParams& hw, bool has_residual) {
  const ByteRange range = {-128, 127};
  auto& steps = desc.epilogue;
  if (hw.ext_requant && !has_residual) {
    desc.num_params = 2;
    steps.push_back({AluOpcode::kRequant, Source::kParam, byteRangeImmediate(range), 0});
    return;
  }
  desc.num_params = hw.ext_qmul ? 2 : 1;
  steps.push_back({AluOpcode::kAdd, Source::kParam, 0, 0});
  if (hw.ext_qmul) {
    steps.push_back({AluOpcode::kQmul, Source::kParam, 20, 1});
  } else {
    steps.push_back({AluOpcode::kShr, Source::kImmediate, 7, 0});
  }
  if (has_residual) steps.push_back({AluOpcode::kAdd, Source::kResidual, 0, 0});
  if (hw.ext_clip) {
    steps.push_back({AluOpcode::kClip, Source::kImmediate, byteRangeImmediate(range), 0});
  } else {
    steps.push_back({AluOpcode::kMax, Source::kImmediate, range.low, 0});
    steps.push_back({AluOpcode::kMin, Source::kImmediate, range.high, 0});
  }
}

KernelDesc drawKernel(Rng& rng, const HwConfig& config) {
  static constexpr int64_t kDepthwise[] = {3, 3, 5};
  static constexpr int64_t kPooling[] = {2, 3};
  static constexpr int64_t kNoWindow[] = {1};
  const HwParams& hw = config.params();
  KernelDesc desc;
  desc.name = "random";
  const uint32_t kind = rng.pick(1, 100);
  if (kind <= 65) {
    desc.geometry = drawConvolution(rng, hw);
  } else if (kind <= 82) {
    desc.geometry = drawByChannel(rng, hw, kDepthwise);
  } else if (kind <= 92) {
    desc.kind = rng.oneIn(2) ? KernelKind::kMaxPool : KernelKind::kSumPool;
    desc.geometry = drawByChannel(rng, hw, kPooling);
    if (desc.kind == KernelKind::kMaxPool && hw.ext_pad_min) desc.geometry.pad_value = -128;
  } else {
    desc.kind = KernelKind::kElementwise;
    desc.geometry = drawByChannel(rng, hw, kNoWindow);
    desc.geometry.stride_y = desc.geometry.stride_x = 1;
    desc.geometry.out_height = desc.geometry.in_height;
    desc.geometry.out_width = desc.geometry.in_width;
  }
  desc.geometry.batch_blocks = rng.oneIn(8) ? 2 : 1;
  if (desc.kind == KernelKind::kMaxPool) return desc;
  const bool has_residual = desc.kind == KernelKind::kElementwise ||
                            (desc.kind == KernelKind::kContraction && rng.oneIn(6));
  if (has_residual) desc.residual.emplace();
  addRequantisation(desc, hw, has_residual);
  if (const auto folded = kernel::foldGeometry(desc, config)) return *folded;
  return desc;
}

int64_t operationsOf(const KernelDesc& desc) {
  const Geometry& g = desc.geometry;
  const int64_t per_output = g.kernel_height * g.kernel_width *
                             (desc.kind == KernelKind::kContraction ? g.inBlocksPerGroup() : 1);
  return g.batch_blocks * g.out_channel_blocks * g.out_height * g.out_width * per_output;
}

}  // namespace

TaskGroup drawTaskGroup(Rng& rng) {
  for (;;) {
    HwConfig hw = drawHardware(rng);
    KernelDesc desc = drawKernel(rng, hw);
    if (operationsOf(desc) > kMostOperations) continue;
    if (!validateKernelDesc(desc, hw).ok() || !checkRunnable(desc, hw).ok()) continue;
    TaskGroup group{std::move(desc), std::move(hw), {}};
    for (int i = 0; i < kMemoriesOfGroup; ++i) {
      sim::MemoryConfig memory = drawMemory(rng);
      const bool is_new = std::ranges::find(group.memories, memory) == group.memories.end();
      if (is_new) group.memories.push_back(std::move(memory));
    }
    return group;
  }
}

}  // namespace vta::tune
