#include "sim/card/card_memory.h"

#include <sys/mman.h>

#include <algorithm>

#include "base/integer_math.h"

namespace vta::sim {
namespace {

constexpr uint64_t kPageBytes = 4096;

}  // namespace

std::unique_ptr<CardMemory> CardMemory::create(std::span<const CardMemoryBank> banks) {
  std::unique_ptr<CardMemory> memory(new CardMemory());
  for (const CardMemoryBank& bank : banks) {
    void* data = mmap(nullptr, bank.size_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) return nullptr;
    memory->banks_.push_back(
        {bank.address, bank.address + bank.size_bytes, static_cast<std::byte*>(data)});
  }
  return memory;
}

CardMemory::~CardMemory() {
  for (const DramRange& bank : banks_) munmap(bank.data, bank.end - bank.begin);
}

// First fit.
std::optional<uint64_t> CardMemory::allocate(size_t bank, uint64_t size_bytes) {
  if (bank >= banks_.size()) return std::nullopt;
  const auto& [begin, end, data] = banks_[bank];
  if (size_bytes == 0 || size_bytes > end - begin) return std::nullopt;
  uint64_t address = begin;
  for (auto it = buffers_.lower_bound(begin); it != buffers_.end() && it->first < end; ++it) {
    if (address <= it->first && size_bytes <= it->first - address) break;
    address = std::max(address, roundUp(it->first + it->second, kPageBytes));
  }
  if (address > end || size_bytes > end - address) return std::nullopt;
  buffers_.emplace(address, size_bytes);
  return address;
}

std::optional<DramRange> CardMemory::findRange(uint64_t address) const {
  const auto it = std::ranges::find_if(
      banks_, [&](const DramRange& bank) { return address >= bank.begin && address < bank.end; });
  return it == banks_.end() ? std::nullopt : std::optional(*it);
}

}  // namespace vta::sim
