// A card: memory, and a core behind registers, as containers configure it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/config/hw_config.h"
#include "sim/board/board_core.h"
#include "sim/card/card_container.h"
#include "sim/card/card_memory.h"
#include "sim/card/card_settings.h"

namespace vta::sim {

/// What a card takes from a container.
struct CardImage {
  std::array<unsigned char, 16> uuid = {};  ///< of the container
  std::string platform;                     ///< of the container
  std::string hw_yaml;                      ///< the section with the core's configuration
  std::vector<uint64_t> kernel_addresses;   ///< of registers, in the order of IP_LAYOUT
  KernelControl control = KernelControl::kUserManaged;  ///< who starts the kernels
  std::vector<CardMemoryBank> banks;                    ///< of memory
};

/// Functions that can fail return 0 or a number of errno, as XRT's own do. The first kernel is the
/// core; nothing is behind the registers of others. A launch goes on while its status is read,
/// which is what a driver does that polls, and while the interrupt is waited for.
class VirtualCard {
 public:
  /// Nothing can be opened before load().
  explicit VirtualCard(CardSettings settings) : settings_(std::move(settings)) {}

  /// EINVAL: another platform, or no legal hardware configuration; EBUSY: a kernel is in use and
  /// the container is another one; ENOMEM.
  int load(const CardImage& image);

  /// Opens a kernel, for one user alone or for one of several. EINVAL, EBUSY.
  int openKernel(size_t index, bool is_shared);
  /// Ends one use of an open kernel. EINVAL when it has none.
  int closeKernel(size_t index);

  /// An access at an address of the card. EIO, EINVAL.
  int read(uint64_t address, uint32_t& value);
  /// The same to write; one that starts a launch returns at once.
  int write(uint64_t address, uint32_t value);

  /// Carries a launch on for a while; whether the interrupt is pending then.
  bool awaitInterrupt();

  /// The first register of a kernel. EINVAL.
  int kernelAddress(size_t index, uint64_t& address) const;

  /// Null before a container is loaded.
  CardMemory* memory() { return memory_.get(); }

 private:
  std::optional<uint32_t> coreOffset(uint64_t address) const;
  bool has(BoardFaultKind kind) const;
  bool launchIsReal() const { return instruction_address_ != 0; }
  void advance();
  int startLaunch();

  CardSettings settings_;
  CardImage image_;
  struct Users {
    uint32_t count = 0;
    bool is_shared = false;
  };
  std::vector<Users> users_;  // by kernel
  std::unique_ptr<CardMemory> memory_;
  std::unique_ptr<BoardCore> core_;
  uint64_t instruction_address_ = 0;  // what the driver has written last
  uint64_t launch_ = 0;               // the last one that was started
  bool stuck_ = false;
  bool drains_ = false;  // a launch was given up, and the memory never answers
  bool gone_ = false;
};

}  // namespace vta::sim
