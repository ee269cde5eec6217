#include "explore/tune/space/space.h"

#include <algorithm>
#include <numeric>

namespace vta::tune {

void Space::add(const Point& point) {
  fields_.insert(fields_.end(), point.fields.begin(), point.fields.end());
  estimates_.push_back(point.estimate);
  floors_.push_back(point.floor);
  kinds_.push_back(point.kind);
  features_.push_back(point.features);
}

void Space::finish() {
  by_estimate_.resize(size());
  std::iota(by_estimate_.begin(), by_estimate_.end(), 0u);
  std::ranges::stable_sort(by_estimate_, {}, [&](Candidate i) { return estimates_[i]; });
  by_fields_ = by_estimate_;
  std::ranges::sort(by_fields_, [&](Candidate a, Candidate b) {
    return std::ranges::lexicographical_compare(fields(a), fields(b));
  });
}

std::span<const int64_t> Space::fields(Candidate i) const {
  return std::span(fields_).subspan(i * joins_previous_.size(), joins_previous_.size());
}

Features Space::scheduleFeatures(Candidate i) const {
  Features features{};
  for (size_t f = schedule_features_[0]; f < schedule_features_[1]; ++f) {
    features[f] = features_[i][f];
  }
  return features;
}

std::optional<Candidate> Space::findFields(std::span<const int64_t> wanted) const {
  const auto less = [this](Candidate i, std::span<const int64_t> fields_of_other) {
    return std::ranges::lexicographical_compare(fields(i), fields_of_other);
  };
  const auto found = std::lower_bound(by_fields_.begin(), by_fields_.end(), wanted, less);
  if (found == by_fields_.end() || !std::ranges::equal(fields(*found), wanted)) return std::nullopt;
  return *found;
}

int Space::countDifferences(Candidate a, Candidate b) const {
  int decisions = 0;
  bool differs = false;  // the decision that is being looked at
  for (size_t f = 0; f < joins_previous_.size(); ++f) {
    if (!joins_previous_[f]) differs = false;
    if (differs || fields(a)[f] == fields(b)[f]) continue;
    differs = true;
    ++decisions;
  }
  return decisions;
}

std::vector<Candidate> Space::neighbours(Candidate i) const {
  std::vector<Candidate> found;
  for (Candidate j = 0; j < size(); ++j) {
    if (countDifferences(i, j) == 1) found.push_back(j);
  }
  return found;
}

}  // namespace vta::tune
