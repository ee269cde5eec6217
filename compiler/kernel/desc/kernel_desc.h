// KernelDesc: what one offloaded kernel computes, in packed operands. No MLIR types.
//
// Packed layouts, for a configuration with BATCH b and blocks bi (input) and bo (output):
//   activations  [N/b][C/blk][H][W][b][blk]   int8; blk is bi when read by LOAD INP, bo when stored
//   weights      [OC/bo][IC/bi][KH][KW][bo][bi]  int8; IC counts one group's input blocks. With
//                Geometry::folds() as depthwise GEMMs read them, [OC/bo][1][KH][tapGroups][bo][bi].
//                Other places: WeightLayout
//   parameters   [param][OC/bo][b][bo]        int32, one ACC element per output-channel block;
//                REQUANT's first two vectors are interleaved, [OC/bo][2][b][bo]: multiplier, bias
// Where outputs are interleaved (Geometry::interleave_y), the stored tensor has other extents than
// the accumulators: storedBlocks, storedHeight, storedWidth.
// Sizes below are counts of blocks ("_blocks") or pixels. A configuration whose two blocks differ
// is served by repacking on the host between kernels; a kernel itself never converts layouts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"

namespace vta::kernel {

enum class KernelKind : uint8_t {
  kContraction,  // convolution, dense, matmul: GEMM core
  kMaxPool,      // maximum over a window
  kSumPool,      // sum over a window (average pooling before its requantisation)
  kElementwise,  // epilogue only: acc starts as the sign-extended input
};

/// What is stored beyond an image: its outermost row or column again, its rows and columns mirrored
/// at the outermost one, or those of its other end.
enum class Border : uint8_t { kEdge, kReflect, kWrap };

/// Spatial geometry, output-driven. Dense and matmul are 1x1 with out_height 1 and out_width =
/// rows.
struct Geometry {
  int64_t batch_blocks = 1;
  int64_t in_channel_blocks = 1;   // all groups together
  int64_t out_channel_blocks = 1;  // all groups together
  int64_t groups = 1;              // divides both; a depthwise layer has one block per group
  int64_t in_height = 1, in_width = 1;
  int64_t out_height = 1, out_width = 1;
  int64_t kernel_height = 1, kernel_width = 1;
  int64_t stride_y = 1, stride_x = 1;
  int64_t dilation_y = 1, dilation_x = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  int64_t pad_value = 0;  // what padding holds: an int8
  // Stored rows and columns for each output row and column. With one phase, an output is stored at
  // all of these places (resize to the nearest neighbour). With interleave_y * interleave_x phases
  // the output's channel blocks are that many tensors, one for each place (depth to space). Where a
  // group's blocks are as many times several, they are the tensors of that group. Of the
  // image that this gives, the crops are not stored. Where a crop is negative, so many rows or
  // columns more are stored, which `border` takes from the image. With kWrap, crops of opposite
  // sign at the two ends roll the image.
  int64_t interleave_y = 1, interleave_x = 1;
  int64_t phases = 1;
  // Depthwise kernels on hardware with the extension: taps of a kernel row that one GEMM adds, and
  // columns from the first tap of one GEMM to that of the next. Together they reach the whole row,
  // some taps twice, of which one has weights of zero.
  int64_t fold_taps = 1, fold_pitch = 1;
  int64_t crop_top = 0, crop_left = 0, crop_bottom = 0, crop_right = 0;
  Border border = Border::kEdge;

