// The rate of float multiply-adds in registers, with the widest vectors that the CPU has.
#pragma once

#include <cstdint>

namespace vta::codegen {

/// Runs `rounds` rounds of independent multiply-adds; the result only keeps them alive.
float multiplyAddRounds(int64_t rounds);
/// Float operations (two for each multiply-add) in one round.
double multiplyAddFlopsPerRound();

}  // namespace vta::codegen
