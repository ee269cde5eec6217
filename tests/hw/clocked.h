// What the block tests share: a Verilated module with a clock, a reset and a cycle count.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>
#include <memory>
#include <random>

namespace vta::hw::test {

using Rng = std::mt19937;

inline uint32_t uniform(Rng& rng, uint32_t min, uint32_t max) {
  return std::uniform_int_distribution<uint32_t>(min, max)(rng);
}

/// A Verilated module with clk_i and rst_ni, and with clear_i or not. In each cycle the test sets
/// inputs, calls settle(), looks at outputs, may set further inputs, and calls edge().
template <typename Model>
class Clocked {
 public:
  Clocked() : context_(std::make_unique<VerilatedContext>()), model_(context_.get()) {
    context_->fatalOnError(true);
    model_.clk_i = 0;
    model_.rst_ni = 0;
    edge();
    edge();
    model_.rst_ni = 1;
    cycle_ = 0;
  }
  ~Clocked() { model_.final(); }

  Model* operator->() { return &model_; }
  uint64_t cycle() const { return cycle_; }

  void settle() { model_.eval(); }

  /// The clock edge that ends the cycle.
  void edge() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    ++cycle_;
  }

 private:
  std::unique_ptr<VerilatedContext> context_;
  Model model_;
  uint64_t cycle_ = 0;
};

}  // namespace vta::hw::test
