// Micro-op lists reorganised for the GEMM kernels, and a cache of them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "isa/instruction/instruction.h"

namespace vta::sim {

/// The micro-ops of one list that share their reduction: for every row and step,
/// ACC[base.dst + row.dst] += INP[base.src + row.src + step.src] * WGT[base.wgt + step.wgt].
/// Additions wrap and so commute: any order gives the result of the list's order. Rows and steps
/// are relative so that families at other places of the SRAMs look alike.
struct UopFamily {
  struct Row {
    uint32_t dst = 0;
    uint32_t src = 0;
    bool operator==(const Row&) const = default;
  };
  struct Step {
    uint32_t src = 0;
    uint32_t wgt = 0;
    bool operator==(const Step&) const = default;
  };
  struct Base {
    uint32_t dst = 0;
    uint32_t src = 0;
    uint32_t wgt = 0;
  };
  Base base;
  std::vector<Row> rows;  // distinct dst
  std::vector<Step> steps;
};

/// A list as families, with its largest indexes for bounds checks.
struct UopPlan {
  std::vector<UopFamily> families;
  uint32_t max_dst = 0;
  uint32_t max_src = 0;
  uint32_t max_wgt = 0;
};

UopPlan makeUopPlan(std::span<const Uop> uops);

/// Plans by the content of their lists, so that programs which load the same micro-ops again, at
/// any place, find them.
class UopPlanCache {
 public:
  /// Valid until the next call.
  const UopPlan& find(std::span<const Uop> uops);

 private:
  struct Entry {
    std::vector<Uop> uops;
    UopPlan plan;
  };
  std::unordered_map<uint64_t, Entry> entries_;  // by hash of the list
};

}  // namespace vta::sim
