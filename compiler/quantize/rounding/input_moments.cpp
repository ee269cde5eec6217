#include "compiler/quantize/rounding/input_moments.h"

#include <algorithm>

namespace vta::compiler {

InputMoments::InputMoments(int64_t groups, int64_t terms, MomentOrder order)
    : groups_(groups),
      terms_(terms),
      counts_(static_cast<size_t>(groups)),
      pivots_(static_cast<size_t>(groups * terms)),
      sums_(static_cast<size_t>(groups * terms)),
      column_(static_cast<size_t>(terms)) {
  if (order == MomentOrder::kFirstAndSecond) products_.resize(blockStart(groups, 0));
}

int64_t InputMoments::blockTerms(int64_t block) const {
  return std::min(kBlockTerms, terms_ - block * kBlockTerms);
}

size_t InputMoments::blockStart(int64_t group, int64_t block) const {
  const int64_t last = blockTerms(blocks() - 1);
  const int64_t per_group = (blocks() - 1) * kBlockTerms * kBlockTerms + last * last;
  return static_cast<size_t>(group * per_group + block * kBlockTerms * kBlockTerms);
}

void InputMoments::observe(int64_t group, std::span<const float> column) {
  const auto start = static_cast<size_t>(group * terms_);
  if (counts_[static_cast<size_t>(group)]++ == 0) {
    std::ranges::copy(column, pivots_.begin() + static_cast<int64_t>(start));
  }
  for (size_t i = 0; i < column_.size(); ++i) {
    column_[i] = column[i] - pivots_[start + i];
    sums_[start + i] += column_[i];
  }
  if (!products_.empty()) addProducts(group);
}

void InputMoments::addProducts(int64_t group) {
  for (int64_t block = 0; block < blocks(); ++block) {
    const int64_t size = blockTerms(block);
    const float* values = &column_[static_cast<size_t>(block * kBlockTerms)];
    float* row = &products_[blockStart(group, block)];
    for (int64_t i = 0; i < size; ++i, row += size) {
      const float value = values[i];
      if (value == 0) continue;
      for (int64_t j = 0; j <= i; ++j) row[j] += value * values[j];
    }
  }
}

double InputMoments::mean(int64_t group, int64_t term) const {
  const auto at = static_cast<size_t>(group * terms_ + term);
  return pivots_[at] + sums_[at] / static_cast<double>(std::max<int64_t>(count(), 1));
}

std::vector<double> InputMoments::covariance(int64_t group, int64_t block) const {
  const int64_t size = blockTerms(block);
  const auto total = static_cast<double>(std::max<int64_t>(count(), 1));
  const double* sums = &sums_[static_cast<size_t>(group * terms_ + block * kBlockTerms)];
  const float* products = &products_[blockStart(group, block)];
  std::vector<double> result(static_cast<size_t>(size * size));
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const double value = products[i * size + j] / total - sums[i] / total * (sums[j] / total);
      result[static_cast<size_t>(i * size + j)] = result[static_cast<size_t>(j * size + i)] = value;
    }
  }
  return result;
}

}  // namespace vta::compiler
