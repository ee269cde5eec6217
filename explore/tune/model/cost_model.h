// CostModel: gradient-boosted trees (XGBoost) that learn from measured trials which schedules are
// fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "explore/tune/space/space.h"

namespace vta::tune {

/// What the trees are fitted to.
enum class Objective : uint8_t {
  kRank,      // pairwise: only the order inside a group counts (as in AutoTVM)
  kResidual,  // squared error of the logarithm of measured over estimated cycles
};

struct CostModelOptions {
  Objective objective = Objective::kResidual;
  int rounds = 60;
  int depth = 6;
  double learning_rate = 0.15;
  uint64_t seed = 1;
  int threads = 1;
};

/// One measured schedule. `group` numbers task and source: cycles of two groups are not compared.
struct Sample {
  Features features{};
  double estimate = 0;  // the analytic model's cycles
  uint64_t cycles = 0;
  uint32_t group = 0;
  float weight = 1;  // how much its error counts; of no effect with kRank
};

class CostModel {
 public:
  explicit CostModel(const CostModelOptions& options);
  ~CostModel();
  CostModel(CostModel&&) noexcept;
  CostModel& operator=(CostModel&&) noexcept;

  /// Fits the model to all of `samples`, which need not be sorted. Errors: XGBoost's (kInternal).
  Status fit(std::span<const Sample> samples);
  bool isFitted() const { return is_fitted_; }

  /// A score for each row, lower for faster: comparable inside a group. With kResidual it is the
  /// natural logarithm of the predicted cycles. Before fit() it is that of the estimate.
  Result<std::vector<double>> predict(std::span<const Features> rows,
                                      std::span<const double> estimates) const;

  /// The gain of each feature in the trees, as shares of all gains, the largest first. `names` are
  /// those of the target's features.
  Result<std::vector<std::pair<std::string, double>>> importance(
      std::span<const std::string_view> names) const;

  /// The model as JSON text, and back. Errors: no model of this version and these features
  /// (kInvalidArgument).
  Result<std::string> toJson() const;
  Status loadJson(std::string_view text);

 private:
  struct Trees;
  CostModelOptions options_;
  std::unique_ptr<Trees> trees_;
  bool is_fitted_ = false;
};

}  // namespace vta::tune
