// Parts of a data set: points that one thread computes, and the file that holds them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "explore/tune/dataset/columns.h"

namespace vta::tune {

inline constexpr int64_t kPointsOfPart = 1000;

/// Calls `visit` for each of the first `points` points of part number `part`, in their order, until
/// *stop becomes true. They depend on these numbers, the seed and the version of the compiler
/// alone. What a point refers to lives as long as the call. Errors: the simulator or the lowering
/// refuses a legal schedule, which is a defect of ours.
Status visitPoints(uint64_t seed, int64_t part, int64_t points, const std::atomic<bool>& stop,
                   const std::function<void(const Point&)>& visit);

/// The .npz file of the first `points` points of part number `part`. It depends on these numbers,
/// the seed and the version of the compiler alone. `done` hears of points as they are finished.
/// Nothing when *stop becomes true. Errors: those of visitPoints.
Result<std::optional<std::string>> makePart(uint64_t seed, int64_t part, int64_t points,
                                            const std::atomic<bool>& stop,
                                            const std::function<void(int64_t)>& done = {});

}  // namespace vta::tune
