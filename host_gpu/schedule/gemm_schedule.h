// How a kernel for GPUs computes a product of matrices: its tiles. Free of MLIR: searches use it,
// too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vta::codegen {

/// What a kernel has to keep to. The defaults are what every device with Vulkan 1.1 has.
struct GpuKernelLimits {
  int64_t invocations = 128;  // of a workgroup
  int64_t shared_bytes = 16384;
  int64_t workgroups = 65535;              // in each direction
  int64_t range_bytes = int64_t{1} << 27;  // of memory that a kernel binds at once
  int64_t warp = 0;                        // invocations that share tensor cores; 0: there are none
  int64_t warps_together = 0;  // that share an instruction of tensor cores; 0: there is none
};

/// The least architecture whose warps have tensor cores, and the only one where kWarpsTogether
/// warps have an instruction together: targets of PTX.
inline constexpr const char* kTensorArchitecture = "sm_80";
inline constexpr const char* kGroupArchitecture = "sm_90a";
inline constexpr int64_t kWarpsTogether = 4;

/// llvmpipe ends the loops of an invocation after so many rounds of all of them together. Finding
/// the end of a loop is a round, too.
inline constexpr int64_t kMostLoopRounds = 65535;

/// What the factors' elements are in memory, as signed numbers; kInt32: any other integers. Sums
/// are f32 of floats, and int32 of integers.
enum class GemmElement : uint8_t { kF32, kF16, kInt8, kInt32 };

/// C[b][m][n] += A[b][m][k] * B[b][k][n].
struct GemmSpec {
  int64_t batch = 1;
  int64_t rows = 1;     // m
  int64_t columns = 1;  // n
  int64_t depth = 1;    // k
  GemmElement element = GemmElement::kF32;

  bool operator==(const GemmSpec&) const = default;
};

/// What computes the products.
enum class GemmTier : uint8_t {
  kSimt,    // each invocation by itself, in words of 32 bits
  kDot4,    // each invocation by itself, four int8 of a word at once
  kTensor,  // the matrix units of a warp's invocations
  kGroup,   // those of four warps together
};

/// The direction that neighbouring workgroups go in.
enum class GemmOrder : uint8_t { kAlongColumns, kAlongRows };

/// A workgroup computes a block of C. It goes through k in steps, for which it copies its parts of
/// A and B into memory that its invocations share. Each invocation has a tile of the block in
/// registers; with tensor cores each warp has one.
struct GemmSchedule {
  int64_t block_rows = 16, block_columns = 16, block_depth = 8;
  int64_t tile_rows = 2, tile_columns = 2;  // kSimt and kDot4
  int64_t warp_rows = 0, warp_columns = 0;  // kTensor and kGroup
  int64_t stages = 1;                       // steps in shared memory: copies run ahead by one less
  /// Parts of the depth that invocations of a workgroup sum beside each other, each with a step of
  /// its own. The parts' sums are added in order.
  int64_t split_depth = 1;
  /// Parts of the depth that have workgroups of their own, which write their sums to memory. A
  /// second kernel adds them in order: products with few results get workgroups enough so.
  int64_t split_grid = 1;
  int64_t vector = 1;  // neighbours in memory that an invocation copies together: 1, 2 or 4
  int64_t unroll = 1;  // elements of the depth, kDot4: words, whose products are written out
  GemmTier tier = GemmTier::kSimt;
  GemmOrder order = GemmOrder::kAlongColumns;

  int64_t invocationsDown() const { return block_rows / tile_rows; }
  int64_t invocationsAcross() const { return block_columns / tile_columns; }
  bool isTensor() const { return tier == GemmTier::kTensor || tier == GemmTier::kGroup; }
  /// Of a workgroup; of warps of 32 with tensor cores.
  int64_t invocations() const;
  /// What a step of a workgroup takes of the depth, all parts of it together.
  int64_t stepDepth() const { return block_depth * split_depth; }
  /// Elements of the depth that one element of shared memory has.
  int64_t packed() const { return tier == GemmTier::kDot4 ? 4 : 1; }

