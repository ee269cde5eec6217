// The kinds of executors that this SDK has: the one table that the compiler, the runtime and the
// check of modules go by. A new kind is a row here; code asks for its traits and not for its name.
#pragma once

#include <array>
#include <string_view>

#include "module/module_info.h"

namespace vta {

struct ExecutorKind {
  std::string_view name;
  ExecutorTraits traits;
  bool has_hw = false;  // ExecutorInfo::hw says what its programs were compiled for
  /// By how much of the largest element of a float tensor its results may differ from the CPU's.
  double float_tolerance = 0;
};

inline constexpr std::array<ExecutorKind, 3> kExecutorKinds = {{
    {.name = kCpuKind, .traits = {.entries = EntryTable::kFunctions}},
    {.name = kVtaKind,
     .traits = {.entries = EntryTable::kPrograms,
                .links_neighbours = true,
                .runs_in_background = true},
     .has_hw = true},
    // Sums are in another order on a GPU, and products and sums may be one operation.
    {.name = kGpuKind,
     .traits = {.entries = EntryTable::kPrograms, .runs_in_background = true},
     .float_tolerance = 1e-4},
}};

/// Where a GPU's tensors and the ranges of its programs begin: at multiples of the largest
/// alignment that a driver interface asks for.
inline constexpr uint64_t kGpuAlignmentBytes = 512;

/// Null for a kind that others bring along: a module says by itself what it has to know of it.
const ExecutorKind* findExecutorKind(std::string_view name);

/// The executors of the SDK's kinds, called like their kinds.
ExecutorInfo cpuExecutor();
ExecutorInfo vtaExecutor(const HwConfig& hw);
ExecutorInfo gpuExecutor();

/// What the memories of one executor have in common.
struct MemoryTraits {
  std::string name;  // of its activations; that of the others begins with it
  uint64_t alignment_bytes = 64;
  /// Its machine uses copies of tensors of other memories as they lie there, so that those have to
  /// have this alignment, too.
  bool aligns_others = false;
};
MemoryTraits hostMemory();
MemoryTraits vtaMemory(const HwConfig& hw);
MemoryTraits gpuMemory();

/// Adds an executor with one memory, empty at first, for each sort of contents; its number. Comes
/// before tensors get places.
uint32_t addExecutor(ModuleInfo& info, ExecutorInfo executor, const MemoryTraits& memory);

}  // namespace vta
