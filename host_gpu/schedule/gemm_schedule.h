// How a kernel for GPUs computes a product of matrices: its tiles. Free of MLIR: searches use it,
// too.
#pragma once

#include <cstdint>
#include <string>

namespace vta::codegen {

/// What a kernel has to keep to. The defaults are what every device with Vulkan 1.1 has.
struct GpuKernelLimits {
  int64_t invocations = 128;  // of a workgroup
  int64_t shared_bytes = 16384;
  int64_t workgroups = 65535;  // in each direction
};

/// C[b][m][n] += A[b][m][k] * B[b][k][n], in words of 32 bits.
struct GemmSpec {
  int64_t batch = 1;
  int64_t rows = 1;     // m
  int64_t columns = 1;  // n
  int64_t depth = 1;    // k
};

/// A workgroup computes a block of C. It goes through k in steps, for which it copies its parts of
/// A and B into memory that its invocations share. Each invocation has a tile of the block in
/// registers.
struct GemmSchedule {
  int64_t block_rows = 16, block_columns = 16, block_depth = 8;
  int64_t tile_rows = 2, tile_columns = 2;

  int64_t invocationsDown() const { return block_rows / tile_rows; }
  int64_t invocationsAcross() const { return block_columns / tile_columns; }
  int64_t invocations() const { return invocationsDown() * invocationsAcross(); }
  int64_t sharedBytes() const { return (block_rows + block_columns) * block_depth * 4; }

  bool operator==(const GemmSchedule&) const = default;
};

/// The sums that an invocation can keep in registers.
inline constexpr int64_t kMostTileElems = 64;

/// The rule that `schedule` breaks, as a sentence with its numbers; empty if it breaks none.
std::string brokenRule(const GemmSpec& spec, const GemmSchedule& schedule,
                       const GpuKernelLimits& limits);

/// One that breaks no rule: the largest blocks that the product fills, as long as there are
/// workgroups enough to occupy a GPU.
GemmSchedule defaultGemmSchedule(const GemmSpec& spec, const GpuKernelLimits& limits);

}  // namespace vta::codegen
