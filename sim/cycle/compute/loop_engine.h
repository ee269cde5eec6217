// GEMM or ALU as a queue of loop nests in the engine's local time (docs/timing.md, "Engines").
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>

#include "isa/instruction/instruction.h"
#include "sim/cycle/common/queues.h"

namespace vta::sim::cycle {

/// The loops of one GEMM or ALU instruction, as far as time depends on them.
struct LoopNest {
  uint32_t uop_bgn = 0;
  uint32_t uops = 0;
  uint32_t iter_out = 0;
  uint32_t iter_in = 0;
  uint32_t dst_factor_out = 0;
  uint32_t dst_factor_in = 0;
  uint32_t src_factor_out = 0;
  uint32_t src_factor_in = 0;
  bool reads_src = false;  // from ACC

  uint64_t iterations() const { return uint64_t{uops} * iter_out * iter_in; }
};

/// Instructions enter in order. Local time passes in every cycle in which the engine does not
/// stall; the owner says which those are.
class LoopEngine {
 public:
  /// `depth` is the local time from the entry of a micro-op to its access.
  explicit LoopEngine(uint64_t depth) : depth_(depth) {}

  /// Adds an instruction, named `id`, that may enter from the present local time on.
  void add(uint64_t id, const LoopNest& nest) {
    const uint64_t entry = std::max(local_, next_entry_);
    const uint64_t iterations = nest.iterations();
    nests_.push_back({id, nest, entry + depth_, iterations});
    next_entry_ = entry + iterations;
  }

  bool idle() const { return nests_.empty(); }
  /// True when an access is due now.
  bool due() const { return !nests_.empty() && local_ >= nests_.front().first_due + index_; }
  /// Cycles without stalls until an access is due; only when not idle.
  uint64_t cyclesUntilDue() const { return nests_.front().first_due + index_ - local_; }
  /// Accesses left of the oldest instruction.
  uint64_t accessesLeft() const { return nests_.front().iterations - index_; }
  /// Cycles without stalls until the last access of the oldest instruction, that one excluded.
  uint64_t cyclesUntilLast() const {
    return nests_.front().first_due + nests_.front().iterations - 1 - local_;
  }

  /// Elements of the access that is due.
  uint32_t dst(std::span<const Uop> uops) {
    seek();
    return uops[nests_.front().nest.uop_bgn + uop_].dst_idx + dst_offset_;
  }
  uint32_t src(std::span<const Uop> uops) {
    seek();
    return uops[nests_.front().nest.uop_bgn + uop_].src_idx + src_offset_;
  }
  bool readsSrc() const { return nests_.front().nest.reads_src; }

  /// `count` cycles pass in which nothing is due.
  void pass(uint64_t count) { local_ += count; }

  /// `count` accesses that are due one after the other are done, a cycle each, all of the oldest
  /// instruction. Returns true when that was its last one; finishedId() then names it.
  bool access(uint64_t count) {
    local_ += count;
    index_ += count;
    if (count == 1) {
      step();
    } else {
      position_known_ = false;
    }
    if (index_ < nests_.front().iterations) return false;
    finished_id_ = nests_.front().id;
    nests_.pop_front();
    index_ = 0;
    position_known_ = false;
    return true;
  }
  uint64_t finishedId() const { return finished_id_; }

 private:
  struct Entry {
    uint64_t id = 0;
    LoopNest nest;
    uint64_t first_due = 0;  // local time
    uint64_t iterations = 0;
  };

  void setOffsets() {
    const LoopNest& nest = nests_.front().nest;
    dst_offset_ = out_ * nest.dst_factor_out + in_ * nest.dst_factor_in;
    src_offset_ = out_ * nest.src_factor_out + in_ * nest.src_factor_in;
  }
  // Loop counters of access index_.
  void seek() {
    if (position_known_) return;
    const LoopNest& nest = nests_.front().nest;
    uop_ = static_cast<uint32_t>(index_ % nest.uops);
    const uint64_t iteration = index_ / nest.uops;
    in_ = static_cast<uint32_t>(iteration % nest.iter_in);
    out_ = static_cast<uint32_t>(iteration / nest.iter_in);
    setOffsets();
    position_known_ = true;
  }
  void step() {
    if (!position_known_) return;
    const LoopNest& nest = nests_.front().nest;
    if (++uop_ < nest.uops) return;
    uop_ = 0;
    if (++in_ == nest.iter_in) {
      in_ = 0;
      ++out_;
    }
    setOffsets();
  }

  uint64_t depth_;
  std::deque<Entry> nests_;
  uint64_t local_ = 0;       // local time of the present cycle
  uint64_t next_entry_ = 0;  // local time
  uint64_t index_ = 0;       // accesses of the oldest instruction that are done
  uint64_t finished_id_ = 0;
  // Place of access index_ in the loops, when known.
  bool position_known_ = false;
  uint32_t uop_ = 0;
  uint32_t in_ = 0;
  uint32_t out_ = 0;
  uint32_t dst_offset_ = 0;
  uint32_t src_offset_ = 0;
};

}  // namespace vta::sim::cycle
