// What a server proves of a launch before a device with other clients' data runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "driver/device.h"
#include "driver/remote/server/launches/buffer_map.h"
#include "isa/config/hw_config.h"
#include "isa/launch/fault.h"

namespace vta::remote {

/// Whose launch it is, and on what.
struct LaunchContext {
  const HwConfig& hw;
  const BufferMap& buffers;
  BufferMap::Owner owner;
  /// The device stops by itself at an access outside all buffers, as simulators do.
  bool stops_outside = false;
};

struct LaunchFindings {
  std::optional<Fault> fault;     // with it, the launch must not run
  bool has_strays = false;        // it reaches outside all buffers: the device will stop it
  std::vector<ByteRange> stores;  // memory that it may write
  uint64_t least_cycles = 0;      // no core of this configuration is faster
};

/// Decodes the instructions up to FINISH. Every access to memory has to lie in buffers of the
/// owner, and no store may reach the launch's own instructions, which the core may have yet to
/// fetch. What cannot be decoded stops the core, so nothing behind it counts; not on 0.0.2
/// hardware, which checks nothing.
LaunchFindings checkLaunch(const LaunchContext& context, const driver::Launch& launch,
                           std::span<const std::byte> stream);

}  // namespace vta::remote
