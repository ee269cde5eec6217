// The numbers that a point's results may depend on, for a learned model.
#pragma once

#include <string>
#include <vector>

#include "explore/sweep/space/sweep_space.h"

namespace vta::sweep {

/// What tells the points of one sweep apart: each axis, sets as one flag for each member, the
/// batch, the clock, and of the memory its latency, its rate and its bursts in flight.
class PointInputs {
 public:
  explicit PointInputs(const SweepConfig& sweep);

  size_t count() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }

  /// Appends count() numbers of `point`, which is legal, to `row`. Values that are positive on all
  /// of their axis are logarithms to base 2: cycles follow products of parameters.
  void append(const Point& point, std::vector<double>& row) const;

 private:
  void add(const std::string& name, bool is_logarithm);

  const SweepConfig* sweep_;
  std::vector<std::string> names_;  // of Point::values; those of the memory stand at the end
  std::vector<bool> is_logarithm_;
};

}  // namespace vta::sweep
