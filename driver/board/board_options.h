// What a user may say about a board.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "driver/board/first_contact.h"

namespace vta::driver {

/// How the end of a launch is noticed.
enum class WaitMode : uint8_t {
  kInterrupt,  // sleep until the interrupt
  kPoll,       // read the status register, ever less often
  kAdaptive,   // poll for a short time, then sleep
};

/// Which registers the bitstream has.
enum class RegisterMapKind : uint8_t {
  kCore,         // this project's core (docs/isa.md)
  kFourBlock,    // published bitstreams of VTA 0.0.2: fetch, load, compute and store by themselves
  kSingleBlock,  // published bitstreams of VTA 0.0.2 for Intel's SoCs
};

struct BoardOptions {
  /// Put before /sys, /dev and /proc.
  std::filesystem::path root = "/";
  RegisterMapKind map = RegisterMapKind::kCore;
  std::string uio;      // "uio0" or the name of its node; empty: the one whose name begins with vta
  std::string udmabuf;  // "udmabuf0"; empty: the first one
  bool zocl = false;    // memory from zocl, the driver of XRT, in place of u-dma-buf
  uint64_t zocl_bytes = uint64_t{64} << 20;
  WaitMode wait = WaitMode::kInterrupt;
  /// The memory port of the core sees the caches (ACP, HPC), and the device tree says so.
  bool coherent = false;
  FirstContact first_contact = FirstContact::kTestNew;  // of our core; four blocks tell too little
  std::chrono::milliseconds lock_timeout{0};            // to wait for another process
  /// How long a launch that a dead process left behind may go on.
  std::chrono::milliseconds busy_timeout{10'000};
  uint32_t max_clock_mhz = 0;  // that the bitstream is for; 0: not known
  /// Physical addresses that are reached through /dev/mem; without: UIO and u-dma-buf. Of the
  /// registers one, or with four blocks one for each in the order fetch, load, compute, store.
  std::vector<uint64_t> register_addresses;
  std::optional<uint64_t> memory_address;  // of memory that Linux does not use
  uint64_t memory_bytes = 0;
  uint64_t bus_offset = 0;  // of single blocks: where they see the processor's address 0

  std::filesystem::path sys(const std::string& path) const { return root / "sys" / path; }
  std::filesystem::path dev(const std::string& name) const { return root / "dev" / name; }
};

}  // namespace vta::driver
