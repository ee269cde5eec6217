// The memory on a virtual card.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/card/card_container.h"
#include "sim/common/dram.h"

namespace vta::sim {

/// Banks, and the buffers in them. The core reaches all of a bank; untouched pages take no memory
/// of the host.
class CardMemory final : public Dram {
 public:
  /// As large as the banks say. Null when the host cannot have them.
  static std::unique_ptr<CardMemory> create(std::span<const CardMemoryBank> banks);
  ~CardMemory() override;
  CardMemory(const CardMemory&) = delete;
  CardMemory& operator=(const CardMemory&) = delete;

  /// A free range that begins at a page; nullopt when the bank has none, or is unknown.
  std::optional<uint64_t> allocate(size_t bank, uint64_t size_bytes);
  /// Gives back what allocate() returned; nothing for any other address.
  void free(uint64_t address) { buffers_.erase(address); }

  std::optional<DramRange> findRange(uint64_t address) const override;

 private:
  CardMemory() = default;

  std::vector<DramRange> banks_;
  std::map<uint64_t, uint64_t> buffers_;  // sizes by address
};

}  // namespace vta::sim
