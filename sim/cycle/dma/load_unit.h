// The load unit: its command queue's head and its read DMA (docs/timing.md, "Load").
#pragma once

#include <cstdint>

#include "sim/cycle/common/context.h"
#include "sim/cycle/dma/read_dma.h"

namespace vta::sim::cycle {

class LoadUnit final : public ReadDmaListener {
 public:
  explicit LoadUnit(Context& context);

  /// The earliest cycle in which the instruction at the head starts.
  uint64_t startFrom() const;
  /// Starts it.
  void start(uint64_t cycle);

  ReadDma& dma() { return dma_; }
  const ReadDma& dma() const { return dma_; }

  /// The first cycle in which nothing is in flight any more, as far as known.
  uint64_t idleFrom() const {
    return dma_.hasUnfinished() ? kNever : stalls_.lastRetire() + (retired_any_ ? 1 : 0);
  }

  /// Adds what is left of the unit's cycles up to `last_cycle`, in which the core stops.
  void finish(uint64_t last_cycle);

  void transferDone(uint32_t number, uint64_t start, uint64_t cycle) override;
  void writes(const WriteRun& /*run*/, bool /*is_acc*/) override {}

 private:
  Context& context_;
  UnitCounters& timing_;
  TransferStalls stalls_;
  ReadDma dma_;
  bool retired_any_ = false;
};

}  // namespace vta::sim::cycle
