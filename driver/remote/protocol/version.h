// What clients and servers of remote devices have to agree on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vta::remote {

/// Versions of the protocol that this build speaks. A change that an older peer would misunderstand
/// makes a new one.
inline constexpr uint32_t kLowestVersion = 1;
inline constexpr uint32_t kHighestVersion = 1;

/// For messages about versions.
inline constexpr std::string_view kSdk = "VTA SDK 0.1.0";

/// Buffers travel in pieces of at most this size.
inline constexpr size_t kChunkBytes = size_t{1} << 20;

/// The largest message that a server takes: a chunk and its envelope.
inline constexpr int kMaxRequestBytes = (1 << 20) + (1 << 16);

}  // namespace vta::remote
