// The container that XRT loads. xclbinutil makes and prints it; here is what a check before loading
// needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::flash {

/// One section of a container, inside the file.
struct XclbinSection {
  uint32_t kind = 0;
  std::string name;
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

struct Xclbin {
  static constexpr uint32_t kBitstream = 0;
  static constexpr uint32_t kPdi = 18;

  std::string platform;  // "xilinx_u250_gen3x16_xdma_4_1"
  std::string uuid;      // 32 hexadecimal digits
  std::vector<XclbinSection> sections;

  const XclbinSection* find(uint32_t kind) const;
};

bool beginsAsXclbin(std::span<const std::byte> file);

/// Reads the header and the table of sections. Errors: kInvalidArgument when the file has another
/// length than the header says, or a section lies outside of it.
Result<Xclbin> readXclbin(std::span<const std::byte> file);

}  // namespace vta::flash
