// UopCache: micro-op kernels, written once to DRAM, kept in the micro-op buffer as in a cache.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/instruction/instruction.h"

namespace vta::kernel {

/// A loop of a micro-op kernel: `count` iterations that move the three indexes by these steps.
struct UopDim {
  uint32_t count;
  uint16_t dst;
  uint16_t src;
  uint16_t wgt;
  bool operator==(const UopDim&) const = default;
};

/// A micro-op kernel as an affine nest, outermost dimension first: the micro-ops numbered
/// [first, first + count) of the nest's expansion.
struct UopPattern {
  static constexpr int kMaxDims = 6;
  Uop base;
  int num_dims = 0;
  std::array<UopDim, kMaxDims> dims;  // the first num_dims count
  uint32_t first = 0;
  uint32_t count = 1;

  void push(const UopDim& dim) { dims[num_dims++] = dim; }
  bool operator==(const UopPattern& other) const;
  uint64_t hash() const;
};

class UopCache {
 public:
  /// The copy from the program's micro-ops (DRAM) to the buffer that a miss needs, in micro-ops.
  struct Fill {
    uint32_t dram = 0;
    uint32_t sram = 0;
    uint32_t count = 0;
    bool fresh = true;  // this part of the buffer has held nothing before
  };
  struct Lookup {
    uint32_t sram = 0;  // where the kernel starts in the micro-op buffer
    std::optional<Fill> fill;
  };

  /// `depth` is the number of micro-ops that kernels may use in the buffer, `start` where they
  /// begin.
  explicit UopCache(uint32_t depth, uint32_t start = 0);

  /// Finds or places `pattern`; its count must not exceed maxKernel(). New kernels are appended to
  /// `uops`.
  Lookup find(const UopPattern& pattern, std::vector<Uop>& uops);

  /// The longest kernel to ask for: half the buffer, so that two kernels can alternate.
  uint32_t maxKernel() const { return depth_ > 1 ? depth_ / 2 : 1; }

 private:
  struct Entry {
    UopPattern pattern;
    uint64_t hash = 0;
    uint32_t dram = 0;
    uint32_t sram = 0;
    bool resident = false;
  };

  // Number of the entry for `pattern`, new or not.
  uint32_t lookUp(const UopPattern& pattern, std::vector<Uop>& uops);
  void grow();
  void place(uint32_t number);

  uint32_t depth_;
  uint32_t cursor_ = 0;
  bool wrapped_ = false;
  std::vector<Entry> entries_;
  std::vector<uint32_t> table_;     // open addressing: entry number + 1, 0 where empty
  std::vector<uint32_t> resident_;  // entry numbers
};

}  // namespace vta::kernel
