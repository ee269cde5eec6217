// Space: the schedules of one task as searches see them: points of a few decisions, with what is
// known of each before it is measured. What a schedule is, only its target knows (vta_space.h,
// explore/tune/cpu/conv_space.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vta::tune {

/// A schedule of a space, by its number.
using Candidate = uint32_t;

/// What a learned cost model sees of a candidate. Each target gives them its own meaning.
inline constexpr size_t kFeatureCount = 74;
using Features = std::array<float, kFeatureCount>;

/// Every schedule of the space is legal: nothing else can be proposed. Immutable once it is made.
class Space {
 public:
  size_t size() const { return estimates_.size(); }

  /// The analytic model's cycles, or what its target measures in.
  double estimate(Candidate i) const { return estimates_[i]; }
  /// What the schedule cannot beat, proven; 0: nothing is.
  uint64_t floorCycles(Candidate i) const { return floors_[i]; }
  const Features& features(Candidate i) const { return features_[i]; }
  /// All candidates, the analytic model's best first.
  std::span<const Candidate> byEstimate() const { return by_estimate_; }
  /// Candidates of one kind are alike enough that the analytic model compares them well.
  uint64_t kind(Candidate i) const { return kinds_[i]; }
  /// Candidates that differ from `i` in one decision.
  std::vector<Candidate> neighbours(Candidate i) const;
  /// The values of the fields of `i`. Fields are decisions, but for those that join others.
  std::span<const int64_t> fields(Candidate i) const;
  /// For each field, whether it and the one before it are a single decision.
  const std::vector<bool>& joinsPrevious() const { return joins_previous_; }
  /// Features without those that a model or counts of work gave.
  Features scheduleFeatures(Candidate i) const;
  /// The candidate with these fields, by binary search.
  std::optional<Candidate> findFields(std::span<const int64_t> fields) const;
  /// Schedules that are not legal, by the rule that they break.
  const std::map<std::string, int64_t>& rejected() const { return rejected_; }

 protected:
  /// `schedule_features`: the first of the features that show the schedule alone, and the one
  /// behind their last.
  Space(std::vector<bool> joins_previous, std::array<size_t, 2> schedule_features)
      : joins_previous_(std::move(joins_previous)), schedule_features_(schedule_features) {}

  struct Point {
    std::vector<int64_t> fields;
    double estimate = 0;
    uint64_t floor = 0;
    uint64_t kind = 0;
    Features features = {};
  };
  void add(const Point& point);
  /// After the last point.
  void finish();

  std::map<std::string, int64_t> rejected_;

 private:
  int countDifferences(Candidate a, Candidate b) const;

  std::vector<bool> joins_previous_;
  std::array<size_t, 2> schedule_features_;
  std::vector<int64_t> fields_;  // of all candidates, one after the other
  std::vector<double> estimates_;
  std::vector<uint64_t> floors_;
  std::vector<uint64_t> kinds_;
  std::vector<Features> features_;
  std::vector<Candidate> by_estimate_;
  std::vector<Candidate> by_fields_;  // in the order of their fields
};

}  // namespace vta::tune
