#include "host_cpu/schedule/winograd.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "host_cpu/schedule/tiles.h"

namespace vta::codegen::blocked {
namespace {

constexpr int64_t kWindow = 3;
// Transformed inputs of a strip: the fewer there are, the nearer they stay, and the fewer threads
// have something to do.
constexpr int64_t kStripBytes = 2 << 20;
constexpr int64_t kEnoughProducts = 12;

/// Points beside 0 and infinity, each with its negative. Fractions of powers of two are exact, and
/// those of four outputs are the ones whose sums round least: 1 and 2, which textbooks have, lose
/// twice as much.
struct Points {
  int64_t outputs;
  std::vector<double> pairs;
};
const std::vector<Points>& tables() {
  static const std::vector<Points> kTables = {{2, {1.0}}, {4, {0.625, 1.5}}};
  return kTables;
}

/// The coefficients of the product of (x - root), from the lowest power on.
std::vector<double> polynomial(const std::vector<double>& roots) {
  std::vector<double> coefficients = {1.0};
  for (const double root : roots) {
    coefficients.insert(coefficients.begin(), 0.0);
    for (size_t i = 0; i + 1 < coefficients.size(); ++i) {
      coefficients[i] -= root * coefficients[i + 1];
    }
  }
  return coefficients;
}

std::vector<double> powers(double base, int64_t count) {
  std::vector<double> values = {1.0};
  while (static_cast<int64_t>(values.size()) < count) values.push_back(values.back() * base);
  return values;
}

/// The algorithm of Toom and Cook, transposed.
WinogradTransform makeTransform(const Points& table) {
  std::vector<double> points = {0.0};
  for (const double pair : table.pairs) points.insert(points.end(), {pair, -pair});
  const size_t count = points.size() + 1;
  assert(static_cast<int64_t>(count) == table.outputs + kWindow - 1);
  WinogradTransform transform;
  transform.output.assign(static_cast<size_t>(table.outputs), std::vector<double>(count, 0.0));
  for (size_t i = 0; i < points.size(); ++i) {
    std::vector<double> others;
    double divisor = 1;
    for (size_t j = 0; j < points.size(); ++j) {
      if (j == i) continue;
      others.push_back(points[j]);
      divisor *= points[i] - points[j];
    }
    transform.input.push_back(polynomial(others));
    transform.input.back().resize(count, 0.0);
    transform.weight.push_back(powers(points[i], kWindow));
    for (double& value : transform.weight.back()) value /= divisor;
    const std::vector<double> column = powers(points[i], table.outputs);
    for (size_t y = 0; y < column.size(); ++y) transform.output[y][i] = column[y];
  }
  transform.input.push_back(polynomial(points));
  transform.weight.push_back({0.0, 0.0, 1.0});
  transform.output.back().back() = 1.0;
  return transform;
}

/// The groups of a strip.
int64_t stripGroups(const ConvSpec& spec, ConvSchedule schedule) {
  schedule.row_tiles = 1;
  const int64_t groups = WinogradShape(spec, schedule).strips;
  int64_t best = 1;
  for (int64_t part = 1; part <= groups; ++part) {
    if (groups % part != 0) continue;
    schedule.row_tiles = part;
    const WinogradShape shape(spec, schedule);
    if (shape.inputElements() * kElementBytes > kStripBytes) break;
    best = part;
    if (shape.groups * shape.out_tiles >= kEnoughProducts) break;
  }
  return best;
}

/// All that is left to choose for a tile of the registers.
void visitGroups(const ConvSpec& spec, ConvSchedule s,
                 const std::function<void(const ConvSchedule&)>& visit) {
  for (const int64_t rows : {1, 2, 4}) {
    s.rows = rows;
    s.row_tiles = 1;
    for (const int64_t row_tiles : powersUpTo(WinogradShape(spec, s).strips)) {
      for (const int64_t channels : {1, 2, 4, 8, 16}) {
        for (const int64_t rows_outer : {0, 1}) {
          s.row_tiles = row_tiles;
          s.unrolled_channels = channels;
          s.rows_outer = rows_outer;
          visit(s);
        }
      }
    }
  }
}

}  // namespace

std::span<const int64_t> winogradTiles() {
  static const std::vector<int64_t> kTiles = [] {
    std::vector<int64_t> tiles;
    for (const Points& table : tables()) tiles.push_back(table.outputs);
    return tiles;
  }();
  return kTiles;
}

const WinogradTransform& winogradTransform(int64_t outputs) {
  static const std::map<int64_t, WinogradTransform> kTransforms = [] {
    std::map<int64_t, WinogradTransform> transforms;
    for (const Points& table : tables()) transforms[table.outputs] = makeTransform(table);
    return transforms;
  }();
  return kTransforms.at(outputs);
}

bool hasWinograd(const ConvSpec& spec) {
  using Extents = std::array<int64_t, 2>;
  return !spec.isInteger() && !spec.depthwise && spec.in.block == kBlock &&
         spec.kernel == Extents{kWindow, kWindow} && spec.strides == Extents{1, 1} &&
         spec.dilations == Extents{1, 1};
}

WinogradShape::WinogradShape(const ConvSpec& spec, const ConvSchedule& schedule)
    : extent(schedule.winograd),
      points(extent + kWindow - 1),
      positions(points * points),
      tile_rows(ceilDiv(spec.out.height, extent)),
      tile_columns(ceilDiv(spec.out.width, extent)),
      tiles(spec.out.batch * tile_rows * tile_columns),
      group_tiles(schedule.rows * schedule.columns),
      groups(schedule.row_tiles),
      strip_tiles(std::min(groups * group_tiles, tiles)),
      strips(ceilDiv(ceilDiv(tiles, group_tiles), groups)),
      out_tiles(spec.out.blocks() / schedule.out_blocks),
      input_vectors((strip_tiles * spec.in.blocks()) | 1),
      product_vectors((group_tiles * schedule.out_blocks) | 1) {}

int64_t packedWeightElements(const ConvSpec& spec, const ConvSchedule& schedule) {
  if (schedule.winograd == 0) return spec.weightElements();
  const int64_t points = schedule.winograd + kWindow - 1;
  return spec.out.blocks() * kBlock * spec.in.blocks() * kBlock * points * points;
}

ConvSchedule defaultWinogradSchedule(const ConvSpec& spec, const CpuTraits& traits,
                                     int64_t outputs) {
  ConvSchedule best;
  best.winograd = outputs;
  best.in_blocks = spec.summedBlocks();
  const int64_t tiles = WinogradShape(spec, best).tiles;
  // Weights of all positions come from the second cache.
  const double weight_half_cycles =
      2.0 * static_cast<double>(traits.vector_bytes) / kSecondCacheBytesPerCycle;
  double best_score = -1;
  for (const int64_t out_blocks : kOutBlocks) {
    if (spec.out.blocks() % out_blocks != 0 || !hasRegistersFor(traits, out_blocks)) continue;
    const int64_t columns = balancedTile(tiles, mostPixels(traits, out_blocks));
    const double computed = static_cast<double>(ceilDiv(tiles, columns) * columns);
    const double score = tileScore(columns, out_blocks, static_cast<double>(tiles) / computed,
                                   weight_half_cycles, traits);
    if (score <= best_score) continue;
    best_score = score;
    best.out_blocks = out_blocks;
    best.columns = columns;
  }
  best.unrolled_channels = 2;
  best.row_tiles = stripGroups(spec, best);
  return best;
}

std::string_view brokenWinogradRule(const ConvSpec& spec, const ConvSchedule& s,
                                    const CpuTraits& traits) {
  if (std::ranges::find(winogradTiles(), s.winograd) == winogradTiles().end()) {
    return "there is no such transform";
  }
  if (!hasWinograd(spec)) return "the layer's window has no transform";
  if (spec.out.blocks() % s.out_blocks != 0) return "tiles do not fill the output's blocks";
  if (s.columns > mostPixels(traits, s.out_blocks)) return "sums exceed the registers";
  if (s.unrolled_window != 1) return "there is no such window to unroll";
  if (spec.blockSteps() % s.unrolled_channels != 0) {
    return "unrolled channels do not divide a block";
  }
  if (s.columns * s.out_blocks * registersPerBlock(traits) * s.unrolled_channels > kMostUnrolled &&
      s.unrolled_channels > 1) {
    return "the loop's body is too large";
  }
  if (s.in_blocks != spec.summedBlocks()) return "a transformed layer has one pass";
  ConvSchedule one_group = s;
  one_group.row_tiles = 1;
  const WinogradShape shape(spec, one_group);
  if (shape.group_tiles > shape.tiles) return "a tile exceeds the image";
  if (shape.strips % s.row_tiles != 0) return "rows do not divide the parallel loop";
  if (s.rows_outer > 1) return "there is no such order";
  return {};
}

void visitWinogradSchedules(const ConvSpec& spec, const CpuTraits& traits,
                            const std::function<void(const ConvSchedule&)>& visit) {
  for (const int64_t outputs : winogradTiles()) {
    ConvSchedule s = {.in_blocks = spec.summedBlocks(), .winograd = outputs};
    const int64_t tiles = WinogradShape(spec, s).tiles;
    for (const int64_t out_blocks : kOutBlocks) {
      if (spec.out.blocks() % out_blocks != 0) continue;
      s.out_blocks = out_blocks;
      for (const int64_t columns : pieces(tiles, mostPixels(traits, out_blocks))) {
        s.columns = columns;
        visitGroups(spec, s, visit);
      }
    }
  }
}

ConvWork countWinogradWork(const ConvSpec& spec, const ConvSchedule& s, const CpuTraits& traits) {
  const WinogradShape shape(spec, s);
  const double registers = static_cast<double>(registersPerBlock(traits));
  const double tiles = static_cast<double>(shape.strips * shape.groups * shape.group_tiles);
  const double channels = static_cast<double>(spec.in.blocks() * kBlock);
  const double positions = static_cast<double>(shape.positions);
  const double out_blocks = static_cast<double>(spec.out.blocks());
  // A transform of n positions takes about 2 n additions and multiplications in each direction.
  const double loads_and_stores = 2 * positions, arithmetic = 2 * 2 * positions;
  const double transform = loads_and_stores + arithmetic;

  ConvWork work;
  work.multiply_adds = tiles * positions * channels * out_blocks * registers;
  work.iterations = work.multiply_adds / registers /
                    static_cast<double>(s.columns * s.out_blocks * s.unrolled_channels);
  const double columns = static_cast<double>(s.columns);
  const double weights = static_cast<double>(s.out_blocks) * registers;
  work.loads = work.multiply_adds * (columns + weights) / (columns * weights);
  work.transforms =
      tiles * transform * registers * (static_cast<double>(spec.in.blocks()) + out_blocks);
  work.weight_bytes = static_cast<double>(packedWeightElements(spec, s) * kElementBytes) *
                      static_cast<double>(shape.strips * shape.groups);
  work.input_bytes =
      tiles * positions * channels * kElementBytes * static_cast<double>(1 + shape.out_tiles);
  work.partial_bytes = 2 * tiles * positions * out_blocks * kBlock * kElementBytes;
  work.parallel = static_cast<double>(shape.groups * shape.out_tiles);
  return work;
}

}  // namespace vta::codegen::blocked
