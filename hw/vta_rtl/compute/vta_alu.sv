// The tensor ALU: one element of ACC in AluPasses cycles, op(ACC[dst], immediate or ACC[src]) lane by lane.
//
// The loop sequencer's micro-ops go through a FIFO to vta_alu_access, where they wait until they may access ACC and have
// its banks. An access (of dst) in cycle a has its operands in a+1 and writes in a + AccLatency: vta_alu_pipeline.
module vta_alu #(
  // log2 of the banks of ACC.
  parameter int unsigned LogBanks = vta_pkg::AccLogBanks,
  localparam int unsigned Banks = 1 << LogBanks,
  // Banks whose elements come together.
  localparam int unsigned Reads = LogBanks == 1 ? Banks : 1
) (
  // Clock; synchronous reset; clear_i before a launch.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  // An instruction and its place in the reorder buffer. That comes back in the cycle before its last write.
  input  logic                             start_i,
  input  logic [vta_pkg::InsnBits-1:0]     insn_i,
  input  logic [vta_pkg::ReorderWidth-1:0] slot_i,
  output logic                             done_o,
  output logic [vta_pkg::ReorderWidth-1:0] done_slot_o,

  // Read of micro-ops: data in the cycle after the enable.
  output logic                            uop_re_o,
  output logic [vta_pkg::UopLogDepth-1:0] uop_raddr_o,
  input  logic [vta_pkg::UopElemBits-1:0] uop_rdata_i,

  // Access to ACC: one read or both, granted together, in one cycle; the elements in the next, those of all banks where
  // there are two, the first in the low bits; the write of dst AccLatency cycles after its read. The banks are one-hot,
  // 0 without a request, and come from registers.
  output logic                            acc_dst_req_o,
  output logic [Banks-1:0]                acc_dst_banks_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_dst_addr_o,
  output logic                            acc_src_req_o,
  output logic [Banks-1:0]                acc_src_banks_o,
  output logic [Banks-1:0]                acc_banks_o,  // those of both
  output logic [vta_pkg::AccLogDepth-1:0] acc_src_addr_o,
  input  logic                            acc_gnt_i,
  input  logic [Reads*vta_pkg::AccElemBits-1:0] acc_dst_rdata_i,
  input  logic [Reads*vta_pkg::AccElemBits-1:0] acc_src_rdata_i,
  output logic                            acc_we_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_waddr_o,
  output logic [vta_pkg::AccElemBits-1:0] acc_wdata_o,

  // An access of dst is done.
  output logic uop_done_o
);
  localparam int unsigned AccAw = vta_pkg::AccLogDepth;
  localparam int unsigned Latency = vta_pkg::AccLatency;
  localparam int unsigned SlotWidth = vta_pkg::ReorderWidth;

  // Cycles from a micro-op's entry to its access.
  localparam int unsigned MinDepth = 6;
  if (vta_pkg::AluDepth < MinDepth) begin : gen_alu_depth
    $error("ALU depth: the stages before the access have 6 cycles");
  end

  // ---- Micro-ops -------------------------------------------------------------------------------
  logic                            s2_valid, s2_last, next_valid, take;
  logic [SlotWidth-1:0]            s2_slot;
  vta_pkg::alu_info_t              s2_info;
  logic [AccAw-1:0]                s2_dst, s2_src;
  vta_pkg::alu_uop_t               next;
  logic [vta_pkg::InsnBits-1:0]    s0_insn;
  vta_pkg::alu_info_t              s0_info;
  logic [vta_pkg::WgtLogDepth-1:0] unused_wgt;

  assign s0_info = {vta_pkg::alu_op_of(s0_insn), s0_insn[vta_pkg::AluUseImmLsb],
                    s0_insn[vta_pkg::AluImmLsb+:16]};

  // A micro-op leaves the FIFO AluDepth - 2 cycles after the sequencer's first stage, if nothing holds it up.
  localparam int unsigned LogCredits = $clog2(vta_pkg::AluDepth + 2);

  vta_loop_sequencer #(
    .SrcWidth(AccAw),
    .SrcFactorOutLsb(vta_pkg::AluSrcFactorOutLsb),
    .SrcFactorInLsb(vta_pkg::AluSrcFactorInLsb),
    .HasWgt(1'b0),
    .InfoWidth($bits(s0_info)),
    .LogCredits(LogCredits)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .start_i,
    .insn_i,
    .slot_i,
    .release_i(take),
    .uop_re_o,
    .uop_raddr_o,
    .uop_rdata_i,
    .insn_o(s0_insn),
    .info_i(s0_info),
    .valid_o(s2_valid),
    .last_o(s2_last),
    .slot_o(s2_slot),
    .info_o(s2_info),
    .dst_o(s2_dst),
    .src_o(s2_src),
    .wgt_o(unused_wgt)
  );

  logic                    pushed;
  logic [$bits(next)-1:0] pushed_uop, next_bits;

  vta_delay #(
    .Width($bits(next)),
    .Cycles(vta_pkg::AluDepth > MinDepth ? vta_pkg::AluDepth - MinDepth : 0)
  ) u_delay (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(s2_valid),
    .data_i({s2_last, s2_slot, s2_info, s2_dst, s2_src}),
    .valid_o(pushed),
    .data_o(pushed_uop)
  );
  vta_queue #(
    .Width($bits(next)),
    .Depth(1 << LogCredits)
  ) u_uops (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(pushed),
    .data_i(pushed_uop),
    .valid_o(next_valid),
    .data_o(next_bits),
    .pop_i(take)
  );
  assign next = next_bits;

  // ---- Accesses --------------------------------------------------------------------------------
  logic dst_read, src_read, pair_read, src_kept;
  vta_pkg::alu_uop_t accessing;
  logic [Latency:1] accessed;  // index i: dst was read i cycles ago

  vta_alu_access #(
    .LogBanks(LogBanks)
  ) u_access (
    .clk_i,
    .rst_ni,
    .clear_i,
    .next_valid_i(next_valid),
    .next_i(next),
    .take_o(take),
    .acc_dst_req_o,
    .acc_dst_banks_o,
    .acc_dst_addr_o,
    .acc_src_req_o,
    .acc_src_banks_o,
    .acc_banks_o,
    .acc_src_addr_o,
    .acc_gnt_i,
    .dst_read_o(dst_read),
    .src_read_o(src_read),
    .pair_read_o(pair_read),
    .uop_o(accessing),
    .src_kept_o(src_kept),
    .valid_o(accessed),
    .waddr_o(acc_waddr_o)
  );
  assign uop_done_o = dst_read;

  vta_alu_pipeline #(
    .LogBanks(LogBanks)
  ) u_pipeline (
    .clk_i,
    .rst_ni,
    .clear_i,
    .dst_read_i(dst_read),
    .src_read_i(src_read),
    .pair_read_i(pair_read),
    .uop_i(accessing),
    .src_kept_i(src_kept),
    .valid_i(accessed),
    .dst_rdata_i(acc_dst_rdata_i),
    .src_rdata_i(acc_src_rdata_i),
    .we_o(acc_we_o),
    .wdata_o(acc_wdata_o),
    .done_o,
    .done_slot_o
  );
endmodule
