// Classes of things that have an offset from each other.
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace vta::compiler {

/// Union-find over numbers from 0 on, with the offset of each from the root of its class.
class OffsetClasses {
 public:
  explicit OffsetClasses(size_t size) : parent_(size), offset_(size, 0.0) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
  }

  struct Place {
    size_t root = 0;
    double offset = 0;
  };
  Place find(size_t i) const {
    Place place{i, 0};
    while (parent_[place.root] != place.root) {
      place.offset += offset_[place.root];
      place.root = parent_[place.root];
    }
    return place;
  }

  /// Demands offset(a) = offset(b) + difference. Of one class this changes nothing; false if it
  /// contradicts what holds already, modulo 1.
  bool relate(size_t a, size_t b, double difference) {
    const Place pa = find(a), pb = find(b);
    const double gap = pb.offset + difference - pa.offset;
    if (pa.root == pb.root) return std::abs(gap - std::round(gap)) < 1e-9;
    parent_[pa.root] = pb.root;
    offset_[pa.root] = gap;
    return true;
  }

 private:
  std::vector<size_t> parent_;
  std::vector<double> offset_;
};

}  // namespace vta::compiler
