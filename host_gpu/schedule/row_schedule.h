// How a kernel for GPUs computes sums of rows: how many invocations share a row. Free of MLIR.
#pragma once

#include <cstdint>
#include <string>

#include "host_gpu/schedule/gemm_schedule.h"

namespace vta::codegen {

/// `rows` sums, maxima or the like of `terms` each.
struct RowSpec {
  int64_t rows = 1, terms = 1;
  int64_t passes = 1;  // times that a kernel goes through the terms
  /// Whether neighbouring terms of a row are neighbours in memory, and how many of them are always
  /// at places that begin with a multiple of their number: 1, 2 or 4.
  bool walks_terms = false;
  int64_t neighbours = 1;

  bool operator==(const RowSpec&) const = default;
};

/// A workgroup computes `rows` rows. `slices` invocations share a row: each takes every `slices`-th
/// group of `vector` terms. They add up what they have by a tree, so that the order is always the
/// same.
struct RowSchedule {
  int64_t rows = 64;
  int64_t slices = 1;  // a power of two
  int64_t vector = 1;

  int64_t invocations() const { return rows * slices; }

  bool operator==(const RowSchedule&) const = default;
};

/// The rounds of all loops of an invocation.
int64_t loopRounds(const RowSpec& spec, const RowSchedule& schedule);

/// The rule that `schedule` breaks, as a sentence with its numbers; empty if it breaks none.
std::string brokenRule(const RowSpec& spec, const RowSchedule& schedule,
                       const GpuKernelLimits& limits);

/// One slice for many short rows; more of them the fewer and longer rows are. Breaks no rule but
/// that of the rounds, and only where no schedule keeps to it.
RowSchedule defaultRowSchedule(const RowSpec& spec, const GpuKernelLimits& limits);

}  // namespace vta::codegen
