// SramPlan: what lies where in the scratchpads while a kernel runs, and whether it fits.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/pool_plan.h"
#include "compiler/kernel/desc/tiling.h"
#include "compiler/kernel/lower.h"

namespace vta::kernel {

/// How the accumulators of a tile come about.
enum class Method : uint8_t {
  kGemm,         // reduction by GEMM: contractions; pooling with identity weights
  kAluPool,      // reduction by the ALU over inputs held in ACC
  kElementwise,  // the input itself
};

/// Equal slots of a scratchpad.
struct SlotRange {
  uint32_t base = 0;
  uint32_t elems = 0;  // of one slot
  uint32_t count = 0;
  uint32_t gap = 0;       // elements between neighbouring slots
  bool from_top = false;  // slot 0 is the last one
  uint32_t end() const { return count == 0 ? base : base + (elems + gap) * count - gap; }
  uint32_t slotBase(uint32_t slot) const {
    return base + (from_top ? count - 1 - slot : slot) * (elems + gap);
  }
};

/// When parameter vectors are loaded.
enum class ParamMode : uint8_t {
  kResident,  // all of them, once
  kPerTile,   // those of the channel tile, when it changes
  kPerStep,   // one vector at a time, right before its use
};

struct SramPlan {
  // INP: regions of reduction steps; staging of int8 operands on their way to ACC; two elements
  // that hold the padding value for taps outside the input.
  SlotRange inp;
  SlotRange staging;
  uint32_t pad_base = 0;
  bool has_pad = false;
  // WGT: weights of reduction steps; the identity matrix.
  SlotRange wgt;
  uint32_t identity_base = 0;
  bool has_identity = false;
  // ACC: output tiles; ALU pooling's input region; rows carried from tile to tile; the residual
  // tile and parameters, twice where there are three tiles.
  SlotRange acc;
  SlotRange pool_input;
  SlotRange residual;
  bool residual_in_pieces = false;  // its slots hold parts of a tile, one after the other
  SlotRange carry;
  SlotRange param;
  ParamMode param_mode = ParamMode::kResident;
  bool from_top = false;  // of the micro-op buffer, too

  /// Which copy of the parameters or of the residual belongs to the tile at `tile_base`: of two,
  /// the last tile's is the second.
  uint32_t copyNumber(const SlotRange& range, uint32_t tile_base) const {
    return range.count > 1 && tile_base == acc.slotBase(acc.count - 1) ? 1 : 0;
  }
  uint32_t copyFor(const SlotRange& range, uint32_t tile_base) const {
    return range.slotBase(copyNumber(range, tile_base));
  }
};

/// Mirrors `plan`: what began at the first element of a scratchpad ends at its last.
void placeFromTop(SramPlan& plan, const HwConfig& hw);

/// Everything the lowering derives before it emits.
struct KernelPlan {
  // What the GEMM core or the ALU reduces: the kernel's, or for maximum pooling in place a 1x1
  // contraction with the identity. `outputs` is the same with the pixels of the kernel's output.
  Geometry geometry;
  Geometry outputs;
  std::optional<PoolPlan> pool;  // of the accumulators, in place
  Tiling tiling;
  SramPlan sram;
  Method method = Method::kGemm;
  bool identity_weights = false;  // kGemm with the identity for every tap
  bool residual_by_gemm = false;  // the residual is accumulated by GEMM, without its own tile
  bool pipelined =
      false;  // engines work side by side: the ALU on one tile, GEMM or loads on the next
  // Tiles and steps turn round at the end of each pass, so that what lies in the scratchpads there
  // is used again: where loads, not the GEMM core, take the time.
  bool alternates = false;
  bool reset_by_alu = false;  // tiles are cleared by the ALU, which has time where GEMM has none
  // Tiles begin with the bias, by one MAX with what their slot holds; the first of each slot, where
  // anything may be, is cleared and gets the bias in its epilogue.
  bool begins_with_bias = false;
};

/// Why a schedule does not fit: `resource` needs `need` where `limit` is available.
struct PlanFailure {
  const char* resource = nullptr;
  int64_t need = 0;
  int64_t limit = 0;
};

/// True and `plan`, or false and `failure`. `desc` must be valid for `hw`.
bool makePlan(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
              KernelPlan& plan, PlanFailure& failure);

/// How often a GEMM kernel's input and weights are loaded, parts of them counted as such.
struct OperandPasses {
  double inputs = 1;
  double weights = 1;
};
OperandPasses operandPasses(const KernelPlan& plan, Schedule::Order order);

/// Whether int8 operands other than a contraction's inputs occur at all.
bool hasInt8Operands(const KernelDesc& desc);

}  // namespace vta::kernel
