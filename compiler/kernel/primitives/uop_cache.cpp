#include "compiler/kernel/primitives/uop_cache.h"

#include <algorithm>
#include <cassert>

namespace vta::kernel {
namespace {

constexpr size_t kInitialTable = 1024;

// Appends micro-ops [first, first + count) of the nest: an odometer over its dimensions.
void expand(const UopPattern& pattern, std::vector<Uop>& uops) {
  std::array<uint32_t, UopPattern::kMaxDims> digits{};
  Uop uop = pattern.base;
  uint32_t rest = pattern.first;
  for (int d = pattern.num_dims - 1; d >= 0; --d) {
    const UopDim& dim = pattern.dims[d];
    digits[d] = rest % dim.count;
    rest /= dim.count;
    uop.dst_idx += digits[d] * dim.dst;
    uop.src_idx += digits[d] * dim.src;
    uop.wgt_idx += digits[d] * dim.wgt;
  }
  uops.resize(uops.size() + pattern.count);
  Uop* const end = uops.data() + uops.size();
  const int innermost = pattern.num_dims - 1;
  for (Uop* next = end - pattern.count; next != end;) {
    // The innermost dimension runs without an odometer: most micro-ops only differ in it.
    const UopDim inner = innermost < 0 ? UopDim{} : pattern.dims[innermost];
    const auto left = static_cast<uint32_t>(end - next);
    const uint32_t run = innermost < 0 ? left : std::min(left, inner.count - digits[innermost]);
    for (Uop* const run_end = next + run; next != run_end; ++next) {
      *next = uop;
      uop.dst_idx += inner.dst;
      uop.src_idx += inner.src;
      uop.wgt_idx += inner.wgt;
    }
    if (next == end) break;
    digits[innermost] = inner.count;
    for (int d = innermost; d >= 0 && digits[d] == pattern.dims[d].count; --d) {
      const UopDim& dim = pattern.dims[d];
      digits[d] = 0;
      uop.dst_idx -= dim.count * dim.dst;  // modulo 2^32
      uop.src_idx -= dim.count * dim.src;
      uop.wgt_idx -= dim.count * dim.wgt;
      if (d == 0) break;
      const UopDim& outer = pattern.dims[d - 1];
      ++digits[d - 1];
      uop.dst_idx += outer.dst;
      uop.src_idx += outer.src;
      uop.wgt_idx += outer.wgt;
    }
  }
}

}  // namespace

bool UopPattern::operator==(const UopPattern& other) const {
  return base == other.base && num_dims == other.num_dims && first == other.first &&
         count == other.count &&
         std::equal(dims.begin(), dims.begin() + num_dims, other.dims.begin());
}

uint64_t UopPattern::hash() const {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  const auto mix = [&hash](uint64_t a, uint64_t b) {
    hash = (hash ^ (a << 48) ^ b) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  };
  mix(base.dst_idx, base.src_idx);
  mix(base.wgt_idx, first);
  mix(count, num_dims);
  for (int d = 0; d < num_dims; ++d) {
    mix(dims[d].count, uint64_t{dims[d].dst} << 32 | uint64_t{dims[d].src} << 16 | dims[d].wgt);
  }
  return hash;
}

UopCache::UopCache(uint32_t depth, uint32_t start)
    : depth_(depth), cursor_(start), table_(kInitialTable) {
  entries_.reserve(kInitialTable / 2);
  resident_.reserve(kInitialTable / 2);
}

uint32_t UopCache::lookUp(const UopPattern& pattern, std::vector<Uop>& uops) {
  const uint64_t hash = pattern.hash();
  size_t at = hash & (table_.size() - 1);
  while (table_[at] != 0) {
    const Entry& entry = entries_[table_[at] - 1];
    if (entry.hash == hash && entry.pattern == pattern) return table_[at] - 1;
    at = (at + 1) & (table_.size() - 1);
  }
  entries_.push_back({pattern, hash, static_cast<uint32_t>(uops.size())});
  table_[at] = static_cast<uint32_t>(entries_.size());
  expand(pattern, uops);
  if (entries_.size() * 2 > table_.size()) grow();
  return static_cast<uint32_t>(entries_.size() - 1);
}

void UopCache::grow() {
  table_.assign(table_.size() * 2, 0);
  for (uint32_t number = 0; number < entries_.size(); ++number) {
    size_t at = entries_[number].hash & (table_.size() - 1);
    while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = number + 1;
  }
}

// Takes the next stretch of the ring and evicts what lies in it.
void UopCache::place(uint32_t number) {
  Entry& entry = entries_[number];
  if (cursor_ + entry.pattern.count > depth_) {
    cursor_ = 0;
    wrapped_ = true;
  }
  const uint32_t begin = cursor_;
  const uint32_t end = begin + entry.pattern.count;
  cursor_ = end;
  if (wrapped_) {
    std::erase_if(resident_, [&](uint32_t other_number) {
      Entry& other = entries_[other_number];
      const bool overlaps = other.sram < end && begin < other.sram + other.pattern.count;
      if (overlaps) other.resident = false;
      return overlaps;
    });
  }
  entry.sram = begin;
  entry.resident = true;
  resident_.push_back(number);
}

UopCache::Lookup UopCache::find(const UopPattern& pattern, std::vector<Uop>& uops) {
  assert(pattern.count <= maxKernel());
  const uint32_t number = lookUp(pattern, uops);
  const Entry& entry = entries_[number];
  if (entry.resident) return {entry.sram, std::nullopt};
  place(number);
  return {entry.sram, Fill{entry.dram, entry.sram, pattern.count, !wrapped_}};
}

}  // namespace vta::kernel
