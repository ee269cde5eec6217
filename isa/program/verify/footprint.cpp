#include "isa/program/verify/footprint.h"

#include <algorithm>

namespace vta::verify {

void Footprint::build(std::span<const Uop> uops, uint32_t Uop::*member, const AffineLoops& loops,
                      uint32_t width) {
  loops_ = loops;
  more_ = width - 1;
  // A loop that adds nothing visits the same elements again.
  if (loops_.factor_out == 0) loops_.iter_out = 1;
  if (loops_.factor_in == 0) loops_.iter_in = 1;

  indices_.clear();
  for (const Uop& uop : uops) {
    const uint32_t index = uop.*member;
    if (indices_.empty() || indices_.back() != index) indices_.push_back(index);
  }
  if (!std::is_sorted(indices_.begin(), indices_.end())) {
    std::sort(indices_.begin(), indices_.end());
    indices_.erase(std::unique(indices_.begin(), indices_.end()), indices_.end());
  }
  runs_.clear();
  end_ = indices_.back() + loops_.maxOffset() + width;
}

void Footprint::buildRun(uint32_t start, uint32_t size) {
  indices_.assign(1, 0);
  runs_.assign(1, {start, size});
  end_ = uint64_t{start} + size;
  more_ = 0;
}

void Footprint::addOffset(uint32_t start, uint32_t size) {
  if (!runs_.empty() && runs_.back().start + runs_.back().size == start) {
    runs_.back().size += size;
  } else {
    runs_.push_back({start, size});
  }
}

void Footprint::expand() {
  if (!runs_.empty()) return;
  const AffineLoops& l = loops_;
  const bool ascending = l.iter_out == 1 || l.factor_out > uint64_t{l.iter_in - 1} * l.factor_in;
  if (ascending) {
    for (uint32_t i0 = 0; i0 < l.iter_out; ++i0) {
      const uint32_t row = i0 * l.factor_out;
      if (l.factor_in == 1) {
        addOffset(row, l.iter_in);
        continue;
      }
      for (uint32_t i1 = 0; i1 < l.iter_in; ++i1) addOffset(row + i1 * l.factor_in, 1);
    }
    return;
  }
  expandOverlapping();
}

// Rows overlap: the set of offsets as a byte map, in time that depends on its extent and not on the
// number of iterations. The rows double: {0..n-1} rows and the same moved by n rows are {0..2n-1}.
void Footprint::expandOverlapping() {
  const AffineLoops& l = loops_;
  const uint64_t extent = l.maxOffset() + 1;
  reached_.assign(extent, 0);
  for (uint32_t i1 = 0; i1 < l.iter_in; ++i1) reached_[uint64_t{i1} * l.factor_in] = 1;
  for (uint32_t rows = 1; rows < l.iter_out;) {
    const uint32_t more = std::min(rows, l.iter_out - rows);
    const uint64_t shift = uint64_t{more} * l.factor_out;
    // Downwards, so that only what was there before is moved.
    for (uint64_t i = extent; i-- > shift;) reached_[i] |= reached_[i - shift];
    rows += more;
  }
  for (uint64_t i = 0; i < extent; ++i) {
    if (reached_[i] != 0) addOffset(static_cast<uint32_t>(i), 1);
  }
}

}  // namespace vta::verify
