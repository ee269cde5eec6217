// Reading whole files that a user named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta {

/// What readFile takes unless told otherwise: more than any array or model of today.
inline constexpr uint64_t kMaxFileBytes = uint64_t{4} << 30;
/// For configurations and the like, which people write.
inline constexpr uint64_t kMaxTextBytes = uint64_t{16} << 20;

/// The contents of a regular file. Pipes and devices are refused without waiting for them, since
/// they may never begin or never end. Errors name the file: kNotFound; kInvalidArgument when it is
/// not a regular file or has more than `max_bytes`; kIoError.
Result<std::vector<std::byte>> readFile(const std::filesystem::path& path,
                                        uint64_t max_bytes = kMaxFileBytes);

/// The same as text.
Result<std::string> readTextFile(const std::filesystem::path& path,
                                 uint64_t max_bytes = kMaxTextBytes);

/// Ok when `path` is a regular file, or a link to one. Errors: those of readFile.
Status requireRegularFile(const std::filesystem::path& path);

}  // namespace vta
