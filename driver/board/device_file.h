// Device files, opened and mapped; errors say what is wrong with the set-up and what to do.
#pragma once

#include <filesystem>
#include <string>

#include "base/descriptor.h"
#include "base/status.h"
#include "driver/board/board_options.h"
#include "driver/board/mapping.h"

namespace vta::driver {

/// Opens a device file for reading and writing. `subsystem` is what a udev rule calls it ("uio").
/// Errors: kNotFound, kIoError; without permission the message has the udev rule.
Result<Descriptor> openDeviceFile(const std::filesystem::path& path, const std::string& subsystem);

/// Maps `size_bytes` from `offset` on, readable and writable. Errors: kIoError, naming `path`.
Result<Mapping> mapFile(const Descriptor& file, const std::filesystem::path& path,
                        uint64_t size_bytes, uint64_t offset = 0);

/// Takes the lock of an open device file; it ends with the process. Waits up to
/// options.lock_timeout. Errors: kResourceExhausted, naming the process that has it.
Status lockDevice(const Descriptor& file, const std::filesystem::path& path,
                  const BoardOptions& options);

/// "process 4711 (vta-run)", of the process that has a lock on the file; from /proc/locks.
std::string lockHolder(const std::filesystem::path& path);

}  // namespace vta::driver
