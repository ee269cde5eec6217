// Affine: an index of a tile program, a constant plus multiples of loop variables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace vta::tile {

/// `factor` times the variable of loop `loop`.
struct AffineTerm {
  uint32_t loop = 0;
  int64_t factor = 0;
  bool operator==(const AffineTerm&) const = default;
};

class Affine {
 public:
  Affine(int64_t constant = 0) : constant_(constant) {}  // NOLINT: a number is an index

  static Affine variable(uint32_t loop) {
    Affine index;
    index.terms_.push_back({loop, 1});
    return index;
  }

  int64_t constant() const { return constant_; }
  /// By loop, without terms of factor 0.
  std::span<const AffineTerm> terms() const { return terms_; }

  /// The index where the variable of loop i has the value `values[i]`.
  int64_t at(std::span<const int64_t> values) const {
    int64_t sum = constant_;
    for (const AffineTerm& term : terms_) sum += term.factor * values[term.loop];
    return sum;
  }

  Affine& operator+=(const Affine& other) {
    constant_ += other.constant_;
    for (const AffineTerm& term : other.terms_) addTerm(term);
    return *this;
  }
  Affine& operator*=(int64_t factor) {
    constant_ *= factor;
    for (AffineTerm& term : terms_) term.factor *= factor;
    if (factor == 0) terms_.clear();
    return *this;
  }
  friend Affine operator+(Affine a, const Affine& b) { return a += b; }
  friend Affine operator*(Affine a, int64_t factor) { return a *= factor; }
  friend Affine operator-(Affine a, const Affine& b) { return a += b * -1; }

  bool operator==(const Affine&) const = default;

 private:
  void addTerm(const AffineTerm& term) {
    const auto at =
        std::lower_bound(terms_.begin(), terms_.end(), term.loop,
                         [](const AffineTerm& t, uint32_t loop) { return t.loop < loop; });
    if (at == terms_.end() || at->loop != term.loop) {
      terms_.insert(at, term);
      return;
    }
    at->factor += term.factor;
    if (at->factor == 0) terms_.erase(at);
  }

  int64_t constant_ = 0;
  std::vector<AffineTerm> terms_;
};

}  // namespace vta::tile
