// GEMM or ALU as a queue of loop nests (docs/timing.md, "Engines").
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
  uint32_t uop_bgn = 0;         ///< first micro-op
  uint32_t uops = 0;            ///< micro-ops of one iteration
  uint32_t iter_out = 0;        ///< of the outer loop
  uint32_t iter_in = 0;         ///< of the inner loop
  uint32_t dst_factor_out = 0;  ///< elements of ACC that the outer loop adds to each index
  uint32_t dst_factor_in = 0;   ///< the same of the inner loop
  uint32_t src_factor_out = 0;  ///< elements of the source that the outer loop adds
  uint32_t src_factor_in = 0;   ///< the same of the inner loop
  bool reads_src = false;       ///< from ACC
  bool reads_pair = false;      ///< src is a pair of elements

  /// Accesses, one for each micro-op in each iteration.
  uint64_t iterations() const { return uint64_t{uops} * iter_out * iter_in; }
};

/// Instructions enter in order, whatever becomes of the accesses of those before them. The owner
/// says how time passes and which accesses are done.
class LoopEngine {
 public:
  /// `depth` is the time from the entry of a micro-op to the first cycle for its access.
  explicit LoopEngine(uint64_t depth) : depth_(depth) {}

  /// Adds an instruction, named `id`, that may enter from the present cycle on.
  void add(uint64_t id, const LoopNest& nest) {
    // "Engines": y(i) >= y(i-1) + 1, also across instructions.
    const uint64_t entry = std::max(now_, next_entry_);
    const uint64_t iterations = nest.iterations();
    // "Engines": its access is due in y + GemmDepth, or in y + AluDepth.
    nests_.push_back({id, nest, entry + depth_, iterations});
    next_entry_ = entry + iterations;
  }

  /// No instruction has accesses left.
  bool idle() const { return nests_.empty(); }
  /// True when an access is due now.
  bool due() const { return !nests_.empty() && now_ >= nests_.front().first_due + index_; }
  /// Cycles until an access is due; only when there is one and it is not due.
  uint64_t cyclesUntilDue() const { return nests_.front().first_due + index_ - now_; }
  /// Accesses left of the oldest instruction.
  uint64_t accessesLeft() const { return nests_.front().iterations - index_; }
  /// The cycles at least until the last access of the oldest instruction, that one excluded.
  uint64_t cyclesUntilLast() const {
    const Entry& front = nests_.front();
    const uint64_t left = accessesLeft() - 1;
    return due() ? left : front.first_due + front.iterations - 1 - now_;
  }

  /// Elements of the access that is due.
  uint32_t dst(std::span<const Uop> uops) {
    seek();
    return uops[nests_.front().nest.uop_bgn + uop_].dst_idx + dst_offset_;
  }
  /// Of the operand, when readsSrc().
  uint32_t src(std::span<const Uop> uops) {
    seek();
    return uops[nests_.front().nest.uop_bgn + uop_].src_idx + src_offset_;
  }
  /// Whether the oldest instruction reads a second element of ACC in each access.
  bool readsSrc() const { return nests_.front().nest.reads_src; }
  /// Whether that is a pair of elements: the one with the even index, and the one behind it.
  bool readsPair() const { return nests_.front().nest.reads_pair; }

  /// `count` cycles pass without an access.
  void pass(uint64_t count) { now_ += count; }

  /// `count` accesses that are due one after the other are done, a cycle each, all of the oldest
  /// instruction. Returns true when that was its last one; finishedId() then names it.
  bool access(uint64_t count) {
    if (index_ == 0) first_access_ = now_;
    now_ += count;
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
  /// The name of the instruction whose last access was the latest to be done.
  uint64_t finishedId() const { return finished_id_; }
  /// The cycle of the first access of the oldest instruction, or of the one that access() finished.
  uint64_t firstAccess() const { return first_access_; }

 private:
  struct Entry {
    uint64_t id = 0;
    LoopNest nest;
    uint64_t first_due = 0;  ///< the cycle
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
  uint64_t now_ = 0;
  uint64_t next_entry_ = 0;
  uint64_t index_ = 0;  // accesses of the oldest instruction that are done
  uint64_t finished_id_ = 0;
  uint64_t first_access_ = 0;
  // Place of access index_ in the loops, when known.
  bool position_known_ = false;
  uint32_t uop_ = 0;
  uint32_t in_ = 0;
  uint32_t out_ = 0;
  uint32_t dst_offset_ = 0;
  uint32_t src_offset_ = 0;
};

}  // namespace vta::sim::cycle
