// A memory that is one buffer from address 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/common/dram.h"

namespace vta::sim::test {

class FlatDram final : public Dram {
 public:
  explicit FlatDram(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  std::optional<DramRange> findRange(uint64_t address) const override {
    if (address >= bytes_.size()) return std::nullopt;
    return DramRange{0, bytes_.size(), bytes_.data()};
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  mutable std::vector<std::byte> bytes_;
};

}  // namespace vta::sim::test
