// Where the fields of a micro-op lie, for decoding many of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/config/hw_config.h"
#include "isa/instruction/encoding.h"
#include "isa/instruction/instruction.h"

namespace vta::sim::cycle {

static_assert(std::endian::native == std::endian::little, "DRAM holds little-endian micro-ops");

class UopFormat {
 public:
  explicit UopFormat(const HwConfig& hw) : uop_bytes_(static_cast<size_t>(hw.uopBytes())) {
    for (const FieldInfo& field : uopFields(hw)) {
      const Field place = {field.lsb, (uint64_t{1} << field.width_bits) - 1};
      if (field.name == "dst_idx") dst_ = place;
      if (field.name == "src_idx") src_ = place;
      if (field.name == "wgt_idx") wgt_ = place;
    }
  }

  Uop decode(const std::byte* bytes) const {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, uop_bytes_);
    return {dst_.of(bits), src_.of(bits), wgt_.of(bits)};
  }

 private:
  struct Field {
    int lsb = 0;
    uint64_t mask = 0;
    uint32_t of(uint64_t bits) const { return static_cast<uint32_t>(bits >> lsb & mask); }
  };
  size_t uop_bytes_;
  Field dst_, src_, wgt_;
};

}  // namespace vta::sim::cycle
