// UopCache: micro-op kernels, written once to DRAM, kept in the micro-op buffer as in a cache.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "isa/instruction.h"

namespace vta::kernel {

/// A loop of a micro-op kernel: `count` iterations that move the three indexes by these steps.
struct UopDim {
  uint32_t count = 1;
  uint32_t dst = 0;
  uint32_t src = 0;
  uint32_t wgt = 0;
  bool operator==(const UopDim&) const = default;
};

/// A micro-op kernel as an affine nest, outermost dimension first: the micro-ops numbered
/// [first, first + count) of the nest's expansion.
struct UopPattern {
  static constexpr int kMaxDims = 8;
  Uop base;
  int num_dims = 0;
  std::array<UopDim, kMaxDims> dims{};
  uint32_t first = 0;
  uint32_t count = 1;

  void push(const UopDim& dim) { dims[num_dims++] = dim; }
  bool operator==(const UopPattern&) const = default;
};

class UopCache {
 public:
  /// The copy from the program's micro-ops (DRAM) to the buffer that a miss needs, in micro-ops.
  struct Fill {
    uint32_t dram = 0;
    uint32_t sram = 0;
    uint32_t count = 0;
  };
  struct Lookup {
    uint32_t sram = 0;  // where the kernel starts in the micro-op buffer
    std::optional<Fill> fill;
  };

  /// `depth` is the number of micro-ops that kernels may use in the buffer.
  explicit UopCache(uint32_t depth);

  /// Finds or places `pattern`; its count must not exceed maxKernel(). New kernels are appended to
  /// `uops`.
  Lookup find(const UopPattern& pattern, std::vector<Uop>& uops);

  /// The longest kernel to ask for: half the buffer, so that two kernels can alternate.
  uint32_t maxKernel() const { return depth_ > 1 ? depth_ / 2 : 1; }

 private:
  struct Hash {
    size_t operator()(const UopPattern& pattern) const;
  };
  struct Entry {
    uint32_t dram = 0;
    uint32_t count = 0;
    uint32_t sram = 0;
    bool resident = false;
  };

  uint32_t place(Entry& entry);

  uint32_t depth_;
  uint32_t cursor_ = 0;
  std::unordered_map<UopPattern, Entry, Hash> entries_;
  std::vector<Entry*> resident_;  // pointers into entries_, which never moves its nodes
};

}  // namespace vta::kernel
