// The read DMA of the load and of the compute unit (docs/timing.md, "Read DMA", "Read return").
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "isa/instruction/instruction.h"
#include "isa/spec/timing.h"
#include "sim/cycle/common/bursts.h"
#include "sim/cycle/common/context.h"
#include "sim/memory/memory_model.h"

namespace vta::sim::cycle {

/// Operations that write a scratchpad, one a cycle: in cycle + i one on element + i (and, where an
/// operation writes several elements, those behind it).
struct WriteRun {
  uint64_t cycle = 0;    ///< of the first operation
  uint32_t element = 0;  ///< of the scratchpad, that the first operation writes
  uint32_t count = 0;    ///< operations
};

/// What a read DMA tells its unit.
class ReadDmaListener {
 public:
  virtual ~ReadDmaListener() = default;
  /// The transfer of instruction `number` ends in `cycle`; called as soon as that is known, in the
  /// order of the transfers. As soon as it is known when the transfer retires, the listener tells
  /// the DMA (ReadDma::retire).
  virtual void transferDone(uint32_t number, uint64_t cycle) = 0;
  /// A scratchpad is written; called in the order of time.
  virtual void writes(const WriteRun& run, bool is_acc) = 0;
};

/// Nothing that happens after the acceptance of a burst can delay its data. So the DMA works out
/// everything up to the scratchpad writes at once when the memory accepts the burst.
class ReadDma {
 public:
  /// `timing` are the counters of its unit; all three outlive the DMA.
  ReadDma(Context& context, UnitCounters& timing, ReadDmaListener& listener);

  /// The earliest cycle in which the next transfer can start, as far as the DMA is concerned.
  uint64_t startFrom() const;

  /// Starts a transfer in `cycle`, not before startFrom(). The scratchpad's bounds are kept.
  void start(uint32_t number, const MemInsn& mem, uint64_t cycle);

  /// The earliest cycle in which it requests a burst of the arbiter.
  uint64_t requestFrom() const;

  /// The request is granted in `cycle`.
  Burst grant(uint64_t cycle);

  /// The memory has accepted the oldest burst that was granted and not accepted; it answers beat
  /// `bad_beat` with an error.
  void accept(const Burst& burst, const BeatSchedule& schedule, uint32_t bad_beat);

  /// The oldest transfer that has not retired does so in `cycle`: that of its end, or later.
  void retire(uint64_t cycle) { retire_cycles_[retired_++ % timing::kDmaInFlight] = cycle; }

  /// Operations so far, as far as they count.
  uint64_t operations() const { return operations_; }
  /// From now on keeps when operations are, for runs().
  void keepRuns() { keeps_runs_ = true; }
  /// Operations in consecutive cycles, in the order of time.
  struct OperationRun {
    uint64_t cycle = 0;  ///< of the first operation
    uint64_t count = 0;  ///< operations, one a cycle
  };
  /// Only since keepRuns().
  const std::vector<OperationRun>& runs() const { return runs_; }
  /// Transfers that have started and whose retirement is not known.
  bool hasUnfinished() const { return retired_ < started_; }

 private:
  struct Transfer {
    uint32_t number = 0;
    MemInsn mem;
    uint64_t start = 0;
    Rows rows;             ///< what is left of the data
    bool on_chip = false;  ///< which comes from OUT
    bool leaves_buffers = false;
  };

  void advance();
  void beginData();
  void pads(uint64_t count);
  void finishRow();
  void endTransfer();
  void countOperations(uint64_t cycle, uint64_t count);
  void takeBeats(const BeatRun& run, uint64_t address, uint32_t bad_beat);
  void takeWide(const BeatRun& run);
  void takeNarrow(const BeatRun& run);
  void takeFromOut();
  uint64_t writeData(uint64_t ready, uint32_t elems);

  Context& context_;
  UnitCounters& timing_;
  ReadDmaListener& listener_;
  int log_beat_bytes_;
  uint32_t limit_bursts_;

  // Address side.
  BurstWalker walker_;
  uint64_t offer_from_ = 0;
  uint64_t start_from_ = 0;
  uint64_t granted_ = 0;
  uint64_t started_ = 0;

  // Data side. Bursts accepted so far belong to the transfers in order.
  std::deque<Transfer> transfers_;  // whose data has not all been accepted
  bool data_begun_ = false;         // of transfers_.front()
  uint64_t row_elems_left_ = 0;
  uint64_t elem_bytes_ = 0;
  uint32_t group_beats_ = 1;       // beats of an element; 1 when narrow
  uint32_t group_beats_left_ = 0;  // of the element that is being assembled
  uint32_t element_ = 0;           // next element of the scratchpad
  bool writes_acc_ = false;
  uint64_t last_pop_ = 0;
  uint64_t last_consumed_ = 0;
  uint64_t last_out_read_ = 0;  // by hand-overs, of all transfers
  uint64_t last_out_written_ = 0;
  uint64_t next_operation_ = 0;
  uint64_t operations_ = 0;
  bool keeps_runs_ = false;
  std::vector<OperationRun> runs_;
  std::vector<uint64_t> pop_ends_;  // by burst number, as a ring
  uint64_t accepted_ = 0;
  std::array<uint64_t, timing::kDmaInFlight> retire_cycles_{};  // by transfer number, as a ring
  uint64_t retired_ = 0;
};

}  // namespace vta::sim::cycle
