// The compute unit: scan, issue and retirement (docs/timing.md, "Compute").
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "isa/spec/timing.h"
#include "sim/cycle/common/context.h"
#include "sim/cycle/compute/compute_engines.h"
#include "sim/cycle/compute/scanner.h"
#include "sim/cycle/dma/read_dma.h"

namespace vta::sim::cycle {

/// Its read DMA, its engines, and the order in which instructions enter and leave them.
class ComputeUnit final : public ReadDmaListener {
 public:
  /// `uops` is micro-op memory, which loads of micro-ops change; it must outlive the unit.
  ComputeUnit(Context& context, std::vector<Uop>& uops);

  /// Reads for loads of micro-ops and accumulators; stays the unit's.
  ReadDma& dma() { return dma_; }
  /// The same to look at.
  const ReadDma& dma() const { return dma_; }

  /// Begins the scans that can begin; true when any did. Call when the queue has grown.
  bool scan();

  /// The next cycle in which the unit may have something to do. `others_idle_from` is the first
  /// cycle in which load and store have nothing queued or in flight, kNever when not known.
  uint64_t wakeFrom(uint64_t others_idle_from);

  /// Does what happens in `cycle`, which wakeFrom gave. Returns true when FINISH was issued in it.
  bool wake(uint64_t cycle, uint64_t others_idle_from);

  /// True when nothing is issued and not retired as far as known; then the first such cycle.
  bool idle() const { return issued_ == retired_; }
  /// See idle().
  uint64_t idleFrom() const { return retired_ == 0 ? 0 : lastRetire() + 1; }
  /// The oldest instruction that has been scanned and not issued waits from this cycle on.
  bool hasHead() const { return !scanned_.empty(); }
  /// See hasHead().
  uint64_t headFrom() const;
  /// Its number in the stream; only with hasHead().
  uint32_t headNumber() const { return scanned_.front().number; }

  /// Adds what is left of the unit's cycles up to `last_cycle`, in which the core stops.
  void finish(uint64_t last_cycle);

  void transferDone(uint32_t number, uint64_t cycle) override;
  void writes(const WriteRun& run, bool is_acc) override { engines_.addWrites(run, is_acc); }

 private:
  struct Scanned {
    uint32_t number = 0;
    uint64_t issue_from = 0;  ///< e + ScanLatency
    ScanResult scan;
  };
  struct Issued {
    uint64_t id = 0;
    uint32_t number = 0;
    Engine engine = Engine::kNone;
    ElementRange acc;
    ElementRange uops;
    uint64_t finish = kNever;
    bool retired = false;  ///< that is, its retirement is known
  };

  uint64_t issueFrom(uint64_t others_idle_from) const;
  uint64_t conflictsUntil(const Scanned& head) const;
  bool conflicts(const Scanned& head, const Issued& older) const;
  void advanceTo(uint64_t cycle);
  void setFinish(const ComputeEngines::Finished& done);
  void retireReady();
  bool issue(uint64_t cycle);
  void loadUops(const MemInsn& mem);
  void updateWaits();
  uint64_t lastRetire() const { return retire_cycles_[(retired_ - 1) % retire_cycles_.size()]; }

  // Taken from the command queue and not scanned.
  struct Taken {
    uint32_t number = 0;
    uint64_t taken = 0;
    uint64_t prepared = kNever;  ///< when the scan of the one before ends, if that is later
  };
  bool take();
  void prepareOldest();

  Context& context_;
  UnitCounters& timing_;
  std::vector<Uop>& uops_;
  bool concurrent_;
  ComputeEngines engines_;
  ReadDma dma_;
  std::vector<ComputeEngines::Finished> finished_;  // scratch

  std::deque<Taken> taken_;
  uint64_t last_prepared_ = 0;
  uint64_t last_scan_end_ = 0;
  std::deque<Scanned> scanned_;                              // and not issued
  std::array<uint64_t, timing::kScanAhead> issue_cycles_{};  // by instruction, as a ring
  uint64_t scans_ = 0;
  uint64_t uop_loads_scanned_ = 0;
  uint64_t uop_loads_done_ = 0;
  uint64_t last_uop_load_ = 0;  // retirement of the last one that is done

  std::deque<Issued> window_;  // issued and perhaps unfinished, or not retired
  std::array<uint64_t, timing::kReorderDepth> retire_cycles_{};  // by instruction, as a ring
  uint64_t issued_ = 0;
  uint64_t retired_ = 0;
  uint64_t last_issue_ = 0;
  uint64_t loads_issued_ = 0;
  uint64_t loads_done_ = 0;
  uint64_t last_load_finish_ = 0;
  uint64_t others_idle_from_ = kNever;
};

}  // namespace vta::sim::cycle
