// GEMM, ALU and the banks of ACC that they share with loads, cycle by cycle where they meet.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "isa/spec/timing.h"
#include "sim/cycle/common/context.h"
#include "sim/cycle/compute/loop_engine.h"
#include "sim/cycle/dma/read_dma.h"

namespace vta::sim::cycle {

/// Time is advanced lazily: state is that at the beginning of cycle now().
class ComputeEngines {
 public:
  /// `uops` is micro-op memory; it must outlive the engines.
  ComputeEngines(Context& context, const std::vector<Uop>& uops);

  /// An instruction that finishes AccLatency after its last access.
  struct Finished {
    uint64_t id = 0;            ///< as it was added
    uint64_t first_access = 0;  ///< cycle of it
    uint64_t last_access = 0;   ///< cycle of it
    uint64_t finish = 0;        ///< cycle in which its results are there
  };

  /// What else decides what a cycle counts as.
  struct Waits {
    uint64_t loads_until = 0;       ///< a load is unfinished before this cycle
    uint64_t head_from = kNever;    ///< an instruction waits to be issued from this cycle on,
    uint64_t load_token_from = 0;   ///< lacks load's token before this one,
    uint64_t store_token_from = 0;  ///< lacks store's token before this one,
    uint64_t others_from = kNever;  ///< and waits for load or store from this one on
  };

  /// For the cycles from now() on, until it is called again.
  void setWaits(const Waits& waits) { waits_ = waits; }

  /// Lets the cycles before `cycle` pass; `finished` receives what finishes.
  void advanceTo(uint64_t cycle, std::vector<Finished>& finished);
  /// The first cycle that has not passed here.
  uint64_t now() const { return now_; }

  /// Adds an instruction that is issued in the cycle before now().
  void addGemm(uint64_t id, const LoopNest& nest) { gemm_.add(id, nest); }
  /// The same for an ALU instruction.
  void addAlu(uint64_t id, const LoopNest& nest) { alu_.add(id, nest); }

  /// The scratchpad is written. Called in the order of time, not before now().
  void addWrites(const WriteRun& run, bool is_acc);

  /// No instruction of the engine finishes earlier than this; kNever when it has none.
  uint64_t earliestGemmFinish() const { return earliestFinish(gemm_); }
  /// The same of the ALU.
  uint64_t earliestAluFinish() const { return earliestFinish(alu_); }

 private:
  struct BankedRun {
    WriteRun run;
    bool is_acc = false;
    uint64_t end() const { return run.cycle + run.count; }
  };

  uint64_t earliestFinish(const LoopEngine& engine) const {
    return engine.idle() ? kNever : now_ + engine.cyclesUntilLast() + acc_latency_;
  }
  uint64_t quietCycles(uint64_t most, bool& writing) const;
  void passQuietly(uint64_t count, bool writing, std::vector<Finished>& finished);
  void passContended(std::vector<Finished>& finished);
  struct AluRequest {
    bool dst = false;
    bool src = false;
    uint32_t dst_element = 0;
    uint32_t src_element = 0;
  };
  AluRequest aluRequest();
  AluRequest wantedByAlu();
  uint32_t banksOf(const AluRequest& request) const;
  /// Whether the ALU's last access to `element` has not written it yet.
  bool isInFlight(uint32_t element) const { return now_ < alu_written_from_[element]; }
  uint32_t bankOf(uint32_t element) const { return element & (acc_banks_ - 1); }
  void count(uint64_t cycles, bool busy);
  void finish(const LoopEngine& engine, uint64_t access, std::vector<Finished>& finished);

  Context& context_;
  UnitCounters& timing_;
  const uint64_t acc_latency_;
  const uint64_t alu_passes_;
  const uint32_t acc_banks_;
  const std::vector<Uop>& uops_;
  LoopEngine gemm_;
  LoopEngine alu_;
  std::deque<BankedRun> writes_;
  Waits waits_;
  uint64_t now_ = 0;
  uint64_t loops_until_ = 0;  // of what has finished: unfinished before this cycle
  uint64_t alu_free_ = 0;     // from this cycle on dst may be accessed
  bool alu_src_done_ = false;
  bool alu_src_held_ = false;  // of held_src_, for the next micro-op of the same instruction
  uint32_t held_src_ = 0;
  // By element of ACC: the first cycle in which what the ALU wrote last can be read.
  std::vector<uint64_t> alu_written_from_;
};

}  // namespace vta::sim::cycle