  bool operator==(const Geometry&) const = default;
  int64_t inBlocksPerGroup() const { return in_channel_blocks / groups; }
  int64_t outBlocksPerGroup() const { return out_channel_blocks / groups; }
  bool folds() const { return fold_taps > 1; }
  /// GEMMs of a kernel row.
  int64_t tapGroups() const { return (kernel_width - fold_taps) / fold_pitch + 1; }
  /// Elements of WGT for a pair of channel blocks.
  int64_t weightElems() const { return kernel_height * tapGroups(); }
  bool isInterleaved() const { return interleave_y > 1 || interleave_x > 1; }
  bool isPadded() const { return pad_top > 0 || pad_left > 0 || pad_bottom > 0 || pad_right > 0; }
  /// Whether the output is stored as it is computed.
  bool storesAll() const {
    return !isInterleaved() && crop_top == 0 && crop_left == 0 && crop_bottom == 0 &&
           crop_right == 0;
  }
  /// Whether outputs are stored beyond their image.
  bool extends() const {
    return crop_top < 0 || crop_left < 0 || crop_bottom < 0 || crop_right < 0;
  }
  int64_t storedBlocks() const { return out_channel_blocks / phases; }
  /// Stored blocks that lie side by side in each phase: those of a group, or all.
  int64_t blocksPerPhase() const {
    return outBlocksPerGroup() % phases == 0 ? outBlocksPerGroup() / phases : storedBlocks();
  }
  /// The phase of output block `block`, and the stored block that it is a part of.
  int64_t phaseOf(int64_t block) const { return block / blocksPerPhase() % phases; }
  int64_t storedBlockOf(int64_t block) const {
    const int64_t side = blocksPerPhase();
    return block / (side * phases) * side + block % side;
  }
  /// The output block with the outputs of stored block `stored` in `phase`.
  int64_t outputBlock(int64_t stored, int64_t phase) const {
    const int64_t side = blocksPerPhase();
    return (stored / side * phases + phase) * side + stored % side;
  }
  int64_t storedHeight() const { return out_height * interleave_y - crop_top - crop_bottom; }
  int64_t storedWidth() const { return out_width * interleave_x - crop_left - crop_right; }
};

/// Where a contraction's weights lie in DRAM. A product of two activations reads its second operand
/// as another kernel has stored it: a matrix whose R rows fill whole elements of WGT, with the
/// columns of all groups side by side.
enum class WeightLayout : uint8_t {
  kTiles,       // [OC/bo][IC/bi][KH][KW][bo][bi], in front of all kernels
  kOutputRows,  // [groups * IC/bi][R = OC][bi]: a row is an output channel; blocks of one size
  kInputRows,   // [OC/bo][R = IC][bo]: a row is an input channel; hardware with `transpose`. The
                // columns of a window are elements of a pixel, whose channels follow each other
};

/// Elements of WGT in DRAM from the weights of one block to those of the next.
struct WeightStrides {
  int64_t group = 0, out_block = 0, in_block = 0;  // blocks of one group
};

/// One ALU operation on every accumulator vector of the output tile: x = op(x, operand).
struct EpilogueStep {
  enum class Source : uint8_t {
    kImmediate,  // imm; also CLIP's packed bounds (docs/isa.md, Extensions). LUT has an imm of 0
    kParam,      // channel parameter vector `param`; for QMUL, imm is the shift. REQUANT has two,
                 // 0 and 1, and its bounds in imm
    kResidual,   // the residual tile, after its own steps
    kSelf,       // x itself: a MUL squares it. QMUL's imm is the shift
  };
  AluOpcode opcode = AluOpcode::kAdd;
  Source source = Source::kImmediate;
  int32_t imm = 0;
  int32_t param = 0;  // index into the parameter buffer's first dimension
  bool operator==(const EpilogueStep&) const = default;
  /// Whether the operand is a constant of the channel.
  bool hasConstant() const { return source == Source::kImmediate || source == Source::kParam; }
};

/// A second int8 activation, with the shape of the output or KernelDesc::residual_per_image,
/// sign-extended into accumulators, changed
/// by `steps` (no residual sources) and then used by the epilogue's kResidual steps, of which there
/// may be several.
struct Residual {
  std::vector<EpilogueStep> steps;
  bool operator==(const Residual&) const = default;
};

/// Maximum over windows of a contraction's accumulators, before the epilogue: what a following
/// maximum pooling becomes where the epilogue is monotone. Places outside the accumulators' plane
/// take no part. The kernel's output has out_height x out_width pixels.
struct Pool {
  int64_t out_height = 1, out_width = 1;
  int64_t kernel_height = 1, kernel_width = 1;
  int64_t stride_y = 1, stride_x = 1;
  int64_t pad_top = 0, pad_left = 0;
  bool operator==(const Pool&) const = default;
};

/// One kernel. Result: low out_width bits of the accumulator after the epilogue, element by
/// element. For kMaxPool, kSumPool and kElementwise, in_channel_blocks == out_channel_blocks ==
/// groups and activations are read with block bo. Padding contributes pad_value to contractions and
/// pools; of a maximum pooling it is 0 or -128.
struct KernelDesc {
  std::string name;
  KernelKind kind = KernelKind::kContraction;
  Geometry geometry;
  int64_t num_params = 0;  // first dimension of the parameter buffer
  std::vector<EpilogueStep> epilogue;
  WeightLayout weight_layout = WeightLayout::kTiles;  // contractions only
  // Contractions whose weights have factors: input blocks that share one, counted within each of
  // the geometry's groups; 0 where there are none. When the products of so many blocks are summed
  // up, what the accumulators hold by then is multiplied by a parameter, modulo 2^acc_width. The
  // last parameters are these, in order (compiler/kernel/weights/weight_factors.h says what for).
  int64_t factor_blocks = 0;
  std::optional<Residual> residual;
  // The residual has one element for each channel block of an image, [N/b][OC/bo][1][1][b][bo]: all
  // pixels of the image share it.
  bool residual_per_image = false;
  // Only for contractions without a residual whose outputs are neither interleaved nor cropped.
  std::optional<Pool> pool;
  // A promise on constants (bias_folding.h): the epilogue's first step is an ADD of the bias, and
  // no lane of the bias is below any result of the epilogue. One MAX with the bias then does two
  // things to accumulators that hold results: it clears them and adds the bias.
  bool bias_exceeds_results = false;
  std::vector<int32_t> small_bias_blocks;  // channel blocks, ascending, that it leaves out
  // What LUT steps give for -128, -127, ..., 127: 256 results, the same for all channels. Empty
  // without such steps.
  std::vector<int8_t> table;

