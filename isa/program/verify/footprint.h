// The SRAM elements that an instruction touches. Internal to the isa library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/instruction/instruction.h"

namespace vta::verify {

/// Elements [start, start + size).
struct Run {
  uint32_t start = 0;
  uint32_t size = 0;
};

/// The loop nest around a micro-op sequence, as one operand sees it.
struct AffineLoops {
  uint32_t iter_out = 1;
  uint32_t iter_in = 1;
  uint32_t factor_out = 0;
  uint32_t factor_in = 0;

  /// The largest offset that the loops add. 64 bits: nothing is in bounds yet.
  uint64_t maxOffset() const {
    return uint64_t{iter_out - 1} * factor_out + uint64_t{iter_in - 1} * factor_in;
  }
};

/// The exact set {index + offset}: every index of a micro-op field plus every offset of the loops,
/// each with `width` - 1 elements behind it. Reused from instruction to instruction to spare
/// allocations.
class Footprint {
 public:
  /// Takes the field `member` of `uops`, which is not empty; loop counts and `width` are positive.
  void build(std::span<const Uop> uops, uint32_t Uop::*member, const AffineLoops& loops,
             uint32_t width = 1);

  /// One run, for memory instructions.
  void buildRun(uint32_t start, uint32_t size);

  /// One past the largest element.
  uint64_t end() const { return end_; }

  /// Calls fn(first, last + 1) for runs that together are the footprint; runs may overlap. Only
  /// after end() has been found to be in bounds.
  template <typename Fn>
  void forEachRun(Fn&& fn) const {
    for (uint32_t index : indices_) {
      for (const Run& run : runs_) fn(index + run.start, index + run.start + run.size + more_);
    }
  }

  /// Computes the offsets' runs; to be called once end() is known to be in bounds, because their
  /// number is only then bounded by the memory's depth.
  void expand();

 private:
  void addOffset(uint32_t start, uint32_t size);
  void expandOverlapping();

  AffineLoops loops_;
  std::vector<uint32_t> indices_;  // sorted, each once
  std::vector<Run> runs_;
  std::vector<uint8_t> reached_;  // scratch of expandOverlapping
  uint64_t end_ = 0;
  uint32_t more_ = 0;  // elements behind each index and offset
};

}  // namespace vta::verify
