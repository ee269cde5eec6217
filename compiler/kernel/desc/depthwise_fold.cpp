#include "compiler/kernel/desc/depthwise_fold.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/integer_math.h"
#include "compiler/kernel/primitives/transfer.h"
#include "isa/spec/depthwise.h"
#include "isa/spec/parameters.h"

namespace vta::kernel {
namespace {

struct RowFold {
  int64_t taps = 0;
  int64_t pitch = 0;
};

// A row of `columns` taps in the fewest GEMMs of equally many taps, at most `most`, whose first
// taps are equally far apart.
std::optional<RowFold> foldRow(int64_t columns, int64_t most) {
  if (columns < 2) return std::nullopt;
  if (columns <= most) return RowFold{columns, columns};
  for (int64_t gemms = ceilDiv(columns, most); gemms < columns; ++gemms) {
    for (int64_t taps = ceilDiv(columns, gemms); taps <= most; ++taps) {
      const int64_t rest = columns - taps;
      const int64_t pitch = rest / (gemms - 1);
      if (rest % (gemms - 1) == 0 && pitch >= 1 && pitch <= taps) return RowFold{taps, pitch};
    }
  }
  return std::nullopt;
}

// Whether every window of an axis has a row of the input, and the LOAD of any tile can make the
// padding that it lacks.
bool windowsReachInput(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilation,
                       int64_t pad) {
  const int64_t reach = (kernel - 1) * dilation;
  return pad <= reach && (out - 1) * stride - pad <= in - 1 && reach <= Transfer::kMaxPad;
}

// What folding needs of a kernel, but the number of taps.
bool isFoldable(const KernelDesc& desc, const HwConfig& hw) {
  const Geometry& g = desc.geometry;
  return hw.params().ext_depthwise && hw.blockOut() % hw.blockIn() == 0 &&
         desc.kind == KernelKind::kContraction && g.groups == g.in_channel_blocks &&
         (!g.isPadded() || loadedPadding(g.pad_value, hw)) && g.groups == g.out_channel_blocks &&
         g.dilation_x == 1 &&
         windowsReachInput(g.in_height, g.out_height, g.kernel_height, g.stride_y, g.dilation_y,
                           g.pad_top) &&
         windowsReachInput(g.in_width, g.out_width, g.kernel_width, g.stride_x, g.dilation_x,
                           g.pad_left);
}

// The weight of a multiplier among those of one tap, a matrix [bo][bi].
int64_t inMatrix(int64_t oc, int64_t ic, int64_t block_in) { return oc * block_in + ic; }

}  // namespace

std::optional<KernelDesc> foldGeometry(const KernelDesc& desc, const HwConfig& hw) {
  if (desc.geometry.folds() || !isFoldable(desc, hw)) return std::nullopt;
  const auto fold = foldRow(desc.geometry.kernel_width, inpReadElems(hw.params()));
  if (!fold) return std::nullopt;
  KernelDesc folded = desc;
  folded.geometry.fold_taps = fold->taps;
  folded.geometry.fold_pitch = fold->pitch;
  // The first GEMM assigns: no tile begins with its bias.
  folded.bias_exceeds_results = false;
  folded.small_bias_blocks.clear();
  return folded;
}

std::optional<KernelDesc> foldDepthwise(const KernelDesc& desc, std::span<const int8_t> weight,
                                        const HwConfig& hw) {
  auto folded = foldGeometry(desc, hw);
  if (!folded) return std::nullopt;
  const int64_t block_in = hw.blockIn();
  const auto is_of_pair = [&](int64_t at) {
    const int64_t ic = at % block_in;
    const int64_t oc = at / block_in % hw.blockOut();
    return ic / 2 == oc % block_in / 2;
  };
  for (int64_t i = 0; i < std::ssize(weight); ++i) {
    if (weight[static_cast<size_t>(i)] != 0 && !is_of_pair(i)) return std::nullopt;
  }
  return folded;
}

std::vector<int8_t> foldWeights(const KernelDesc& folded, std::span<const int8_t> weight,
                                const HwConfig& hw) {
  const Geometry& g = folded.geometry;
  const int64_t block_in = hw.blockIn();
  const int64_t matrix = hw.blockOut() * block_in;
  const int64_t rows = g.out_channel_blocks * g.kernel_height;
  std::vector<int8_t> out(static_cast<size_t>(rows * g.tapGroups() * matrix), 0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t kx = 0; kx < g.kernel_width; ++kx) {
      const int64_t group = std::min(kx / g.fold_pitch, g.tapGroups() - 1);
      const auto tap = static_cast<uint32_t>(kx - group * g.fold_pitch);
      const int64_t from = (row * g.kernel_width + kx) * matrix;
      const int64_t to = (row * g.tapGroups() + group) * matrix;
      for (int64_t oc = 0; oc < hw.blockOut(); ++oc) {
        const int64_t pair = oc % block_in / 2 * 2;
        for (int64_t ic = pair; ic < pair + 2; ++ic) {
          const int64_t multiplier =
              depthwiseMultiplier(static_cast<uint32_t>(ic), tap, static_cast<uint32_t>(block_in));
          out[static_cast<size_t>(to + inMatrix(oc, multiplier, block_in))] =
              weight[static_cast<size_t>(from + inMatrix(oc, ic, block_in))];
        }
      }
    }
  }
  return out;
}

Status validateFolding(const KernelDesc& desc, const HwConfig& hw) {
  const Geometry& g = desc.geometry;
  if (!g.folds()) return {};
  if (!hw.params().ext_depthwise) {
    return unsupported(fmt::format("fold_taps needs extension {}, which '{}' lacks",
                                   extensionName(&HwParams::ext_depthwise), hw.name()));
  }
  if (!isFoldable(desc, hw)) {
    return invalidArgument(
        "fold_taps is for contractions with one block a group, without a dilation of columns, "
        "whose "
        "padding a LOAD can make, with outputs' blocks that are multiples of the inputs'");
  }
  const int64_t most = inpReadElems(hw.params());
  const bool covers = g.fold_taps <= std::min(most, g.kernel_width) &&
                      g.fold_pitch <= g.fold_taps &&
                      (g.kernel_width - g.fold_taps) % g.fold_pitch == 0;
  if (covers) return {};
  return invalidArgument(fmt::format(
      "fold_taps is {} with fold_pitch {}; {} columns in GEMMs of at most {} taps are not covered",
      g.fold_taps, g.fold_pitch, g.kernel_width, most));
}

}  // namespace vta::kernel
