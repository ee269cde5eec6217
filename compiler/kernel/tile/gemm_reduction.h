// GemmReduction: the accumulators of a tile by GEMM, over input channels and taps.
#pragma once

#include <cstdint>

#include "compiler/kernel/desc/tiling.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"
#include "compiler/kernel/primitives/slot_cache.h"
#include "compiler/kernel/tile/accumulator_factors.h"
#include "compiler/kernel/tile/region_source.h"

namespace vta::kernel {

/// A reduction step whose weights and inputs are in the scratchpads, or on their way.
struct LoadedStep {
  Step step;
  uint32_t weights = 0;
  RegionSource source;
};

/// Emits reduction steps and the loads of their weights and inputs. Contents that are in a slot
/// already are not loaded again. Keeps references to its arguments.
class GemmReduction {
 public:
  GemmReduction(KernelContext& context, AccumulatorFactors& factors);

  /// One step of the reduction of a tile whose accumulators hold a value. Sets
  /// TileJob::reads_padding.
  void emitStep(TileJob& job, const Step& step) { reduce(job, load(job, step)); }
  /// The two halves of that.
  LoadedStep load(const TileJob& job, const Step& step);
  void reduce(TileJob& job, const LoadedStep& loaded);

 private:
  void loadRegion(const Tile& tile, const Step& step, RegionSource& source);
  uint32_t loadWeights(const Tile& tile, const Step& step);
  bool padsByLoad(const Region& region) const;
  bool padsByGemm() const;
  bool addsNothing(const Region& region) const;
  void multiply(TileJob& job, const LoadedStep& loaded, const BlockRange& blocks);
  void emitGrid(const Tile& tile, const LoadedStep& loaded, const BlockRange& blocks,
                const AccGrid& grid);
  void emitBorder(const Tile& tile, const LoadedStep& loaded, const BlockRange& blocks,
                  const AccGrid& grid);
  void emitTaps(const Tile& tile, const LoadedStep& loaded, const BlockRange& blocks,
                const TapRun& ky, const TapRun& kx, const AccGrid& grid);
  void emitFolded(const Nest& pixels, const Step& step, uint32_t pitch);
  void emitPadding(const Tile& tile, const LoadedStep& loaded, const BlockRange& blocks,
                   const TapRun& ky, const TapRun& kx, const Rect& rect, const AccGrid& grid);
  void finishStep(size_t first, const TileJob& job, const Tile& tile, const LoadedStep& loaded);

  KernelContext& context_;
  AccumulatorFactors& factors_;
  const KernelPlan& plan_;
  const Geometry& g_;
  Emitter& emit_;
  SlotCache inp_, wgt_;
};

}  // namespace vta::kernel
