// Inner loops of the functional simulator: GEMM over tables of rows and reduction steps, ALU over
// runs of lanes, packing and narrowing. One table of function pointers per instruction-set target;
// `selectKernels` picks one when a model is created.
//
// The GEMM kernels read *packed* copies of INP and WGT, whose layout each target chooses so that
// one 32-bit broadcast of inputs meets one vector of weights:
//   8-bit dot products   inputs as unsigned bytes (x ^ 0x80); weights [oc vector][ic/4][oc][4] with
//                        the correction -128 * sum(weights) per output channel behind each vector
//   16-bit pair products inputs and weights as int16, weights [oc vector][ic/2][oc][2]
//   scalar               both as in SRAM
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"

namespace vta::sim {

/// One step of a reduction: byte offsets into packed inputs (added to the row's) and weights.
struct GemmStep {
  uint32_t inp_offset_bytes = 0;  ///< of the packed inputs, added to that of the row
  uint64_t wgt_offset_bytes = 0;  ///< of the packed weights
};

/// One row of a result: BLOCK_OUT accumulators at `acc_offset_lanes`.
struct GemmRow {
  uint32_t inp_offset_bytes = 0;  ///< of the packed inputs
  uint32_t acc_offset_lanes = 0;  ///< in 32-bit accumulators
};

/// acc[row] += sum over steps of inp[row + step] * wgt[step]^T, wrapping at 32 bits.
/// Rows may share an accumulator. Pointers are into packed data.
struct GemmCall {
  const uint8_t* inp = nullptr;     ///< packed inputs
  const uint8_t* wgt = nullptr;     ///< packed weights
  int32_t* acc = nullptr;           ///< accumulators as in SRAM
  std::span<const GemmStep> steps;  ///< of the reduction, the same for all rows
  std::span<const GemmRow> rows;    ///< of one batch row each
  int block_in = 0;                 ///< inputs that one step multiplies
  int block_out = 0;                ///< accumulators of a row
};

/// dst[i] = op(dst[i], src ? src[i] : imm) for `lanes` lanes. `src` equals `dst` or does not
/// overlap it. QMUL always reads `src` and takes its shift from `imm`; CLIP takes its bounds from
/// `imm`. With a `bias`, which REQUANT alone has: ADD of `bias`, QMUL of `src` by `shift`, and CLIP
/// to the bounds in `imm`; neither overlaps `dst`. TABLE and LUT, which are about more than lanes,
/// change nothing here.
///
/// With accumulators of fewer than 32 bits, QMUL and what contains it saturate to these, and
/// REQUANT's sum wraps to them; the caller wraps the results (Scratchpads::wrapAcc).
struct AluCall {
  AluOpcode opcode = AluOpcode::kMin;  ///< any but TABLE and LUT does something
  int32_t* dst = nullptr;              ///< `lanes` accumulators, which are operand and result
  const int32_t* src = nullptr;        ///< null: immediate
  size_t lanes = 0;                    ///< any number
  int32_t imm = 0;                     ///< immediate, shift or bounds, as the operation has it
  int qmul_multiplier_bits = 0;        ///< of the multiplier in `src` of a QMUL
  int acc_width_bits = 32;             ///< of the hardware's accumulators, at most 32
  const int32_t* bias = nullptr;       ///< null for all but REQUANT
  int shift = 0;                       ///< of REQUANT
};

/// The functions of one instruction-set target. None keeps its pointers, and all may run in several
/// threads.
struct Kernels {
  const char* target;  ///< "AVX3_DL", ..., "scalar"
  /// Bytes of one batch row of a packed INP element, and of a packed WGT element.
  uint32_t (*packedInpRowBytes)(int block_in);
  /// Of a whole element, with its corrections.
  uint32_t (*packedWgtBytes)(int block_in, int block_out);
  /// Packs `bytes` bytes of INP, a multiple of a row, from SRAM's layout.
  void (*packInp)(const int8_t* inp, size_t bytes, uint8_t* packed);
  /// Packs `elements` elements of WGT from SRAM's layout, a byte for each weight.
  void (*packWgt)(const int8_t* wgt, size_t elements, int block_in, int block_out, uint8_t* packed);
  /// See GemmCall.
  void (*gemm)(const GemmCall& call);
  /// See AluCall.
  void (*alu)(const AluCall& call);
  /// Low 8 bits of each lane, and their sign extension back.
  void (*narrow)(const int32_t* src, size_t lanes, int8_t* dst);
  /// The sign extension of `lanes` bytes.
  void (*widen)(const int8_t* src, size_t lanes, int32_t* dst);
};

/// Kernels for `hw` on this machine: vectorised where both blocks are multiples of 4, else scalar.
/// Follows Highway's choice of target, including hwy::SetSupportedTargetsForTest.
const Kernels& selectKernels(const HwConfig& hw);

/// Plain C++ for any geometry.
const Kernels& scalarKernels();

}  // namespace vta::sim
