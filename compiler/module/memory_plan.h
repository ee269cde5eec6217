// Memory plan: places buffers of known lifetimes in one arena, reusing memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vta::compiler {

/// A buffer that must keep its bytes from step `first_step` to step `last_step`, both included. A
/// result of the step that last reads an operand is therefore never placed over that operand.
struct BufferLifetime {
  uint64_t size_bytes = 0;
  int64_t first_step = 0;
  int64_t last_step = 0;

  bool overlaps(const BufferLifetime& other) const {
    return first_step <= other.last_step && other.first_step <= last_step;
  }
};

struct MemoryPlan {
  std::vector<uint64_t> offsets_bytes;  // one for each buffer, multiples of the alignment
  uint64_t peak_bytes = 0;              // size of the arena
};

/// Places every buffer. `alignment_bytes` is a power of two; sizes are rounded up to it. Unless
/// `range_bytes` is 0, buffers lie across no multiple of it, or begin at one if they are larger.
MemoryPlan planMemory(std::span<const BufferLifetime> buffers, uint64_t alignment_bytes,
                      uint64_t range_bytes = 0);

/// No plan can be smaller: the largest sum of rounded sizes that are live at one step.
uint64_t lowerBoundBytes(std::span<const BufferLifetime> buffers, uint64_t alignment_bytes);

}  // namespace vta::compiler
