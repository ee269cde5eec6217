// ChainLowering: walks the tiles of a chain's consumer and emits the program of both kernels.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "compiler/kernel/chain/chain.h"
#include "compiler/kernel/emit/emitter.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"
#include "compiler/kernel/tile/kernel_emitters.h"
#include "compiler/kernel/tile/region_source.h"

namespace vta::kernel {

/// A region of the consumer's input, and what makes it.
struct ChainRegion {
  RegionSource to;
  TileJob job;                       // what is computed for it
  std::optional<TileJob> continued;  // the job whose last rows it begins with
  std::vector<LoadedStep> steps;     // of the job
};

/// A reduction step of the consumer, whose loads are emitted.
struct ChainItem {
  TileJob job;
  LoadedStep loaded;
  std::optional<ChainRegion> supply;  // none where INP has the region already
};

/// Reduction steps of the consumer are the items of a pipeline. The producer's GEMMs of an item are
/// emitted in front of the consumer's GEMMs of the item before, and the producer's ALU work and the
/// hand-over behind these: so the engines work side by side. The loads of an item come in front of
/// the hand-over of the item before, because they would wait behind it. Rows
/// that the region before has too are handed over again, not computed again.
class ChainLowering final : public RegionSupplier {
 public:
  /// The arguments must outlive the object. The plans share the scratchpads.
  ChainLowering(const Chain& chain, const ChainSchedule& schedule, const Schedule& producer,
                const HwConfig& hw, const KernelPlan& producer_plan,
                const KernelPlan& consumer_plan);

  /// Emits the whole program. To be called once.
  Program run();

  void supply(const Tile& tile, const Step& step, const RegionSource& source) override;

 private:
  void load(int64_t number);
  void loadStep(ChainRegion& supply, int64_t id);
  void compute(ChainItem& item);
  void handover(ChainItem& item);
  void transfer(const TileJob& from, int64_t begin, int64_t end, const RegionSource& to);
  Tile producerTile(const Tile& tile, const Step& step, const Region& region) const;
  bool continuesLast(const Tile& tile) const;

  Emitter emit_;
  KernelContext producer_context_;
  KernelContext consumer_context_;
  KernelEmitters producer_;
  KernelEmitters consumer_;
  TileOrder order_;
  std::deque<ChainItem> items_;  // whose loads are emitted, the oldest first
  int64_t regions_ = 0;          // supplied so far
  std::optional<TileJob> last_;  // the producer's newest job
};

}  // namespace vta::kernel
