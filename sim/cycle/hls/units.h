// The load, compute and store blocks of the HLS core: each executes one instruction at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "sim/cycle/hls/burst_source.h"
#include "sim/cycle/hls/read_port.h"
#include "sim/cycle/hls/row_transfer.h"
#include "sim/cycle/hls/state.h"
#include "sim/memory/memory_model.h"

namespace vta::sim::cycle::hls {

/// What all three have: the head of a queue, its tokens, and the instruction that runs.
class Block {
 public:
  /// `counters` are those of `unit` in `state`; both outlive the block.
  Block(State& state, Unit unit, UnitCounters& counters)
      : state_(state), unit_(unit), counters_(counters) {}

  /// True while an instruction is under way or in the queue.
  bool isIdle() const { return !running_ && state_.queue(unit_).isEmpty(); }
  /// The instruction at the head when it waits for a token; only without progress.
  std::optional<uint32_t> waitingNumber() const;
  /// The last cycle that is known to have passed in this block.
  uint64_t knownCycle() const { return free_from_; }

 protected:
  /// Starts the instruction at the head if it is known when; reports a fault instead where its
  /// transfer leaves the scratchpad or the buffers.
  const Instruction* tryStart();
  /// The instruction under way pushes its tokens to the unit before in `prev_cycle` and to the one
  /// behind in `next_cycle`; the next one can start in `free_cycle`.
  void retire(uint64_t prev_cycle, uint64_t next_cycle, uint64_t free_cycle);

  State& state_;
  Unit unit_;
  UnitCounters& counters_;
  bool running_ = false;
  uint32_t number_ = 0;   // of the instruction under way
  uint64_t started_ = 0;  // its first cycle
  uint64_t free_from_ = 0;

 private:
  bool isOutside(const Instruction& instruction) const;
  void countWait(uint64_t head, uint64_t start, uint8_t pops);
};

/// LOADs of INP and WGT.
class LoadBlock final : public Block {
 public:
  /// `state` outlives the block.
  explicit LoadBlock(State& state);

  /// Goes on as far as it is known; true when that was something.
  bool advance();
  /// That it reads rows through.
  RowPort& port() { return port_; }

 private:
  RowPort port_;
  RowTransfer transfer_;
};

/// GEMM and ALU instructions, LOADs of micro-ops and accumulators, and FINISH.
class ComputeBlock final : public Block {
 public:
  /// `state` outlives the block.
  explicit ComputeBlock(State& state);

  /// Goes on as far as it is known; true when that was something.
  bool advance();
  /// That it reads micro-ops through.
  RowPort& uopPort() { return uop_port_; }
  /// That it reads accumulators through.
  RowPort& accPort() { return acc_port_; }

  /// The cycle of `done`, kNever before FINISH.
  uint64_t doneCycle() const { return done_; }

 private:
  void runEngine(uint64_t iterations, uint64_t interval);
  void finishLoad(uint64_t rows_end, const hls_timing::RowCosts& costs, uint64_t pads);

  RowPort uop_port_;
  RowPort acc_port_;
  RowTransfer uops_;
  RowTransfer accs_;
  uint64_t done_ = kNever;
};

/// STOREs, whose bursts it tells the memory of.
class StoreBlock final : public Block {
 public:
  /// Both outlive the block.
  StoreBlock(State& state, MemoryModel& memory);

  /// Goes on as far as it is known; true when that was something.
  bool advance();

  /// The cycle of the next address or completion that the memory is told of; kNever without one.
  uint64_t nextEvent() const;
  /// Tells it; `cycle` is nextEvent().
  void step(uint64_t cycle);

 private:
  struct Write {
    Burst burst;
    uint64_t last_beat = 0;
    uint64_t accepted = 0;
  };
  void beginRow();
  uint64_t addressFrom() const;
  uint64_t completeFrom() const;

  MemoryModel& memory_;
  BurstSource source_;
  const MemInsn* mem_ = nullptr;
  uint32_t row_ = 0;
  uint64_t row_start_ = 0;
  std::deque<Write> offered_;   // addresses that the memory has not accepted
  std::deque<Write> accepted_;  // without a response
  uint64_t next_address_ = 0;   // the first cycle in which the oldest of these is offered
  uint64_t response_ = 0;
};

}  // namespace vta::sim::cycle::hls
