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
  /// An element of ACC that the family adds to, and where its inputs begin.
  struct Row {
    uint32_t dst = 0;  ///< of ACC, relative to Base::dst
    uint32_t src = 0;  ///< of INP, relative to Base::src
    bool operator==(const Row&) const = default;
  };
  /// One product of the reduction, the same for all rows.
  struct Step {
    uint32_t src = 0;  ///< of INP, relative to that of the row
    uint32_t wgt = 0;  ///< of WGT, relative to Base::wgt
    bool operator==(const Step&) const = default;
  };
  /// Where the family lies in the SRAMs.
  struct Base {
    uint32_t dst = 0;  ///< element of ACC
    uint32_t src = 0;  ///< element of INP
    uint32_t wgt = 0;  ///< element of WGT
  };
  Base base;                ///< added to the indexes of all rows and steps
  std::vector<Row> rows;    ///< distinct dst
  std::vector<Step> steps;  ///< in the order of the list
};

/// A list as families, with its largest indexes for bounds checks.
struct UopPlan {
  std::vector<UopFamily> families;  ///< each micro-op of the list is in one of them
  /// The largest element of ACC that the list itself names, before loops add to it.
  uint32_t max_dst = 0;
  uint32_t max_src = 0;  ///< of INP
  uint32_t max_wgt = 0;  ///< of WGT
};

/// Finds the families of a list, whose micro-ops are those of a GEMM. An empty list has none.
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
