// SweepSpace: the points of a sweep, before any is evaluated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "explore/sweep/area/area_model.h"
#include "explore/sweep/space/expression.h"
#include "explore/sweep/space/sweep_config.h"
#include "isa/config/hw_config.h"

namespace vta::sweep {

/// Names of accuracies among a point's values: percent of samples with the float model's class,
/// percent with the right class, and how many percentage points of that quantisation costs.
inline constexpr const char* kAgreement = "agreement_percent";
inline constexpr const char* kTop1 = "top1_percent";
inline constexpr const char* kTop1Loss = "top1_loss_points";

/// One accelerator with one memory at one batch size.
struct Point {
  uint64_t number = 0;            // in the space: the choices as digits
  std::vector<uint32_t> choices;  // of each axis, the batch and the memory
  std::optional<HwConfig> hw;     // absent: illegal
  uint32_t memory = 0;            // of SweepConfig::memories
  int64_t batch = 1;
  AreaEstimate area;
  Values values;       // parameters, variables, area, clocks and fits.*
  std::string rule;    // which rule makes it illegal: equal for equal reasons
  std::string reason;  // with the point's values

  bool isLegal() const { return rule.empty(); }
};

class SweepSpace {
 public:
  /// `sweep` must outlive the space. Errors: a name that no expression knows, with its
  /// place; batches of a model without a batch dimension.
  static Result<SweepSpace> create(SweepConfig& sweep);

  /// How many values each digit of a point has: the axes, the batches, the memories.
  const std::vector<uint32_t>& extents() const { return extents_; }
  /// Points, those that conditions make equal to others included. At most 2^53.
  uint64_t size() const { return size_; }

  /// The point of these choices; illegal ones have a rule and a reason. Where an axis is absent,
  /// its choice counts as 0.
  Point point(std::vector<uint32_t> choices);
  /// Error: these are no choices of a point, which `point` needs.
  Status checkChoices(const std::vector<uint32_t>& choices) const;
  /// The choices of point `number`.
  std::vector<uint32_t> choicesOf(uint64_t number) const;

  /// Names that constraints and objectives may have: those of points and those of results.
  const std::vector<std::string>& names() const { return names_; }
  size_t objectiveCount() const { return sweep_->objectives.size(); }
  /// Whether a constraint can be decided before the point is evaluated.
  bool isStatic(const Expression& expression) const;
  /// Whether a name of an expression has a value before the point is evaluated.
  bool isKnownBeforehand(std::string_view name) const;
  /// Expressions are evaluated in place.
  SweepConfig& sweep() { return *sweep_; }

 private:
  explicit SweepSpace(SweepConfig& sweep) : sweep_(&sweep) {}
  Status checkNames();
  std::vector<std::string> pointNames() const;
  bool chooseValues(Point& point);
  bool makeHardware(Point& point);
  bool setClock(HwParams& params, Point& point) const;
  void addEstimates(Point& point) const;
  bool checkConstraints(Point& point);

  SweepConfig* sweep_;  // expressions are evaluated in place
  std::vector<uint32_t> extents_;
  uint64_t size_ = 1;
  std::vector<std::string> point_names_;
  std::vector<std::string> names_;
};

/// Names of a point's results besides those of single models ("cycles.NAME", ...).
const std::vector<std::string>& resultNames();
/// Results that exist for each model as well, as "cycles.NAME".
const std::vector<std::string>& modelResultNames();

/// Whether the accuracies that `expression` names are known: all models that they depend on have
/// samples, or labels. Error: says which has not, and what it needs.
Status checkAccuracyKnown(const SweepConfig& sweep, const Expression& expression);

/// What a reader of the point's milliseconds has to know when its clock is above an estimate:
/// clockWarning (isa/config/clock_estimate.h) with the sweep's calibration. Empty for clocks that
/// are estimates themselves.
std::string clockWarning(const SweepConfig& sweep, const Point& point);

/// What a file has to say about the accelerator of `point`: a configuration that all tools take.
std::string describeAxes(const SweepConfig& sweep, const Point& point);

}  // namespace vta::sweep
