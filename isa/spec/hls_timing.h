// The cycles of the published HLS core, VTA 0.0.2: what `timing: hls-0.0.2` counts.
//
// docs/timing.md ("The published HLS core") says where each number comes from. They hold for the
// RTL that Vivado HLS made of the published source (apache/tvm-vta, hardware/xilinx/src/vta.cc) for
// the default geometry. The cycle simulator and the compiler's cost model take them from here.
#pragma once

#include <cstdint>

namespace vta::hls_timing {

/// Cycles from the state of a unit that asks for a row to the first in which the port offers its
/// first burst.
inline constexpr uint64_t kRequestLatency = 7;
/// Cycles from the arrival of a beat at the port to the first in which the unit can take it.
inline constexpr uint64_t kReturnLatency = 4;
/// Cycles from a push into a queue of instructions or tokens to the first in which a unit can take
/// what was pushed: a register stage, the FIFO (2), a register stage.
inline constexpr uint64_t kQueueLatency = 4;
/// Instructions of a queue that are in the register stages before and behind its FIFO.
inline constexpr uint64_t kQueueSlices = 4;
/// Cycles from the start of an instruction to that of the next one in the same queue until which a
/// full FIFO has room again.
inline constexpr uint64_t kQueueRoomLatency = 3;

/// What an instruction that moves rows costs besides its data, in cycles. Padding costs one cycle
/// for each element.
struct RowCosts {
  uint64_t first_row = 0;  // from the start of the instruction to the start of its first row
  uint64_t request = 0;    // from the start of a row to its request
  uint64_t next_row = 0;   // from its last beat, or response, to the start of the next row
  uint64_t empty_row = 0;  // a row without data: from its request to the start of the next row
  uint64_t push = 0;       // from where a row behind the last would start to the push of tokens
  uint64_t end = 0;        // from there to the start of the next instruction

  /// An instruction without rows.
  constexpr uint64_t instruction() const { return first_row + end; }
  /// A row of `beats` beats, one every `interval` cycles, with memory of latency 0.
  constexpr uint64_t readRow(uint64_t beats, uint64_t interval) const {
    return request + kRequestLatency + kReturnLatency + (beats - 1) * interval + next_row;
  }
};

inline constexpr RowCosts kLoadInp = {5, 2, 6, 11, 2, 4};
inline constexpr RowCosts kLoadWgt = {2, 1, 4, 9, 1, 3};
inline constexpr RowCosts kLoadAcc = {5, 2, 6, 11, 3, 6};
/// Has exactly one row.
inline constexpr RowCosts kLoadUop = {2, 0, 2, 8, 0, 3};
/// `next_row` counts from the response to the last burst.
inline constexpr RowCosts kStore = {1, 1, 4, 12, 0, 2};

/// The first W beat of a STORE is on the port so many cycles after the request.
inline constexpr uint64_t kWriteLatency = 9;

/// GEMM and ALU: cycles besides the iterations of their pipelines.
inline constexpr uint64_t kEngineCycles = 19;
/// The same without iterations.
inline constexpr uint64_t kEmptyEngineCycles = 13;
inline constexpr uint64_t kGemmInterval = 1;
inline constexpr uint64_t kAluInterval = 2;
/// Tokens of the compute unit are pushed so many cycles before the next instruction can start.
inline constexpr uint64_t kPushPrevBeforeEnd = 3;
inline constexpr uint64_t kPushNextBeforeEnd = 2;

/// Fetch: the cycle of its request; an instruction is pushed so many cycles after it was taken from
/// the port; the width of the port.
inline constexpr uint64_t kFetchRequest = 1;
inline constexpr uint64_t kFetchPush = 2;
/// FINISH sets `done` in the cycle after its start.
inline constexpr uint64_t kFinish = 1;

/// An element wider than this lies in more than one memory, and the load unit takes two cycles for
/// each beat of it.
inline constexpr uint64_t kWidestMemoryBits = 1024;
constexpr uint64_t beatInterval(uint64_t elem_bytes) {
  return elem_bytes * 8 > kWidestMemoryBits ? 2 : 1;
}

// As published measurements of the RTL have them, for rows of n beats and memory of latency L.
static_assert(kLoadInp.instruction() == 9 && kLoadInp.readRow(2, 1) == 18 + 2);
static_assert(kLoadWgt.instruction() == 5 && kLoadWgt.readRow(32, 2) == 14 + 64);
static_assert(kLoadAcc.instruction() == 11 && kLoadAcc.readRow(8, 1) == 18 + 8);
static_assert(kLoadUop.instruction() + kLoadUop.readRow(1, 1) == 17 + 1);
static_assert(kStore.instruction() == 3 &&
              kStore.request + kWriteLatency + (2 - 1) + kStore.next_row == 13 + 2);

}  // namespace vta::hls_timing
