// Epilogue: what happens to the accumulators of a tile after its reduction, up to their store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/kernel/emit/alu_steps.h"
#include "compiler/kernel/emit/int8_operand.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"
#include "compiler/kernel/tile/pool_in_place.h"
#include "compiler/kernel/tile/tile_store.h"

namespace vta::kernel {

/// Pools, applies the steps of the epilogue and stores, by a list of actions that is the same for
/// all tiles. Keeps references to its arguments.
class Epilogue {
 public:
  Epilogue(KernelContext& context, Int8Loader& int8, AluSteps& steps);

  /// How many actions a tile has.
  size_t size() const { return actions_.size(); }
  /// Whether the first action loads the residual, so that it can go ahead of the others.
  bool startsWithLoad() const;

  /// Emits the next actions of a tile, at most `most`. TileJob::next_action counts them.
  void emitNext(TileJob& job, size_t most);
  /// Emits all actions of a tile that are left.
  void emitRest(TileJob& job) { emitNext(job, size()); }

 private:
  // At most one ALU instruction, or a transfer.
  struct Action {
    enum class Kind : uint8_t {
      kPool,
      kLoadResidual,
      kResidualStep,  // all of them come right in front of the first use
      kStep,
      kUseResidual,
      kDefine,
      kStore
    };
    Kind kind = Kind::kStore;
    const EpilogueStep* step = nullptr;
  };

  void planActions();
  void planResidual();
  bool hasOwnTile() const;
  void emit(const TileJob& job, const Action& action);
  void define(const TileJob& job);
  bool isWritten(const TileJob& job) const;
  void useResidual(const EpilogueStep& step, const TileJob& job);
  void useResidualInPieces(const EpilogueStep& step, const TileJob& job);
  ActivationBox residualBox(const TileJob& job) const;
  uint32_t residualOf(const TileJob& job) const;
  TilePart residualPart(const TileJob& job) const;

  KernelContext& context_;
  Int8Loader& int8_;
  AluSteps& steps_;
  TileStore store_;
  std::vector<Action> actions_;
};

}  // namespace vta::kernel
