// The tensor ALU: one element of ACC a cycle, op(ACC[dst], immediate or ACC[src]) lane by lane.
//
// Stages: 0 to 2 loop sequencer; stage 2 accesses ACC. A tensor operation reads dst and src in one access when they are
// in different banks or the same element, else src in one access and dst in a later one; an element of src that the
// micro-op before had too is not read again. An access waits while an element that it reads is still to be written by
// the ALU, and until the banks are granted. An access (of dst) in cycle a has its operands in a+1 and writes in
// a + AccLatency.
module vta_alu #(
  // log2 of the banks of ACC.
  parameter int unsigned LogBanks = vta_pkg::AccLogBanks
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

  // Access to ACC: one read or both, granted together, in one cycle; the elements in the next; the write of dst
  // AccLatency cycles after its read.
  output logic                            acc_dst_req_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_dst_addr_o,
  output logic                            acc_src_req_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_src_addr_o,
  input  logic                            acc_gnt_i,
  input  logic [vta_pkg::AccElemBits-1:0] acc_dst_rdata_i,
  input  logic [vta_pkg::AccElemBits-1:0] acc_src_rdata_i,
  output logic                            acc_we_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_waddr_o,
  output logic [vta_pkg::AccElemBits-1:0] acc_wdata_o
);
  localparam int unsigned AccAw = vta_pkg::AccLogDepth;
  localparam int unsigned Width = vta_pkg::AccWidth;
  localparam int unsigned Lanes = vta_pkg::Batch * vta_pkg::BlockOut;
  localparam int unsigned Latency = vta_pkg::AccLatency;

  // ---- Stages 0 to 2 ---------------------------------------------------------------------------
  logic                             advance, s2_valid, s2_last;
  logic [vta_pkg::ReorderWidth-1:0] s2_slot;
  logic [vta_pkg::InsnBits-1:0]     s0_insn;
  vta_pkg::alu_info_t               s0_info, s2_info;
  logic [AccAw-1:0]                 s2_dst, s2_src;
  logic [vta_pkg::WgtLogDepth-1:0]  unused_wgt;

  assign s0_info = {vta_pkg::alu_op_of(s0_insn), s0_insn[vta_pkg::AluUseImmLsb],
                    s0_insn[vta_pkg::AluImmLsb+:16]};

  vta_loop_sequencer #(
    .SrcWidth(AccAw),
    .SrcFactorOutLsb(vta_pkg::AluSrcFactorOutLsb),
    .SrcFactorInLsb(vta_pkg::AluSrcFactorInLsb),
    .HasWgt(1'b0),
    .InfoWidth($bits(s0_info))
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .start_i,
    .insn_i,
    .slot_i,
    .advance_i(advance),
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

  // ---- Access ----------------------------------------------------------------------------------
  logic               split, src_done_q, access;
  logic [Latency:1]   valid_q;  // index i: i cycles after the access of dst
  logic [AccAw-1:0]   dst_q [1:Latency] /*verilator split_var*/;
  logic [Latency:1]   dst_waits, src_waits;

  for (genvar i = 1; i <= Latency; i++) begin : gen_interlock
    assign dst_waits[i] = valid_q[i] && dst_q[i] == s2_dst;
    assign src_waits[i] = valid_q[i] && dst_q[i] == s2_src;
  end

  // The element of src is held when the micro-op before, of the same instruction, had the same and did not write it.
  logic             held, may_hold_q, reads_src;
  logic [AccAw-1:0] held_src_addr_q;
  assign held = may_hold_q && held_src_addr_q == s2_src;
  assign reads_src = !s2_info.use_imm && !held;
  // The first of two accesses reads src only.
  assign split = reads_src && s2_dst[LogBanks-1:0] == s2_src[LogBanks-1:0] && s2_dst != s2_src;
  always_comb begin
    acc_dst_req_o = s2_valid && (!split || src_done_q) && dst_waits == '0;
    acc_src_req_o = s2_valid && reads_src && !src_done_q && src_waits == '0;
    // Both or none.
    if (!split && reads_src) begin
      acc_dst_req_o = acc_dst_req_o && src_waits == '0;
      acc_src_req_o = acc_dst_req_o;
    end
  end
  assign acc_dst_addr_o = s2_dst;
  assign acc_src_addr_o = s2_src;
  assign access = acc_dst_req_o && acc_gnt_i;
  assign advance = !s2_valid || access;

  logic src_read_q;  // src was read in the cycle before
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      src_done_q <= 1'b0;
      src_read_q <= 1'b0;
      may_hold_q <= 1'b0;
      valid_q <= '0;
    end else begin
      if (access) src_done_q <= 1'b0;
      else if (acc_src_req_o && acc_gnt_i) src_done_q <= 1'b1;
      src_read_q <= acc_src_req_o && acc_gnt_i;
      if (access) may_hold_q <= !s2_last && !s2_info.use_imm && s2_dst != s2_src;
      valid_q <= {valid_q[Latency-1:1], access};
    end
  end

  // ---- After the access ------------------------------------------------------------------------
  logic [Lanes*Width-1:0]           held_src_q;
  logic                             use_held_q;
  vta_pkg::alu_op_e                 op_q [1:Latency] /*verilator split_var*/;
  logic [15:0]                      imm_q [1:Latency-1] /*verilator split_var*/;
  logic                             use_imm_q;
  logic                             last_q [1:Latency-1] /*verilator split_var*/;
  logic [vta_pkg::ReorderWidth-1:0] slot_q [1:Latency-1] /*verilator split_var*/;

  always_ff @(posedge clk_i) begin
    if (src_read_q) held_src_q <= acc_src_rdata_i;
    if (access) begin
      use_held_q <= src_done_q || held;
      held_src_addr_q <= s2_src;
    end
    op_q[1] <= s2_info.op;
    imm_q[1] <= s2_info.imm;
    use_imm_q <= s2_info.use_imm;
    dst_q[1] <= s2_dst;
    last_q[1] <= s2_last;
    slot_q[1] <= s2_slot;
  end
  for (genvar i = 2; i <= Latency; i++) begin : gen_to_write
    always_ff @(posedge clk_i) begin
      op_q[i] <= op_q[i-1];
      dst_q[i] <= dst_q[i-1];
    end
  end
  for (genvar i = 2; i < Latency; i++) begin : gen_to_done
    always_ff @(posedge clk_i) begin
      imm_q[i] <= imm_q[i-1];
      last_q[i] <= last_q[i-1];
      slot_q[i] <= slot_q[i-1];
    end
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic signed [Width-1:0] src, y;
    assign src = use_held_q ? held_src_q[l*Width+:Width] : acc_src_rdata_i[l*Width+:Width];
    assign y = use_imm_q ? Width'($signed(imm_q[1])) : src;
    vta_alu_lane u_lane (
      .clk_i,
      .operand_en_i(valid_q[1]),
      .operate_en_i(valid_q[2]),
      .round_en_i(valid_q[3]),
      .op_operand_i(op_q[1]),
      .op_operate_i(op_q[2]),
      .op_round_i(op_q[3]),
      .op_result_i(op_q[4]),
      .shift_i(imm_q[3][5:0]),
      .lo_i(imm_q[2][7:0]),
      .hi_i(imm_q[2][15:8]),
      .x_i(acc_dst_rdata_i[l*Width+:Width]),
      .y_i(y),
      .result_o(acc_wdata_o[l*Width+:Width])
    );
  end

  assign acc_we_o = valid_q[Latency];
  assign acc_waddr_o = dst_q[Latency];
  assign done_o = valid_q[Latency-1] && last_q[Latency-1];
  assign done_slot_o = slot_q[Latency-1];
endmodule
