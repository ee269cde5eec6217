#include "module/module_info.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vta {
namespace {

uint64_t sumOfArenas(const ModuleInfo& info, bool of_cpu) {
  uint64_t bytes = 0;
  for (const SpaceInfo& space : info.spaces) {
    if ((info.executors[space.executor].kind == kCpuKind) != of_cpu) continue;
    if (space.contents == SpaceInfo::Contents::kActivations) bytes += space.size_bytes;
  }
  return bytes;
}

template <typename Row, typename IsWanted>
std::optional<uint32_t> indexOf(const std::vector<Row>& rows, IsWanted is_wanted) {
  const auto found = std::ranges::find_if(rows, is_wanted);
  if (found == rows.end()) return std::nullopt;
  return static_cast<uint32_t>(found - rows.begin());
}

}  // namespace

ModuleInfo ModuleInfo::bucketOf(size_t index) const {
  ModuleInfo info = *this;
  BucketInfo& bucket = info.buckets[index];
  info.inputs = std::move(bucket.inputs);
  info.outputs = std::move(bucket.outputs);
  info.layers = std::move(bucket.layers);
  info.steps = std::move(bucket.steps);
  info.actions = std::move(bucket.actions);
  info.context = std::move(bucket.context);
  info.buckets.clear();
  return info;
}

const HwConfig* ModuleInfo::hw() const {
  const auto found = std::ranges::find_if(
      executors, [](const ExecutorInfo& executor) { return executor.hw.has_value(); });
  return found == executors.end() ? nullptr : &*found->hw;
}

size_t ModuleInfo::kernelCount() const {
  return static_cast<size_t>(std::ranges::count_if(
      steps, [this](const StepInfo& step) { return executorOf(step).kind == kVtaKind; }));
}

std::optional<uint32_t> ModuleInfo::findExecutor(std::string_view name) const {
  return indexOf(executors, [&](const ExecutorInfo& executor) { return executor.name == name; });
}

std::optional<uint32_t> ModuleInfo::findExecutorOfKind(std::string_view kind) const {
  return indexOf(executors, [&](const ExecutorInfo& executor) { return executor.kind == kind; });
}

std::optional<uint32_t> ModuleInfo::findSpace(uint32_t executor,
                                              SpaceInfo::Contents contents) const {
  return indexOf(spaces, [&](const SpaceInfo& space) {
    return space.executor == executor && space.contents == contents;
  });
}

std::vector<std::string> ModuleInfo::hostFeatures() const {
  std::vector<std::string> features;
  for (const ExecutorInfo& executor : executors) {
    if (executor.traits.entries != EntryTable::kFunctions) continue;
    for (const std::string& feature : executor.features) {
      if (std::ranges::find(features, feature) == features.end()) features.push_back(feature);
    }
  }
  return features;
}

uint64_t ModuleInfo::arenaBytes(uint32_t executor) const {
  const auto space = findSpace(executor, SpaceInfo::Contents::kActivations);
  return space ? spaces[*space].size_bytes : 0;
}

uint64_t ModuleInfo::hostArenaBytes() const { return sumOfArenas(*this, true); }
uint64_t ModuleInfo::deviceArenaBytes() const { return sumOfArenas(*this, false); }

const CodeVariant* ProgramInfo::variantFor(std::span<const std::string_view> targets) const {
  const auto find = [this](std::string_view target) {
    const auto found = std::ranges::find(variants, target, &CodeVariant::target);
    return found == variants.end() ? nullptr : &*found;
  };
  for (const std::string_view target : targets) {
    if (const CodeVariant* variant = find(target)) return variant;
  }
  return find("");
}

std::string_view sdkVersion() { return VTA_SDK_VERSION; }

std::string_view contentsName(SpaceInfo::Contents contents) {
  constexpr std::array<std::string_view, 3> kNames = {"activations", "constants", "state"};
  return kNames[static_cast<size_t>(contents)];
}

}  // namespace vta
