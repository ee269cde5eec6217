// A scalar interpreter of programs whose units take turns at random, within what tokens allow: a
// program that misses a token gives wrong results for some seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::kernel::testing {

/// Runs `program` on `buffers` (one byte vector per program.buffers entry; the micro-op buffer's is
/// ignored). Returns "" or why it stopped: deadlock, left-over tokens, an access out of bounds.
std::string interpret(const Program& program, const HwConfig& hw,
                      std::vector<std::vector<uint8_t>>& buffers, uint64_t seed);

}  // namespace vta::kernel::testing
