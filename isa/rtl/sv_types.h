// The part of vta_pkg.sv that is the same for every configuration: types and constants that modules
// share. They stand in the generated package because Yosys resolves no names of one package inside
// another.
#pragma once

#include <string_view>

namespace vta::detail {

inline constexpr std::string_view kSvTypes = R"sv(
  // Largest burst, in beats: what AXI3 ports (Zynq-7000) take too, and half of the 4 KiB that a burst may not
  // cross even on the widest bus.
  localparam int unsigned MaxBurstBeats = 16;
  localparam int unsigned BurstLenWidth = 5;  // holds 1 to MaxBurstBeats

  // Bursts that fetch keeps in flight or in its buffer.
  localparam int unsigned FetchBursts = 4;
  // Transfer instructions that a DMA engine has started and not retired.
  localparam int unsigned DmaInFlight = 4;

  localparam int unsigned NumberWidth = 32;  // of an instruction in its stream
  localparam int unsigned FaultCodeWidth = 4;

  // Of addresses while they are computed: wide enough for every overflow to show.
  localparam int unsigned SumAddrWidth = (AxiAddrWidth > 49 ? AxiAddrWidth : 49) + 1;
  localparam int unsigned LaneCountWidth = 8;  // holds the elements of one beat, at most 128

  // AXI identifiers.
  localparam logic [1:0] AxiIdFetch = 2'd0;
  localparam logic [1:0] AxiIdLoad = 2'd1;
  localparam logic [1:0] AxiIdCompute = 2'd2;
  localparam logic [1:0] AxiIdStore = 2'd3;

  // An instruction in a command queue.
  typedef struct packed {
    logic [NumberWidth-1:0]       number;
    logic [InsnBits-1:0] insn;
  } cmd_t;

  // A transfer, decoded.
  typedef struct packed {
    logic [NumberWidth-1:0] number;
    logic [2:0]             memory_type;
    logic                   pad_min;
    logic [15:0]            sram_base;
    logic [31:0]            dram_base;
    logic [15:0]            y_size;
    logic [15:0]            x_size;
    logic [15:0]            x_stride;
    logic [3:0]             y_pad_0;
    logic [3:0]             y_pad_1;
    logic [3:0]             x_pad_0;
    logic [3:0]             x_pad_1;
  } mem_cmd_t;

  // The token flags of an instruction.
  typedef struct packed {
    logic push_next;
    logic push_prev;
    logic pop_next;
    logic pop_prev;
  } tokens_t;

  // A fault as a unit reports it, for one cycle.
  typedef struct packed {
    logic                      valid;
    logic [FaultCodeWidth-1:0] code;
    logic [NumberWidth-1:0]    number;
  } fault_t;

  // What a unit tells the performance counters about one cycle. At most one of the four states is set; none is idle.
  typedef struct packed {
    logic retired;       // an instruction retires in this cycle
    logic busy;
    logic stall_token;
    logic stall_memory;
    logic stall_hazard;
  } unit_events_t;

  // What executes a compute instruction.
  localparam logic [1:0] EngineNone = 2'd0;  // FINISH and GEMM or ALU with empty loops: tokens only
  localparam logic [1:0] EngineLoad = 2'd1;
  localparam logic [1:0] EngineGemm = 2'd2;
  localparam logic [1:0] EngineAlu = 2'd3;

  // Compute instructions that the scanner may be ahead of issue, and that may be issued and not retired.
  localparam int unsigned ScanAhead = 8;
  localparam int unsigned ReorderDepth = 16;
  localparam int unsigned ReorderWidth = 4;  // of an index into the reorder buffer
  // Cycles from an ACC access, which reads, to the write of the same element.
  localparam int unsigned AccLatency = 4;

  // A compute instruction as the scanner hands it on: with what it touches. The ranges are inclusive.
  typedef struct packed {
    logic [NumberWidth-1:0] number;
    logic [InsnBits-1:0]    insn;
    logic [1:0]             engine;
    logic                   finish;
    logic                   out_of_bounds;  // a micro-op or an index past a depth
    logic                   uses_acc;
    logic [AccLogDepth-1:0] acc_lo;
    logic [AccLogDepth-1:0] acc_hi;
    logic                   uses_uop;
    logic [UopLogDepth-1:0] uop_lo;
    logic [UopLogDepth-1:0] uop_hi;
  } scanned_t;

  function automatic tokens_t tokens_of(logic [InsnBits-1:0] insn);
    tokens_of = {insn[InsnPushNextLsb],
                 insn[InsnPushPrevLsb],
                 insn[InsnPopNextLsb],
                 insn[InsnPopPrevLsb]};
  endfunction

  // Of a cmd_t. Yosys resolves no members of a function's arguments.
  function automatic mem_cmd_t mem_cmd_of(logic [NumberWidth+InsnBits-1:0] cmd);
    mem_cmd_of = {cmd[InsnBits+:NumberWidth],
                  cmd[MemMemoryTypeLsb+:3],
                  cmd[MemPadKindLsb],
                  cmd[MemSramBaseLsb+:16],
                  cmd[MemDramBaseLsb+:32],
                  cmd[MemYSizeLsb+:16],
                  cmd[MemXSizeLsb+:16],
                  cmd[MemXStrideLsb+:16],
                  cmd[MemYPad0Lsb+:4],
                  cmd[MemYPad1Lsb+:4],
                  cmd[MemXPad0Lsb+:4],
                  cmd[MemXPad1Lsb+:4]};
  endfunction
)sv";

}  // namespace vta::detail
