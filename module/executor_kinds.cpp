#include "module/executor_kinds.h"

#include <algorithm>
#include <utility>

#include "isa/config/dram_alignment.h"
#include "module/module_info_check.h"

namespace vta {

const ExecutorKind* findExecutorKind(std::string_view name) {
  const auto found = std::ranges::find(kExecutorKinds, name, &ExecutorKind::name);
  return found == kExecutorKinds.end() ? nullptr : &*found;
}

ExecutorInfo cpuExecutor() {
  return {.kind = std::string(kCpuKind),
          .name = std::string(kCpuKind),
          .traits = findExecutorKind(kCpuKind)->traits};
}

ExecutorInfo vtaExecutor(const HwConfig& hw) {
  return {.kind = std::string(kVtaKind),
          .name = std::string(kVtaKind),
          .traits = findExecutorKind(kVtaKind)->traits,
          .hw = hw};
}

ExecutorInfo gpuExecutor() {
  return {.kind = std::string(kGpuKind),
          .name = std::string(kGpuKind),
          .traits = findExecutorKind(kGpuKind)->traits};
}

MemoryTraits hostMemory() { return {"host", kModuleAlignmentBytes}; }

MemoryTraits vtaMemory(const HwConfig& hw) {
  return {"device", std::max(kModuleAlignmentBytes, largestElemBytes(hw))};
}

MemoryTraits gpuMemory() { return {"gpu", kGpuAlignmentBytes, true}; }

uint32_t addExecutor(ModuleInfo& info, ExecutorInfo executor, const MemoryTraits& memory) {
  using Contents = SpaceInfo::Contents;
  const auto number = static_cast<uint32_t>(info.executors.size());
  info.executors.push_back(std::move(executor));
  constexpr std::pair<const char*, Contents> kMemories[] = {{"", Contents::kActivations},
                                                            {"_constant", Contents::kConstants},
                                                            {"_state", Contents::kState}};
  for (const auto& [suffix, contents] : kMemories) {
    info.spaces.push_back({memory.name + suffix, number, contents, 0, memory.alignment_bytes});
  }
  if (!memory.aligns_others) return number;
  for (SpaceInfo& space : info.spaces) {
    space.alignment_bytes = std::max(space.alignment_bytes, memory.alignment_bytes);
  }
  return number;
}

}  // namespace vta
