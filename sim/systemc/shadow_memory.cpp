#include "sim/systemc/shadow_memory.h"

#include <algorithm>
#include <utility>

#include "sim/cycle/common/transfer_rows.h"

namespace vta::sim {
namespace {

constexpr uint64_t kPeekBytes = 65536;

// Disjoint ranges [begin, end), in order.
std::vector<std::pair<uint64_t, uint64_t>> rangesOf(const Stream& stream,
                                                    const BaseAddresses& bases,
                                                    const HwConfig& hw) {
  const auto beat_bytes = static_cast<uint64_t>(hw.params().axi_data_width_bits / 8);
  std::vector<std::pair<uint64_t, uint64_t>> all;
  for (const Instruction& insn : stream.instructions) {
    if (insn.opcode != Opcode::kLoad && insn.opcode != Opcode::kStore) continue;
    const cycle::Rows rows = cycle::rowsOf(insn.mem(), bases, hw);
    for (uint32_t y = 0; y < rows.rows; ++y) {
      const uint64_t begin = rows.address + y * rows.stride_bytes;
      const uint64_t end = (begin + rows.row_bytes + beat_bytes - 1) / beat_bytes * beat_bytes;
      if (end > begin) all.emplace_back(begin / beat_bytes * beat_bytes, end);
    }
  }
  std::ranges::sort(all);
  std::vector<std::pair<uint64_t, uint64_t>> merged;
  for (const auto& [begin, end] : all) {
    if (!merged.empty() && begin <= merged.back().second) {
      merged.back().second = std::max(merged.back().second, end);
    } else {
      merged.emplace_back(begin, end);
    }
  }
  return merged;
}

}  // namespace

ShadowMemory::ShadowMemory(const Stream& stream, const BaseAddresses& bases, const HwConfig& hw,
                           const Peek& peek) {
  for (const auto& [begin, end] : rangesOf(stream, bases, hw)) {
    std::vector<std::byte> bytes;
    // In pieces, so that a range that does not exist costs nothing.
    while (begin + bytes.size() < end) {
      const uint64_t have = bytes.size();
      const uint64_t wanted = std::min(kPeekBytes, end - begin - have);
      bytes.resize(have + wanted);
      const uint64_t got = peek(begin + have, std::span(bytes).subspan(have));
      bytes.resize(have + got);
      if (got < wanted) break;
    }
    if (!bytes.empty()) ranges_[begin] = std::move(bytes);
  }
}

std::optional<DramRange> ShadowMemory::findRange(uint64_t address) const {
  auto found = ranges_.upper_bound(address);
  if (found == ranges_.begin()) return std::nullopt;
  --found;
  const uint64_t end = found->first + found->second.size();
  if (address >= end) return std::nullopt;
  return DramRange{found->first, end, found->second.data()};
}

}  // namespace vta::sim
