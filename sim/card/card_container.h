// Containers (.xclbin) for virtual cards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"

namespace vta::sim {

/// The platform of virtual cards.
inline constexpr const char* kCardPlatform = "vta_virtual_card";

struct CardMemoryBank {
  std::string name = "DDR[0]";
  uint64_t address = 0x1000'0000;
  uint64_t size_bytes = uint64_t{256} << 20;
};

/// Who starts a kernel: the host's program, or XRT (docs/boards.md).
enum class KernelControl : uint8_t { kUserManaged, kApCtrlChain };

struct CardKernel {
  std::string kernel = "vta_top";
  std::string instance = "vta_top_1";
};

/// What v++ would make for a card. Where a container for hardware has a bitstream, one for a
/// virtual card has the hardware configuration in YAML.
struct CardContainer {
  std::string hw_yaml;
  std::string platform = kCardPlatform;
  std::vector<CardKernel> kernels = {{}};
  std::vector<CardMemoryBank> banks = {{}};
  KernelControl control = KernelControl::kUserManaged;  // of all kernels
  bool is_connected = true;                             // kernels reach the first bank
};

/// The file's contents, with the sections that xclbinutil makes of JSON: IP_LAYOUT, MEM_TOPOLOGY,
/// CONNECTIVITY, EMBEDDED_METADATA and BITSTREAM.
std::string cardContainerBytes(const CardContainer& container);

/// Errors: kIoError.
Status writeCardContainer(const std::filesystem::path& path, const CardContainer& container);

}  // namespace vta::sim
