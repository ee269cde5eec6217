// Random numbers that are the same on every platform for the same seed.
#pragma once

#include <cstdint>
#include <random>

namespace vta::sim {

class Rng {
 public:
  explicit Rng(uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15u + 1) {}

  uint64_t bits() { return engine_(); }
  /// Between min and max, both included. (The standard's distributions differ between libraries.)
  uint32_t pick(uint32_t min, uint32_t max) {
    return min + static_cast<uint32_t>(engine_() % (uint64_t{max} - min + 1));
  }
  /// True once in `n` times.
  bool oneIn(uint32_t n) { return pick(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace vta::sim
