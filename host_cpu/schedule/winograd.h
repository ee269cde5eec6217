// Convolutions of three by three with fewer multiplications, after Winograd: F(2x2, 3x3) and
// F(4x4, 3x3). A tile of output pixels and the input pixels that it depends on are two polynomials
// in each direction; their product is evaluated at points, where it is one multiplication each.
//
// With n = outputs + 2 positions in each direction, a tile of n x n input pixels d and the window g
// give the tile of outputs y = output (input d input^T * weight g weight^T) output^T, where * goes
// element by element and is a sum over the input channels. So it is a product of matrices for each
// of the n x n positions.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "host_cpu/schedule/conv_schedule.h"

namespace vta::codegen::blocked {

/// The output tiles that there are transforms for, as ConvSchedule::winograd names them.
std::span<const int64_t> winogradTiles();

/// A matrix by rows.
using Matrix = std::vector<std::vector<double>>;

/// The transforms of a tile. Their points are 0, pairs of p and -p, and infinity, in this order.
/// All numbers of `input` and `output` are exact in float.
struct WinogradTransform {
  Matrix input;   // positions x positions
  Matrix weight;  // positions x 3
  Matrix output;  // outputs x positions
};
const WinogradTransform& winogradTransform(int64_t outputs);

/// Whether the layer can be computed so: floats, full blocks of input channels, a window of three
/// by three without strides and dilations.
bool hasWinograd(const ConvSpec& spec);

/// What a schedule with `winograd` > 0 makes of a layer. Tiles are numbered over rows, columns and
/// images. A group of them is multiplied with the same weights while these are in the first cache;
/// a strip of groups has its inputs transformed before any product. The last group of a strip, and
/// the last strip, are moved back to end with the last tile.
struct WinogradShape {
  WinogradShape(const ConvSpec& spec, const ConvSchedule& schedule);

  int64_t extent;                   // outputs of a tile in each direction
  int64_t points;                   // inputs likewise
  int64_t positions;                // points * points
  int64_t tile_rows, tile_columns;  // of an image
  int64_t tiles;                    // of all images
  int64_t group_tiles, groups;      // of a strip: groups
  int64_t strip_tiles, strips;
  int64_t out_tiles;  // pieces of the output's channels
  /// Vectors of kBlock at one position, of a strip's inputs and of a group's products. They are
  /// odd: positions that lie a power of two apart would share few lines of the caches.
  int64_t input_vectors, product_vectors;

  int64_t inputElements() const { return positions * input_vectors * kBlock; }
};

/// Elements of packed weights, with Winograd or without.
int64_t packedWeightElements(const ConvSpec& spec, const ConvSchedule& schedule);

/// The schedule with this output tile that is taken without tuning.
ConvSchedule defaultWinogradSchedule(const ConvSpec& spec, const CpuTraits& traits,
                                     int64_t outputs);
/// The rule that a schedule with `winograd` > 0 breaks, as of brokenRule.
std::string_view brokenWinogradRule(const ConvSpec& spec, const ConvSchedule& schedule,
                                    const CpuTraits& traits);

/// Calls `visit` for schedules with `winograd` > 0, legal or not.
void visitWinogradSchedules(const ConvSpec& spec, const CpuTraits& traits,
                            const std::function<void(const ConvSchedule&)>& visit);

/// As of countConvWork and estimateConvCycles, for schedules with `winograd` > 0.
ConvWork countWinogradWork(const ConvSpec& spec, const ConvSchedule& schedule,
                           const CpuTraits& traits);

}  // namespace vta::codegen::blocked
