// Modules of tests for a CPU and a VTA: the numbers of their executors and memories.
#pragma once

#include <cstdint>

#include "module/executor_kinds.h"

namespace vta::test {

inline constexpr uint32_t kVtaExecutor = 1;
inline constexpr uint32_t kHostSpace = 0;
inline constexpr uint32_t kConstantSpace = 1;
inline constexpr uint32_t kStateSpace = 2;
inline constexpr uint32_t kDeviceSpace = 3;
inline constexpr uint32_t kDeviceConstantSpace = 4;
inline constexpr uint32_t kDeviceStateSpace = 5;

/// Gives `info`, which has none, these executors and memories.
inline void addTwoMachines(ModuleInfo& info, const HwConfig& hw = HwConfig::makeDefault()) {
  addExecutor(info, cpuExecutor(), hostMemory());
  addExecutor(info, vtaExecutor(hw), {"device"});
}

}  // namespace vta::test
