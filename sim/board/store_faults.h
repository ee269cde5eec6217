// Faults of what a launch has stored: `now` is the memory behind the launch, `before` in front.
#pragma once

#include <cstddef>
#include <span>

namespace vta::sim {

/// Takes back the last third of the longest range that was stored.
void truncateStores(std::span<std::byte> now, std::span<const std::byte> before);

/// Puts the second half of the longest range that was stored some lines further on.
void displaceStores(std::span<std::byte> now, std::span<const std::byte> before);

/// Inverts a bit in the middle of the longest range that was stored.
void flipStoredBit(std::span<std::byte> now, std::span<const std::byte> before);

}  // namespace vta::sim
