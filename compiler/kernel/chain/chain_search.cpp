#include "compiler/kernel/chain/chain_search.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "base/integer_math.h"
#include "compiler/kernel/schedule/floor/schedule_floor.h"

namespace vta::kernel {
namespace {

constexpr int kDrawsForEachTrial = 40;  // most schedules do not fit
/// Half of the trials are enough where they have taken so long. Choice: a tenth of a second.
constexpr uint64_t kEnoughCycles = 8'000'000;

/// Draws schedules of one chain.
class ScheduleDraw {
 public:
  explicit ScheduleDraw(const Chain& chain)
      : producer_(chain.producer.geometry),
        g_(chain.consumer.geometry),
        may_be_one_row_(isPointwise(chain.producer) && isPointwise(chain.consumer)),
        has_residual_(chain.consumer.residual.has_value()) {}

  ChainSchedule draw() {
    ChainSchedule s;
    for (const auto decide : kDecisions) (this->*decide)(s);
    return s;
  }

  /// `of` with one decision drawn again.
  ChainSchedule neighbour(ChainSchedule of) {
    (this->*kDecisions[pick(kDecisions.size())])(of);
    return of;
  }

 private:
  using Decide = void (ScheduleDraw::*)(ChainSchedule&);

  size_t pick(size_t count) { return rng_() % count; }

  /// One of the sizes that cut `extent` into 1, 2, 3, ... parts.
  int64_t pickPart(int64_t extent) {
    std::vector<int64_t> sizes;
    for (int64_t parts = 1; parts <= extent; ++parts) sizes.push_back(ceilDiv(extent, parts));
    sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
    return sizes[pick(sizes.size())];
  }

  // Tiles of pointwise kernels may be pixels of the whole image. Wide tiles share fewer columns.
  void pixels(ChainSchedule& s) {
    const bool is_one_row = may_be_one_row_ && pick(2) == 0;
    s.consumer.tile_height = is_one_row ? 1 : pickPart(g_.out_height);
    s.consumer.tile_width =
        is_one_row ? pickPart(g_.out_height * g_.out_width)
                   : ceilDiv(g_.out_width, std::array<int64_t, 4>{1, 1, 2, 4}[pick(4)]);
  }
  void outBlocks(ChainSchedule& s) { s.consumer.tile_out_blocks = pickPart(g_.out_channel_blocks); }
  void inBlocks(ChainSchedule& s) { s.consumer.tile_in_blocks = pickPart(g_.inBlocksPerGroup()); }
  void order(ChainSchedule& s) {
    s.consumer.order =
        pick(2) == 0 ? Schedule::Order::kWeightsInner : Schedule::Order::kWeightsOuter;
  }
  void producerInBlocks(ChainSchedule& s) {
    s.producer_in_blocks = pickPart(producer_.inBlocksPerGroup());
  }
  void residual(ChainSchedule& s) { s.consumer.int8_through_gemm = has_residual_ && pick(2) == 0; }
  int share() { return 1 + static_cast<int>(pick(kShareParts - 1)); }
  void inpShare(ChainSchedule& s) { s.shares.inp = share(); }
  void wgtShare(ChainSchedule& s) { s.shares.wgt = share(); }
  void accShare(ChainSchedule& s) { s.shares.acc = share(); }

  static constexpr std::array<Decide, 9> kDecisions = {
      &ScheduleDraw::pixels,   &ScheduleDraw::residual, &ScheduleDraw::outBlocks,
      &ScheduleDraw::inBlocks, &ScheduleDraw::order,    &ScheduleDraw::producerInBlocks,
      &ScheduleDraw::inpShare, &ScheduleDraw::wgtShare, &ScheduleDraw::accShare};

  const Geometry& producer_;
  const Geometry& g_;
  const bool may_be_one_row_;
  const bool has_residual_;
  std::mt19937 rng_{1};
};

}  // namespace

Result<std::optional<FoundChain>> searchChain(const Chain& chain, const HwConfig& hw,
                                              const ScheduleHints& hints, uint64_t limit_cycles,
                                              int trials) {
  ScheduleDraw schedules(chain);
  std::optional<FoundChain> best;
  int measured = 0;
  uint64_t measured_cycles = 0;
  const auto is_over = [&] {
    return measured >= trials || (measured >= trials / 2 && measured_cycles >= kEnoughCycles);
  };
  for (int draw = 0; draw < kDrawsForEachTrial * trials && !is_over(); ++draw) {
    const bool is_near = best && measured > trials / 3;
    const ChainSchedule tried = is_near ? schedules.neighbour(best->schedule) : schedules.draw();
    const Result<Program> program = lowerChain(chain, tried, hw);
    if (!program.ok()) continue;
    const uint64_t limit = best ? best->cycles : limit_cycles;
    if (leastCycles(*program, hw, hints.memory) >= limit) continue;
    VTA_ASSIGN_OR_RETURN(const auto taken, hints.measure(*program, limit - 1));
    ++measured;
    measured_cycles += taken.value_or(limit);
    if (taken) best = FoundChain{tried, *taken};
  }
  return best;
}

}  // namespace vta::kernel
