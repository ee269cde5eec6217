// Kernels that XRT starts, as the driver in Linux' kernel runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "sim/card/virtual_card.h"

namespace vta::sim {

/// Commands for kernels with ap_ctrl_chain. A command is a packet in memory that XRT shares
/// (ert.h): its state tells XRT what became of it. One runs at a time, the others wait. The end
/// comes with the interrupt.
class KernelCommands {
 public:
  /// `card` outlives the commands.
  explicit KernelCommands(VirtualCard& card) : card_(card) {}

  /// Takes a packet, which has to stay until it is completed. 0, EINVAL for another command than
  /// the start of one kernel; what is wrong with the kernel is the packet's state.
  int submit(std::span<std::byte> packet);

  /// Carries the first command on for a while. Whether one has completed.
  bool advance();

 private:
  int start(std::span<std::byte> packet);
  int finish();
  int write(uint32_t offset, uint32_t value);
  int read(uint32_t offset, uint32_t& value);

  VirtualCard& card_;
  std::deque<std::span<std::byte>> packets_;  // the first one runs
  uint64_t kernel_address_ = 0;               // of the one that runs
};

}  // namespace vta::sim
