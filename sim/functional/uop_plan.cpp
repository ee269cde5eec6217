#include "sim/functional/uop_plan.h"

#include <algorithm>

namespace vta::sim {
namespace {

constexpr size_t kMaxCachedPlans = 8192;

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

uint64_t hashOf(std::span<const Uop> uops) {
  uint64_t hash = uops.size();
  for (const Uop& uop : uops) {
    hash = mix(hash, uop.dst_idx | uint64_t{uop.src_idx} << 20 | uint64_t{uop.wgt_idx} << 40);
  }
  return hash;
}

/// The micro-ops of one destination: steps relative to the smallest source index.
struct Group {
  UopFamily::Row row;
  std::vector<UopFamily::Step> steps;
};

std::vector<Group> groupByDestination(std::span<const Uop> uops) {
  std::vector<Group> groups;
  std::unordered_map<uint32_t, size_t> group_of_dst;
  for (const Uop& uop : uops) {
    const auto [it, is_new] = group_of_dst.try_emplace(uop.dst_idx, groups.size());
    if (is_new) groups.push_back({{uop.dst_idx, uop.src_idx}, {}});
    Group& group = groups[it->second];
    group.row.src = std::min(group.row.src, uop.src_idx);
    group.steps.push_back({uop.src_idx, uop.wgt_idx});
  }
  for (Group& group : groups) {
    for (UopFamily::Step& step : group.steps) step.src -= group.row.src;
  }
  return groups;
}

}  // namespace

UopPlan makeUopPlan(std::span<const Uop> uops) {
  UopPlan plan;
  for (const Uop& uop : uops) {
    plan.max_dst = std::max(plan.max_dst, uop.dst_idx);
    plan.max_src = std::max(plan.max_src, uop.src_idx);
    plan.max_wgt = std::max(plan.max_wgt, uop.wgt_idx);
  }
  std::unordered_multimap<uint64_t, size_t> families;  // by hash of the steps
  for (Group& group : groupByDestination(uops)) {
    uint64_t hash = group.steps.size();
    for (const UopFamily::Step& step : group.steps) {
      hash = mix(hash, step.src | uint64_t{step.wgt} << 32);
    }
    auto [it, end] = families.equal_range(hash);
    while (it != end && plan.families[it->second].steps != group.steps) ++it;
    if (it != end) {
      plan.families[it->second].rows.push_back(group.row);
    } else {
      families.emplace(hash, plan.families.size());
      plan.families.push_back({{group.row}, std::move(group.steps)});
    }
  }
  return plan;
}

const UopPlan& UopPlanCache::find(std::span<const Uop> uops) {
  const uint64_t hash = hashOf(uops);
  const auto it = entries_.find(hash);
  if (it != entries_.end() && std::ranges::equal(it->second.uops, uops)) return it->second.plan;
  if (entries_.size() >= kMaxCachedPlans) entries_.clear();
  Entry& entry = entries_[hash];
  entry = {{uops.begin(), uops.end()}, makeUopPlan(uops)};
  return entry.plan;
}

}  // namespace vta::sim
