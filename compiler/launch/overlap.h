// overlapLayers: a linked program whose layers overlap in time as far as their data allow.
#pragma once

#include <cstdint>
#include <span>

#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::compiler {

/// `program` with barriers between its layers replaced by the dependences that its data have: loads
/// move ahead of earlier compute instructions, a layer's load waits for those stores of earlier
/// layers that it reads (or that lie where it reads) and for no others, and micro-ops that are in
/// the buffer already are not loaded again. Tokens are assigned anew. The order within each unit
/// stays, so results are the same; symbols still name every instruction's layer.
///
/// `buffer_addresses[i]` is the device address of buffer i: buffers may overlap, as a memory plan
/// places them. Buffers of kinds kConstant and kUop are never stored to. A program comes back
/// unchanged if it leaves its memories, if its own order is not an execution order, or if the
/// queues of `hw` have no room for the result.
Program overlapLayers(const Program& program, const HwConfig& hw,
                      std::span<const uint64_t> buffer_addresses);

}  // namespace vta::compiler
