// ChainLowering: walks the tiles of a chain's consumer and emits the program of both kernels.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "compiler/kernel/chain/chain.h"
#include "compiler/kernel/emit/alu_steps.h"
#include "compiler/kernel/emit/constant_operands.h"
#include "compiler/kernel/emit/emitter.h"
#include "compiler/kernel/emit/int8_operand.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"
#include "compiler/kernel/tile/epilogue.h"
#include "compiler/kernel/tile/gemm_reduction.h"
#include "compiler/kernel/tile/tile_start.h"

namespace vta::kernel {

/// The emitters of one of the kernels.
struct ChainLink {
  ChainLink(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
            const KernelPlan& plan, Emitter& emit, const KernelRole& role);

  KernelContext context;
  ConstantOperands constants;
  Int8Loader int8;
  AluSteps steps;
  TileStart start;
  GemmReduction gemm;
  Epilogue epilogue;
};

/// A region of the consumer's input: where it goes to in INP, and the rows of the producer's output
/// that it has.
struct ChainRegion {
  Region region;
  bool pad_by_load = false;
  uint32_t inp = 0;
  int64_t first_row = 0, end_row = 0;
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

/// Reduction steps of the consumer are the items of a pipeline. The loads of an item are emitted
/// some items ahead, the producer's GEMMs in front of the consumer's GEMMs of the item before, and
/// the producer's ALU work and the hand-over behind these: so the engines work side by side. Rows
/// that the region before has too are handed over again, not computed again.
class ChainLowering final : public RegionSupplier {
 public:
  /// The arguments must outlive the object. The plans share the scratchpads.
  ChainLowering(const Chain& chain, const ChainSchedule& schedule, const Schedule& producer,
                const HwConfig& hw, const KernelPlan& producer_plan,
                const KernelPlan& consumer_plan);

  /// Emits the whole program. To be called once.
  Program run();

  void supply(const RegionRequest& request) override;

 private:
  int64_t itemsAhead() const;
  void load(int64_t number);
  void compute(ChainItem& item);
  void handOver(ChainItem& item);
  void transfer(const ChainRegion& to, const TileJob& from, int64_t begin, int64_t end);
  Tile producerTile(const RegionRequest& request) const;
  bool continuesLast(const Tile& tile) const;

  Emitter emit_;
  ChainLink producer_;
  ChainLink consumer_;
  TileOrder order_;
  std::deque<ChainItem> items_;  // whose loads are emitted, the oldest first
  int64_t regions_ = 0;          // supplied so far
  std::optional<TileJob> last_;  // the producer's newest job
};

}  // namespace vta::kernel
