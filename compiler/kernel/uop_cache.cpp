#include "compiler/kernel/uop_cache.h"

#include <algorithm>
#include <cassert>

namespace vta::kernel {
namespace {

void expand(const UopPattern& pattern, std::vector<Uop>& uops) {
  for (uint32_t number = pattern.first; number < pattern.first + pattern.count; ++number) {
    Uop uop = pattern.base;
    uint32_t rest = number;
    for (int d = pattern.num_dims - 1; d >= 0; --d) {
      const UopDim& dim = pattern.dims[d];
      const uint32_t i = rest % dim.count;
      rest /= dim.count;
      uop.dst_idx += i * dim.dst;
      uop.src_idx += i * dim.src;
      uop.wgt_idx += i * dim.wgt;
    }
    uops.push_back(uop);
  }
}

}  // namespace

UopCache::UopCache(uint32_t depth) : depth_(depth) {
  entries_.reserve(64);
  resident_.reserve(64);
}

size_t UopCache::Hash::operator()(const UopPattern& pattern) const {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  const auto mix = [&hash](uint64_t a, uint64_t b) {
    hash = (hash ^ (a << 32 | b)) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  };
  mix(pattern.base.dst_idx, pattern.base.src_idx);
  mix(pattern.base.wgt_idx, pattern.first);
  mix(pattern.count, pattern.num_dims);
  for (int d = 0; d < pattern.num_dims; ++d) {
    mix(pattern.dims[d].count, pattern.dims[d].dst);
    mix(pattern.dims[d].src, pattern.dims[d].wgt);
  }
  return hash;
}

// Takes the next stretch of the ring and evicts what lies in it.
uint32_t UopCache::place(Entry& entry) {
  if (cursor_ + entry.count > depth_) cursor_ = 0;
  const uint32_t begin = cursor_;
  const uint32_t end = begin + entry.count;
  cursor_ = end;
  std::erase_if(resident_, [&](Entry* other) {
    const bool overlaps = other->sram < end && begin < other->sram + other->count;
    if (overlaps) other->resident = false;
    return overlaps;
  });
  entry.sram = begin;
  entry.resident = true;
  resident_.push_back(&entry);
  return begin;
}

UopCache::Lookup UopCache::find(const UopPattern& pattern, std::vector<Uop>& uops) {
  assert(pattern.count <= maxKernel());
  const auto [it, is_new] = entries_.try_emplace(pattern);
  Entry& entry = it->second;
  if (is_new) {
    entry.dram = static_cast<uint32_t>(uops.size());
    entry.count = pattern.count;
    expand(pattern, uops);
  }
  if (entry.resident) return {entry.sram, std::nullopt};
  const uint32_t sram = place(entry);
  return {sram, Fill{entry.dram, sram, entry.count}};
}

}  // namespace vta::kernel
