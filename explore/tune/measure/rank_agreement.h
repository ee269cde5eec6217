// How far two ways of measuring order schedules alike.
#pragma once

#include <cstdint>
#include <span>

namespace vta::tune {

/// Spearman's rank correlation of two measurements of the same schedules, equal values sharing
/// their ranks: 1 for the same order, -1 for the opposite one, and 0 when either tells none of them
/// apart. The spans have one length.
double rankAgreement(std::span<const uint64_t> a, std::span<const uint64_t> b);

}  // namespace vta::tune
