#include "module/module_info.h"

#include <algorithm>
#include <array>

namespace vta {
namespace {

uint64_t arenaBytes(const ModuleInfo& info, bool of_cpu) {
  uint64_t bytes = 0;
  for (const SpaceInfo& space : info.spaces) {
    if ((info.executors[space.executor].kind == kCpuKind) != of_cpu) continue;
    if (space.contents == SpaceInfo::Contents::kActivations) bytes += space.size_bytes;
  }
  return bytes;
}

}  // namespace

const HwConfig* ModuleInfo::hw() const {
  const auto found = std::ranges::find_if(
      executors, [](const ExecutorInfo& executor) { return executor.hw.has_value(); });
  return found == executors.end() ? nullptr : &*found->hw;
}

size_t ModuleInfo::kernelCount() const {
  return static_cast<size_t>(std::ranges::count_if(
      steps, [this](const StepInfo& step) { return executorOf(step).kind == kVtaKind; }));
}

uint64_t ModuleInfo::hostArenaBytes() const { return arenaBytes(*this, true); }
uint64_t ModuleInfo::deviceArenaBytes() const { return arenaBytes(*this, false); }

std::vector<ExecutorInfo> standardExecutors(const std::optional<HwConfig>& hw) {
  std::vector<ExecutorInfo> executors = {{std::string(kCpuKind), "cpu", std::nullopt}};
  if (hw) executors.push_back({std::string(kVtaKind), "vta", hw});
  return executors;
}

std::vector<SpaceInfo> standardSpaces(bool has_vta) {
  using Contents = SpaceInfo::Contents;
  std::vector<SpaceInfo> spaces = {{"host", kCpuExecutor, Contents::kActivations},
                                   {"constant", kCpuExecutor, Contents::kConstants},
                                   {"state", kCpuExecutor, Contents::kState}};
  if (!has_vta) return spaces;
  spaces.push_back({"device", kVtaExecutor, Contents::kActivations});
  spaces.push_back({"device_constant", kVtaExecutor, Contents::kConstants});
  spaces.push_back({"device_state", kVtaExecutor, Contents::kState});
  return spaces;
}

std::string_view sdkVersion() { return VTA_SDK_VERSION; }

std::string_view contentsName(SpaceInfo::Contents contents) {
  constexpr std::array<std::string_view, 3> kNames = {"activations", "constants", "state"};
  return kNames[static_cast<size_t>(contents)];
}

}  // namespace vta