  bool operator==(const GemmSchedule&) const = default;
};

/// The depth that a part of the grid sums: whole steps, which may go beyond the end.
int64_t partDepth(const GemmSpec& spec, const GemmSchedule& schedule);

/// The sums that all parts of the grid write to memory, in bytes; 0 if there is one part.
int64_t partBytes(const GemmSpec& spec, const GemmSchedule& schedule);

/// Of the grid, for all batches and parts.
int64_t workgroupsOf(const GemmSpec& spec, const GemmSchedule& schedule);

/// The rounds of all loops of an invocation.
int64_t loopRounds(const GemmSpec& spec, const GemmSchedule& schedule);

/// What a workgroup shares.
int64_t sharedBytes(const GemmSpec& spec, const GemmSchedule& schedule);

/// A number of a schedule, for what reads, writes or searches schedules. Enumerations are numbers.
struct GemmScheduleField {
  /// What it is a part of: the block with its tiles, or the walk through the depth.
  enum class Part : uint8_t { kTile, kWalk };

  std::string_view name;
  int64_t (*get)(const GemmSchedule& schedule);
  void (*set)(GemmSchedule& schedule, int64_t value);
  std::span<const int64_t> values;  // that searches try
  Part part = Part::kWalk;
  uint32_t tiers = ~0u;                      // that it means something for, a bit for each
  int64_t most = 4096;                       // legal value of any
  std::span<const int64_t> tensor_values{};  // for kTensor and kGroup; empty: `values`

  bool isFor(GemmTier tier) const { return (tiers >> static_cast<unsigned>(tier) & 1) != 0; }
  std::span<const int64_t> valuesFor(GemmTier tier) const {
    const bool is_tensor = tier == GemmTier::kTensor || tier == GemmTier::kGroup;
    return is_tensor && !tensor_values.empty() ? tensor_values : values;
  }
};

/// All fields, in the order of their declaration.
std::span<const GemmScheduleField> gemmScheduleFields();

/// The sums that an invocation can keep in registers.
inline constexpr int64_t kMostTileElems = 64;

/// The rule that `schedule` breaks, as a sentence with its numbers; empty if it breaks none.
std::string brokenRule(const GemmSpec& spec, const GemmSchedule& schedule,
                       const GpuKernelLimits& limits);

/// One that breaks no rule: the largest blocks that the product fills, as long as there are
/// workgroups enough to occupy a GPU. The grid shares the depth where that takes half of the time
/// or less by estimateGemmNanoseconds.
GemmSchedule defaultGemmSchedule(const GemmSpec& spec, const GpuKernelLimits& limits);

/// What GPUs of NVIDIA with tensor cores have.
inline constexpr GpuKernelLimits kTensorLimits = {.invocations = 256,
                                                  .shared_bytes = 49152,
                                                  .workgroups = 65535,
                                                  .warp = 32,
                                                  .warps_together = kWarpsTogether};

/// The same for tensor cores by `tier`, with so many parts of the grid. None if every schedule
/// breaks a rule.
std::optional<GemmSchedule> defaultTensorSchedule(const GemmSpec& spec,
                                                  const GpuKernelLimits& limits = kTensorLimits,
                                                  int64_t split_grid = 1,
                                                  GemmTier tier = GemmTier::kTensor);

/// The schedule that a device of these limits runs where nobody has chosen one: a default for its
/// tensor cores if there is one, else defaultGemmSchedule.
GemmSchedule usualGemmSchedule(const GemmSpec& spec, const GpuKernelLimits& limits);

/// The schedule that devices without tensor cores run beside `schedule`: `schedule` itself if it is
/// for no tensor cores, else the default with as many parts of the grid. None: the default breaks a
/// rule with so many.
std::optional<GemmSchedule> plainGemmSchedule(const GemmSpec& spec, const GemmSchedule& schedule,
                                              const GpuKernelLimits& limits);

}  // namespace vta::codegen
