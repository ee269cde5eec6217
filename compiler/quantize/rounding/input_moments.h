// First and second moments of what the weights of one contraction multiply: plain arithmetic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vta::compiler {

/// Which moments are kept. Second moments take most of the time and memory.
enum class MomentOrder : uint8_t { kFirst, kFirstAndSecond };

/// Gathers columns: for one output pixel and group, the inputs that the terms of a filter multiply.
/// Second moments are kept inside blocks of consecutive terms only, so that memory and time grow
/// with the number of terms and not with its square.
class InputMoments {
 public:
  static constexpr int64_t kBlockTerms = 256;

  InputMoments() = default;
  InputMoments(int64_t groups, int64_t terms, MomentOrder order = MomentOrder::kFirstAndSecond);

  int64_t groups() const { return groups_; }
  /// Of each group.
  int64_t terms() const { return terms_; }
  int64_t blocks() const { return (terms_ + kBlockTerms - 1) / kBlockTerms; }
  /// Of one block; the last one may be smaller.
  int64_t blockTerms(int64_t block) const;
  /// Columns of each group so far.
  int64_t count() const { return counts_.empty() ? 0 : counts_.front(); }

  /// One column, of terms() values. Every group gets as many.
  void observe(int64_t group, std::span<const float> column);

  double mean(int64_t group, int64_t term) const;
  /// The covariance of the terms of one block, blockTerms() squared values in row-major order. Only
  /// with MomentOrder::kFirstAndSecond.
  std::vector<double> covariance(int64_t group, int64_t block) const;

 private:
  size_t blockStart(int64_t group, int64_t block) const;
  void addProducts(int64_t group);  // of column_

  int64_t groups_ = 0, terms_ = 0;
  std::vector<int64_t> counts_;  // by group
  std::vector<float> pivots_;    // the first column: sums of differences to it keep their digits
  std::vector<double> sums_;     // of those, [group][term]
  // Of those, [group][block][row][column], column <= row; empty where they are not kept.
  std::vector<float> products_;
  std::vector<float> column_;
};

}  // namespace vta::compiler
