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

/// A family of one destination, its row absolute and its steps relative to its base.
UopFamily& familyOf(uint32_t dst, std::vector<UopFamily>& groups,
                    std::unordered_map<uint32_t, size_t>& group_of_dst) {
  const auto [it, is_new] = group_of_dst.try_emplace(dst, groups.size());
  if (is_new) groups.emplace_back().base.dst = dst;
  return groups[it->second];
}

std::vector<UopFamily> groupByDestination(std::span<const Uop> uops) {
  std::vector<UopFamily> groups;
  std::unordered_map<uint32_t, size_t> group_of_dst;
  for (const Uop& uop : uops) {
    familyOf(uop.dst_idx, groups, group_of_dst).steps.push_back({uop.src_idx, uop.wgt_idx});
  }
  for (UopFamily& group : groups) {
    group.base.src = std::ranges::min(group.steps, {}, &UopFamily::Step::src).src;
    group.base.wgt = std::ranges::min(group.steps, {}, &UopFamily::Step::wgt).wgt;
    for (UopFamily::Step& step : group.steps) {
      step.src -= group.base.src;
      step.wgt -= group.base.wgt;
    }
    group.rows.push_back({group.base.dst, group.base.src});
  }
  return groups;
}

/// Makes the rows relative to the smallest indexes.
void relocateRows(UopFamily& family) {
  family.base.dst = std::ranges::min(family.rows, {}, &UopFamily::Row::dst).dst;
  family.base.src = std::ranges::min(family.rows, {}, &UopFamily::Row::src).src;
  for (UopFamily::Row& row : family.rows) {
    row.dst -= family.base.dst;
    row.src -= family.base.src;
  }
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
  for (UopFamily& group : groupByDestination(uops)) {
    uint64_t hash = mix(group.steps.size(), group.base.wgt);
    for (const UopFamily::Step& step : group.steps) {
      hash = mix(hash, step.src | uint64_t{step.wgt} << 32);
    }
    auto [it, end] = families.equal_range(hash);
    const auto is_same = [&](const UopFamily& family) {
      return family.base.wgt == group.base.wgt && family.steps == group.steps;
    };
    while (it != end && !is_same(plan.families[it->second])) ++it;
    if (it != end) {
      plan.families[it->second].rows.push_back(group.rows.front());
    } else {
      families.emplace(hash, plan.families.size());
      plan.families.push_back(std::move(group));
    }
  }
  for (UopFamily& family : plan.families) relocateRows(family);
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