  bool operator==(const KernelDesc&) const = default;

  /// Pixels of the output, before they are interleaved.
  int64_t outHeight() const { return pool ? pool->out_height : geometry.out_height; }
  int64_t outWidth() const { return pool ? pool->out_width : geometry.out_width; }
  /// The geometry with these pixels in place of those of the accumulators.
  Geometry outputGeometry() const {
    Geometry outputs = geometry;
    outputs.out_height = outHeight();
    outputs.out_width = outWidth();
    return outputs;
  }

  /// Whether a step's operand is a pair of parameter vectors, the first two.
  bool hasPair() const;
  /// Whether a step looks up the table.
  bool hasLookup() const;
  /// Steps of the epilogue that use the residual.
  int64_t residualUses() const;

  /// Of the layout, for a contraction.
  WeightStrides weightStrides() const;

  /// How often accumulators are multiplied on their way (factor_blocks).
  int64_t numFactors() const {
    if (factor_blocks == 0) return 0;
    return (geometry.inBlocksPerGroup() + factor_blocks - 1) / factor_blocks;
  }
  /// The parameter by which they are multiplied when those of `number` are summed up.
  int32_t factorParam(int64_t number) const {
    return static_cast<int32_t>(num_params - numFactors() + number);
  }

  /// Multiply-accumulates, counted on the packed sizes (contractions only; 0 otherwise).
  int64_t macs(const HwConfig& hw) const;
};

/// The kind of padding with which a LOAD of `hw` writes `value`; none where it cannot.
std::optional<PadKind> loadedPadding(int64_t value, const HwConfig& hw);

/// Checks internal consistency and that every ALU operation exists on `hw`.
Status validateKernelDesc(const KernelDesc& desc, const HwConfig& hw);

/// The buffers of a lowered kernel: these names, in this order, absent ones left out.
inline constexpr const char* kInputBuffer = "input";        // [N/b][IC/bi][H][W][b][bi] int8
inline constexpr const char* kWeightBuffer = "weight";      // contractions only
inline constexpr const char* kParamBuffer = "param";        // num_params > 0 only
inline constexpr const char* kResidualBuffer = "residual";  // with a residual only
inline constexpr const char* kOutputBuffer = "output";      // [N/b][OC/bo][H][W][b][bo], as stored
inline constexpr const char* kIdentityBuffer = "identity";  // when the lowering loads int8 by GEMM
inline constexpr const char* kTableBuffer = "table";        // with LUT steps only
inline constexpr const char* kPaddingBuffer = "padding";    // [b][bi] int8, when no LOAD makes it
inline constexpr const char* kUopBuffer = "uop";

/// `desc` for comparisons: what a schedule depends on.
KernelDesc withoutName(KernelDesc desc);

/// Whether a buffer of constants follows from kernel and schedule (lower.h has the contents).
bool isMadeByLowering(std::string_view buffer);

}  // namespace vta::kernel
