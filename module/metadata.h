// The binary form of a module's metadata (docs/module-format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "module/module_info.h"

namespace vta {

std::vector<std::byte> encodeMetadata(const ModuleInfo& info);

/// The same of a module without buckets, and without their number.
std::vector<std::byte> encodeWithoutBuckets(const ModuleInfo& info);

/// Decodes and checks the metadata: every index, offset and size is in range for sections of these
/// sizes. Errors: truncated data, a value that is out of range; never crashes on hostile input.
Result<ModuleInfo> decodeMetadata(std::span<const std::byte> bytes, uint64_t constants_bytes,
                                  uint64_t programs_bytes);
Result<ModuleInfo> decodeWithoutBuckets(std::span<const std::byte> bytes, uint64_t constants_bytes,
                                        uint64_t programs_bytes);

}  // namespace vta
