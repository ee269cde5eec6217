// GaussianProcess: a smooth function of a few numbers, learned from samples.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"

namespace vta::sweep {

/// Regression by a Gaussian process with a squared-exponential kernel and a length for each input
/// (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, chapters 2 and 5). The
/// lengths are those of the least error when each sample is left out in turn, by a coordinate
/// search.
class GaussianProcess {
 public:
  GaussianProcess();
  ~GaussianProcess();
  GaussianProcess(GaussianProcess&&) noexcept;
  GaussianProcess& operator=(GaussianProcess&&) noexcept;

  /// Rows have `inputs` numbers each, one row after the other; a target for each row. A fit begins
  /// with the lengths of the one before. The time grows with the third power of the rows; lengths
  /// are sought with 256 of them at most. Error (kInvalidArgument): fewer than two rows.
  Status fit(std::span<const double> rows, size_t inputs, std::span<const double> targets);

  /// One value for each row. It must be fitted.
  std::vector<double> predict(std::span<const double> rows) const;

  /// Mean distance of a sample to what the others say of it, in units of the targets.
  double leftOutError() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vta::sweep
