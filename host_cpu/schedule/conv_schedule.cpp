#include "host_cpu/schedule/conv_schedule.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "host_cpu/schedule/tiles.h"
#include "host_cpu/schedule/winograd.h"

namespace vta::codegen::blocked {
namespace {

// What every CPU with vectors has at least.
constexpr int64_t kFirstCacheBytes = 24 << 10;  // of 32 KiB; the rest is for inputs and sums
constexpr int64_t kSecondCacheBytes = 384 << 10;
constexpr int64_t kFurtherBytesPerCycle = 8;
constexpr double kMemoryBytesPerCycle = 1.5;

int64_t unrolledPositions(const ConvSpec& spec, const ConvSchedule& schedule) {
  if (schedule.unrolled_window == 3) return spec.windowSteps();
  return schedule.unrolled_window == 2 ? spec.rowSteps() : 1;
}

/// Whether two tiles compute a pixel twice.
bool overlaps(const ConvSpec& spec, const ConvSchedule& schedule) {
  return spec.out.height % schedule.rows != 0 || spec.out.width % schedule.columns != 0;
}

int64_t rowTiles(const ConvSpec& spec, const ConvSchedule& s) {
  return ceilDiv(spec.out.height, s.rows);
}
int64_t columnTiles(const ConvSpec& spec, const ConvSchedule& s) {
  return ceilDiv(spec.out.width, s.columns);
}

/// Calls `visit` for every tile, legal or not, with the schedule's other fields as by default.
void visitTiles(const ConvSpec& spec, const CpuTraits& traits,
                const std::function<void(ConvSchedule)>& visit) {
  for (const int64_t out_blocks : kOutBlocks) {
    if (out_blocks > 1 && spec.depthwise) break;
    for (const int64_t columns : pieces(spec.out.width, mostPixels(traits, 1))) {
      for (const int64_t rows : pieces(spec.out.height, mostPixels(traits, 1))) {
        if (rows * columns > mostPixels(traits, 1)) continue;
        ConvSchedule schedule;
        schedule.out_blocks = out_blocks;
        schedule.rows = rows;
        schedule.columns = columns;
        schedule.in_blocks = spec.summedBlocks();
        visit(schedule);
      }
    }
  }
}

/// Registers that sums stay in.
int64_t sumRegisters(const ConvSchedule& s, const CpuTraits& traits) {
  const int64_t pixels = s.winograd != 0 ? s.columns : s.rows * s.columns;
  return pixels * s.out_blocks * registersPerBlock(traits);
}

/// Half of the registers, or as many as the image has sums.
bool usesRegisters(const ConvSpec& spec, const ConvSchedule& s, const CpuTraits& traits) {
  const int64_t wanted = static_cast<int64_t>(traits.vector_registers) / 4;
  int64_t pixels = spec.out.height * spec.out.width;
  if (s.winograd != 0) pixels = WinogradShape(spec, s).tiles;
  const int64_t available = pixels * s.out_blocks * registersPerBlock(traits);
  return sumRegisters(s, traits) >= std::min(wanted, available);
}

/// How many pixels a default tile may have. Of a depthwise layer of floats sums take half of the
/// registers at most: each multiply-add loads a pixel of its own, and with 28 sums of 32 registers
/// MobileNetV2's layers take twice the time of 14 (measured on Zen 5 with AVX-512).
int64_t mostDefaultPixels(const ConvSpec& spec, const CpuTraits& traits, int64_t out_blocks) {
  const int64_t most = mostPixels(traits, out_blocks);
  if (!spec.depthwise || spec.isInteger()) return most;
  const int64_t half = static_cast<int64_t>(traits.vector_registers) / 2;
  return std::clamp<int64_t>(half / registersPerBlock(traits), 1, most);
}

}  // namespace

std::span<const ConvScheduleField> convScheduleFields() {
  static constexpr ConvScheduleField kFields[] = {
      {"out_blocks", &ConvSchedule::out_blocks},
      {"rows", &ConvSchedule::rows},
      {"columns", &ConvSchedule::columns},
      {"unrolled_channels", &ConvSchedule::unrolled_channels},
      {"unrolled_window", &ConvSchedule::unrolled_window},
      {"in_blocks", &ConvSchedule::in_blocks},
      {"row_tiles", &ConvSchedule::row_tiles},
      {"rows_outer", &ConvSchedule::rows_outer},
      {"winograd", &ConvSchedule::winograd, true},
  };
  return kFields;
}

ConvSchedule directConvSchedule(const ConvSpec& spec, const CpuTraits& traits) {
  ConvSchedule best;
  double best_score = -1;
  for (const int64_t out_blocks : kOutBlocks) {
    if (spec.out.blocks() % out_blocks != 0 || (spec.depthwise && out_blocks > 1)) continue;
    if (!hasRegistersFor(traits, out_blocks)) continue;
    const int64_t limit = mostDefaultPixels(spec, traits, out_blocks);
    ConvSchedule tile;
    tile.out_blocks = out_blocks;
    tile.columns = balancedTile(spec.out.width, limit);
    for (int64_t rows = 1; rows <= spec.out.height; ++rows) {
      if (spec.out.height % rows == 0 && rows * tile.columns <= limit) tile.rows = rows;
    }
    const double tiles = std::ceil(static_cast<double>(spec.out.width) / tile.columns);
    const double useful = static_cast<double>(spec.out.width) / (tiles * tile.columns);
    const double score = tileScore(tile.rows * tile.columns, out_blocks, useful, 1, traits);
    if (score > best_score) {
      best = tile;
      best_score = score;
    }
  }
  best.in_blocks = spec.summedBlocks();
  return best;
}

ConvSchedule defaultConvSchedule(const ConvSpec& spec, const CpuTraits& traits) {
  ConvSchedule best = directConvSchedule(spec, traits);
  if (!hasWinograd(spec)) return best;
  double least = estimateConvCycles(spec, best, traits);
  for (const int64_t outputs : winogradTiles()) {
    const ConvSchedule schedule = defaultWinogradSchedule(spec, traits, outputs);
    const double cycles = estimateConvCycles(spec, schedule, traits);
    if (cycles >= least) continue;
    best = schedule;
    least = cycles;
  }
  return best;
}

std::string_view brokenRule(const ConvSpec& spec, const ConvSchedule& s, const CpuTraits& traits) {
  for (const ConvScheduleField& field : convScheduleFields()) {
    const bool may_be_zero = field.member == &ConvSchedule::rows_outer || field.is_optional;
    if (s.*field.member < (may_be_zero ? 0 : 1)) return "a field is too small";
  }
  if (s.winograd != 0) return brokenWinogradRule(spec, s, traits);
  if (s.rows > spec.out.height || s.columns > spec.out.width) return "a tile exceeds the image";
  if (spec.out.blocks() % s.out_blocks != 0) return "tiles do not fill the output's blocks";
  if (spec.depthwise && (s.out_blocks != 1 || s.in_blocks != 1 || s.unrolled_channels != 1)) {
    return "a depthwise layer has one block";
  }
  if (s.rows * s.columns > mostPixels(traits, s.out_blocks)) return "sums exceed the registers";
  if (!spec.depthwise && spec.blockSteps() % s.unrolled_channels != 0) {
    return "unrolled channels do not divide a block";
  }
  if (s.unrolled_window > 3 ||
      (s.unrolled_window > 1 && spec.kernel == std::array<int64_t, 2>{1, 1})) {
    return "there is no such window to unroll";
  }
  const int64_t body = s.rows * s.columns * s.out_blocks * registersPerBlock(traits) *
                       s.unrolled_channels * unrolledPositions(spec, s);
  const bool is_unrolled = s.unrolled_channels > 1 || s.unrolled_window > 1;
  if (is_unrolled && body > kMostUnrolled) return "the loop's body is too large";
  if (spec.summedBlocks() % s.in_blocks != 0) return "passes do not divide the input's blocks";
  if (spec.isInteger() && s.in_blocks != spec.summedBlocks()) {
    return "an integer layer has one pass";
  }
  if (s.in_blocks < spec.summedBlocks() && overlaps(spec, s)) {
    return "passes would add to a pixel twice";
  }
  if (rowTiles(spec, s) % s.row_tiles != 0) return "rows do not divide the parallel loop";
  if (s.rows_outer > 1) return "there is no such order";
  return {};
}

void visitConvSchedules(const ConvSpec& spec, const CpuTraits& traits,
                        const std::function<void(const ConvSchedule&)>& add,
                        std::map<std::string, int64_t>* rejected) {
  const ConvSchedule own = defaultConvSchedule(spec, traits);
  bool has_own = false;
  const auto judge = [&](const ConvSchedule& schedule) {
    std::string_view rule = brokenRule(spec, schedule, traits);
    // Legal, but not worth a trial.
    if (rule.empty() && schedule != own && !usesRegisters(spec, schedule, traits)) {
      rule = "registers stay idle";
    }
    if (!rule.empty()) {
      if (rejected != nullptr) ++(*rejected)[std::string(rule)];
      return;
    }
    has_own = has_own || schedule == own;
    add(schedule);
  };
  visitTiles(spec, traits, [&](ConvSchedule schedule) {
    // All that fails for its tile alone counts once.
    if (!brokenRule(spec, schedule, traits).empty() || !usesRegisters(spec, schedule, traits)) {
      return judge(schedule);
    }
    for (const int64_t channels : {1, 2, 4, 8, 16}) {
      for (const int64_t window : {1, 2, 3}) {
        for (const int64_t in_blocks : powersUpTo(spec.summedBlocks())) {
          for (const int64_t row_tiles : powersUpTo(rowTiles(spec, schedule))) {
            for (const int64_t rows_outer : {0, 1}) {
              schedule.unrolled_channels = channels;
              schedule.unrolled_window = window;
              schedule.in_blocks = in_blocks;
              schedule.row_tiles = row_tiles;
              schedule.rows_outer = rows_outer;
              judge(schedule);
            }
          }
        }
      }
    }
  });
  if (hasWinograd(spec)) visitWinogradSchedules(spec, traits, judge);
  if (!has_own) add(own);
}

ConvWork countConvWork(const ConvSpec& spec, const ConvSchedule& s, const CpuTraits& traits) {
  if (s.winograd != 0) return countWinogradWork(spec, s, traits);
  const double registers = static_cast<double>(registersPerBlock(traits));
  const double pixels = static_cast<double>(s.rows * s.columns);
  const int64_t window = spec.windowSteps();
  const int64_t out_tiles = spec.out.blocks() / s.out_blocks;
  const int64_t row_tiles = rowTiles(spec, s);
  const double tiles =
      static_cast<double>(spec.out.batch * out_tiles * row_tiles * columnTiles(spec, s));
  const double steps = static_cast<double>(spec.summedBlocks() * window * spec.blockSteps());
  const double weights = static_cast<double>(s.out_blocks) * registers;

  ConvWork work;
  work.multiply_adds = tiles * steps * pixels * weights;
  work.iterations =
      tiles * steps / static_cast<double>(s.unrolled_channels * unrolledPositions(spec, s));
  double inputs = pixels * (spec.depthwise ? registers : 1);
  if (spec.depthwise && !spec.isInteger() && s.unrolled_window > 1 && spec.strides[1] == 1) {
    // Neighbouring positions of the window share pixels.
    inputs *= static_cast<double>(s.columns + spec.kernel[1] - 1) /
              static_cast<double>(s.columns * spec.kernel[1]);
  }
  work.loads = tiles * steps * (inputs + weights);

  const int64_t pass_bytes =
      s.out_blocks * kBlock * kElementBytes * s.in_blocks * window * spec.blockSteps();
  const double all_weights = static_cast<double>(spec.weightElements() * kElementBytes);
  const double visits =
      static_cast<double>(spec.out.batch * row_tiles) /
      static_cast<double>(pass_bytes <= kFirstCacheBytes ? s.row_tiles : 1) *
      (pass_bytes <= kFirstCacheBytes ? 1.0 : static_cast<double>(columnTiles(spec, s)));
  work.weight_bytes = all_weights * visits;
  const double image = static_cast<double>(spec.in.elements() * kElementBytes);
  work.input_bytes = image * static_cast<double>(spec.depthwise ? 1 : out_tiles);
  const int64_t passes = spec.summedBlocks() / s.in_blocks;
  work.partial_bytes = 2.0 * static_cast<double>(spec.out.elements() * kElementBytes) *
                       static_cast<double>(passes - 1);
  const int64_t row_groups = row_tiles / s.row_tiles;
  work.parallel = static_cast<double>(spec.out.batch * out_tiles) * static_cast<double>(row_groups);
  return work;
}

double estimateConvCycles(const ConvSpec& spec, const ConvSchedule& s, const CpuTraits& traits) {
  const ConvWork work = countConvWork(spec, s, traits);
  const double sums = static_cast<double>(sumRegisters(s, traits));
  // A sum can be added to every fourth cycle.
  const double core = std::max({work.multiply_adds, work.loads / 2, work.multiply_adds / sums * 4});
  const int64_t weight_bytes = packedWeightElements(spec, s) * kElementBytes;
  const bool is_near = weight_bytes <= kSecondCacheBytes;
  // What does not stay in a core's own caches from one run to the next comes once from memory.
  const double first_visit = is_near ? 0 : static_cast<double>(weight_bytes) / kMemoryBytesPerCycle;
  const double weights = work.weight_bytes / static_cast<double>(is_near ? kSecondCacheBytesPerCycle
                                                                         : kFurtherBytesPerCycle);
  const double others =
      (work.input_bytes + work.partial_bytes) / static_cast<double>(kSecondCacheBytesPerCycle);
  return core + work.transforms + 0.5 * work.iterations + first_visit + 0.3 * (weights + others);
}

}  // namespace vta::codegen::blocked
