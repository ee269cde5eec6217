// The load unit: its command queue's head and its read DMAs (docs/timing.md, "Load").
#pragma once

#include <cstdint>
#include <deque>

#include "isa/spec/memory_ports.h"
#include "sim/cycle/common/context.h"
#include "sim/cycle/dma/read_dma.h"

namespace vta::sim::cycle {

/// Starts instructions in order and has several in flight; they retire in order.
class LoadUnit final : public ReadDmaListener {
 public:
  /// The unit keeps the reference.
  explicit LoadUnit(Context& context);

  /// The earliest cycle in which the instruction at the head starts.
  uint64_t startFrom() const;
  /// Starts it.
  void start(uint64_t cycle);

  /// The DMA that reads through a memory port; null where there is none.
  ReadDma* dmaOfPort(int port);
  /// The same to look at.
  const ReadDma* dmaOfPort(int port) const;

  /// The first cycle in which nothing is in flight any more, as far as known.
  uint64_t idleFrom() const {
    return in_flight_.empty() ? stalls_.lastRetire() + (retired_any_ ? 1 : 0) : kNever;
  }

  /// Adds what is left of the unit's cycles up to `last_cycle`, in which the core stops.
  void finish(uint64_t last_cycle);

  void transferDone(uint32_t number, uint64_t cycle) override;
  void writes(const WriteRun& /*run*/, bool /*is_acc*/) override {}

 private:
  /// A transfer that has started and whose retirement is not known.
  struct InFlight {
    uint32_t number = 0;
    uint64_t start = 0;
    uint64_t end = kNever;
  };

  size_t dmaOf(uint32_t number) const;
  void retireReady();
  uint64_t busyCycles() const;

  Context& context_;
  UnitCounters& timing_;
  TransferStalls stalls_;
  MemoryPorts ports_;
  std::deque<ReadDma> dmas_;  // one, or one for INP and one for WGT
  std::deque<InFlight> in_flight_;
  bool retired_any_ = false;
};

}  // namespace vta::sim::cycle
