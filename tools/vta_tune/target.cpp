#include "tools/vta_tune/target.h"

#include <algorithm>

namespace vta::tools {
namespace {

std::vector<TuneTarget>& targetRegistry() {
  static std::vector<TuneTarget> targets;
  return targets;
}

}  // namespace

bool registerTuneTarget(const TuneTarget& target) {
  std::vector<TuneTarget>& targets = targetRegistry();
  targets.insert(std::ranges::upper_bound(targets, target.order, {}, &TuneTarget::order), target);
  return true;
}

std::span<const TuneTarget> tuneTargets() { return targetRegistry(); }

std::vector<std::string> tuneTargetNames() {
  std::vector<std::string> names;
  for (const TuneTarget& target : tuneTargets()) names.emplace_back(target.name);
  return names;
}

const TuneTarget& tuneTarget(std::string_view name) {
  return *std::ranges::find(tuneTargets(), name, &TuneTarget::name);
}

}  // namespace vta::tools
