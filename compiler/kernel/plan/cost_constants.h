// Numbers by which the compiler estimates, and by which it decides where no estimate is exact.
//
// Each has a unit, its meaning and its origin:
//   timing   an approximation of docs/timing.md, for a memory of 16 cycles latency
//   fit      chosen by hand so that the model orders schedules as the cycle simulator does. Columns
//            "of the model alone" in docs/performance.md show how well all of them work together;
//            how near each is to its best value was not measured.
//   choice   a limit that keeps something small
// A wrong number costs cycles, never correctness: what fits is decided by the plan. Whoever changes
// one compares `bench_cycles --estimated` and `bench_schedules` before and after.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/config/hw_config.h"
#include "isa/spec/hls_timing.h"

namespace vta::kernel {

// ---- Latency and overheads of instructions, in cycles ------------------------------------------

/// What instructions cost besides their operations and bytes. Timing.
struct Overheads {
  double dma_insn;  // a LOAD or STORE
  double dma_row;   // a row of one
  double uop_insn;  // a LOAD of micro-ops, besides the memory's latency, for which it waits
  double gemm_insn;
  double alu_insn;
  double alu_operation = 1;  // an iteration of an ALU instruction
};
/// Engines that work side by side hide most of their pipelines' depths.
inline constexpr Overheads kConcurrentOverheads = {
    .dma_insn = 8, .dma_row = 1, .uop_insn = 8, .gemm_insn = 6, .alu_insn = 6};
/// One engine after the other drains each pipeline before the next instruction.
inline constexpr Overheads kInOrderOverheads = {
    .dma_insn = 8, .dma_row = 1, .uop_insn = 12, .gemm_insn = 8, .alu_insn = 14};
/// The published HLS core. Its rows wait for the memory's latency besides. Timing.
inline constexpr Overheads kHlsOverheads = {
    .dma_insn = hls_timing::kLoadInp.instruction(),
    .dma_row = hls_timing::kLoadInp.readRow(1, 1) - 1,
    .uop_insn = hls_timing::kLoadUop.instruction() + hls_timing::kLoadUop.readRow(1, 1) - 1,
    .gemm_insn = hls_timing::kEngineCycles,
    .alu_insn = hls_timing::kEngineCycles,
    .alu_operation = hls_timing::kAluInterval};

inline const Overheads& overheadsOf(const HwConfig& hw) {
  if (hw.params().hls_timing) return kHlsOverheads;
  return hw.params().concurrent_compute ? kConcurrentOverheads : kInOrderOverheads;
}

/// Cycles of each tile for tokens and for draining pipelines between its phases. Fit.
inline constexpr double kTileCycles = 16;

// ---- Shares and factors of the cost model, without a unit --------------------------------------

/// The share of hidden work that shows nevertheless, because neighbouring tiles are not equally
/// long. It makes the model prefer slack over none. Fit.
inline constexpr double kImbalance = 0.02;
/// ALU cycles of one maximum whose operands have different strides: often both operands are in one
/// bank, which takes a second cycle. Fit, on the poolings that combine inputs in ACC.
inline constexpr double kStridedPooling = 1.4;
/// Micro-ops at the border in comparison with those inside, where padding is skipped: fewer taps,
/// but the pixels take both hardware loops. Fit.
inline constexpr double kSkippedShape = 1.5;
/// Shapes of taps at the borders along one axis; more share their micro-op kernels. Choice.
inline constexpr double kMaxShapes = 4;

// ---- Decisions of the plan ---------------------------------------------------------------------

/// A third tile in ACC pays where the GEMMs of a tile take less than this times the ALU steps and
/// the store of the one before. Above 1, because GEMM and ALU meet at banks. Fit.
inline constexpr double kThirdTileMargin = 1.25;
/// Passes go to and fro where loads take at least this share of the cycles of the GEMMs. Below 1,
/// because bursts of loads are not hidden entirely. Fit.
inline constexpr double kAlternationMargin = 0.9;
/// Reduction steps up to so many GEMM cycles need more than two slots: their loads do not hide the
/// latency of the memory behind the ALU steps of a tile. Fit.
inline constexpr int64_t kShortStepCycles = 1024;
/// Slots of such steps, at most. Fit.
inline constexpr int64_t kShortStepSlots = 4;
/// Elements of a residual that comes in pieces, at least: shorter pieces are mostly overhead.
/// Choice.
inline constexpr int64_t kSmallestResidualPiece = 4;

// ---- Instructions ------------------------------------------------------------------------------

/// Micro-ops of one LOAD, at most: more would keep the first instructions waiting. Fit.
inline constexpr uint32_t kMaxUopLoad = 1024;

// ---- The space of schedules, in numbers of sizes -----------------------------------------------

/// Up to so many pieces of an axis, every number of pieces is a candidate; from there on numbers
/// grow by half. Choice, between the size of the space and what bench_schedules finds in all of it.
inline constexpr int64_t kExactPiecesOfPixels = 8;
inline constexpr int64_t kExactPiecesOfBlocks = 4;
/// The same for an image as one row, where numbers grow by this part of themselves: a scratchpad
/// may be just large enough for one of them.
inline constexpr int64_t kExactPiecesOfRow = 16;
/// Of a row, sizes up to this many pixels and the first numbers of pieces are taken exactly; others
/// are whole rounds of ACC's banks.
inline constexpr int64_t kExactRowPixels = 16;
inline constexpr int64_t kExactRowPieces = 4;

// ---- The search of measured schedules ----------------------------------------------------------

/// Cycles that the search of one kernel may simulate after the first kEnoughMeasured schedules, and
/// after the first kFewestMeasured ones. Choice: some ten milliseconds for each kernel.
inline constexpr uint64_t kMeasuredCycles = 2'000'000;
inline constexpr uint64_t kMostMeasuredCycles = 8'000'000;
/// Schedules that are measured: at least, where they are large; usually; at most. Choice.
inline constexpr size_t kFewestMeasured = 3;
inline constexpr size_t kEnoughMeasured = 7;
inline constexpr size_t kMostMeasured = 50;
/// Of these, how many come from the survey of the space instead of from neighbours of the fastest,
/// and how many of the model's best are measured whatever they are like. Fit.
inline constexpr size_t kMostSurveyed = 28;
inline constexpr size_t kBestOfModel = 8;
/// Schedules that the model ranks and the search looks at. Choice.
inline constexpr size_t kCandidates = 2000;
/// The share of the bus that instruction fetch may take, and how many cycles of a kernel each cycle
/// of the bus beyond it is worth. Choice: other layers and other masters need the bus, too.
inline constexpr double kFetchShare = 0.03;
inline constexpr double kFetchWorth = 0.25;

}  // namespace vta::kernel
