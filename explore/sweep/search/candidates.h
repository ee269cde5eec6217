// Candidates of a search with a learned model: points with what is known of them beforehand.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/status.h"
#include "explore/sweep/search/searcher.h"
#include "explore/sweep/surrogate/surrogate.h"

namespace vta::sweep {

/// The legal points of a space, or a random part of a large one.
class Candidates {
 public:
  /// At most `most` points are drawn. `surrogate` names the results that are predicted.
  Candidates(SweepSpace& space, const Surrogate& surrogate, size_t most, std::mt19937_64& random);

  size_t size() const { return numbers_.size(); }
  uint64_t number(size_t i) const { return numbers_[i]; }
  /// Inputs of the model, one row for each candidate.
  const std::vector<double>& rows() const { return rows_; }

  /// Objectives of every candidate, all to be minimised, by what the model predicts; empty for
  /// those that break a constraint by it. Errors: an expression without a value.
  Result<std::vector<std::vector<double>>> objectives(
      const std::vector<std::vector<double>>& predicted);

 private:
  SweepSpace& space_;
  const Surrogate& surrogate_;
  std::vector<std::string> known_names_;  // that expressions need and points know
  std::vector<uint64_t> numbers_;
  std::vector<double> known_;  // known_names_.size() for each candidate
  std::vector<double> rows_;
};

/// Names of results that the objectives and constraints of a sweep depend on.
std::vector<std::string> resultsThatCount(SweepSpace& space);

}  // namespace vta::sweep
