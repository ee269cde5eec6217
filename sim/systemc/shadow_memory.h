// The module's view of the platform's memory during one launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "isa/config/hw_config.h"
#include "sim/common/dram.h"
#include "sim/common/stream.h"

namespace vta::sim {

/// Copies of the byte ranges that a stream's transfers touch, rounded to beats of the bus. The
/// models work on them; the bus traffic fills them and carries away what was stored.
class ShadowMemory final : public Dram {
 public:
  /// Reads from the platform's memory without taking time; returns how many bytes there are.
  using Peek = std::function<uint64_t(uint64_t address, std::span<std::byte> data)>;

  /// What `peek` cannot read does not exist: accesses to it are bus errors.
  ShadowMemory(const Stream& stream, const BaseAddresses& bases, const HwConfig& hw,
               const Peek& peek);

  std::optional<DramRange> findRange(uint64_t address) const override;

 private:
  mutable std::map<uint64_t, std::vector<std::byte>> ranges_;  // by address
};

}  // namespace vta::sim
