// Which of a launch's cycles are those of which of its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/launch/recording.h"
#include "isa/program/program.h"

namespace vta::driver {

/// The step of each instruction of a launch, counted from the launch's first. `names` are those of
/// the steps' layers, which the program's symbols name. Steps overlap, but each unit works on one
/// after the other. Instructions before the first symbol belong to the first step.
std::vector<uint32_t> stepsOfInstructions(const Program& program,
                                          std::span<const std::string_view> names);

/// For each of `count` steps the cycles from the end of the steps before it to the end of its own
/// last instruction; what follows the last instruction is the last step's. Their sum is
/// trace.cycles. `steps` is by instruction.
std::vector<uint64_t> recordedShares(const Recording& trace, std::span<const uint32_t> steps,
                                     size_t count);

/// `cycles` in proportion to what steps take `alone`; their sum is `cycles`.
std::vector<uint64_t> proportionalShares(uint64_t cycles, std::span<const uint64_t> alone);

}  // namespace vta::driver
