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

/// A bank of a card's memory, as section MEM_TOPOLOGY has it.
struct CardMemoryBank {
  std::string name = "DDR[0]";                ///< its tag
  uint64_t address = 0x1000'0000;             ///< as the kernels see it
  uint64_t size_bytes = uint64_t{256} << 20;  ///< that buffers can take
};

/// Who starts a kernel: the host's program, or XRT (docs/boards.md).
enum class KernelControl : uint8_t { kUserManaged, kApCtrlChain };

/// One kernel, as section IP_LAYOUT has it.
struct CardKernel {
  std::string kernel = "vta_top";      ///< that programs ask for
  std::string instance = "vta_top_1";  ///< behind the colon of its full name
};

/// What v++ would make for a card. Where a container for hardware has a bitstream, one for a
/// virtual card has the hardware configuration in YAML.
struct CardContainer {
  std::string hw_yaml;                                  ///< that the core is configured by
  std::string platform = kCardPlatform;                 ///< a card refuses that of another one
  std::vector<CardKernel> kernels = {{}};               ///< the first is the core
  std::vector<CardMemoryBank> banks = {{}};             ///< in the order of their indexes
  KernelControl control = KernelControl::kUserManaged;  ///< of all kernels
  bool is_connected = true;                             ///< kernels reach the first bank
};

/// The file's contents, with the sections that xclbinutil makes of JSON: IP_LAYOUT, MEM_TOPOLOGY,
/// CONNECTIVITY, EMBEDDED_METADATA and BITSTREAM.
std::string cardContainerBytes(const CardContainer& container);

/// Errors: kIoError.
Status writeCardContainer(const std::filesystem::path& path, const CardContainer& container);

}  // namespace vta::sim
