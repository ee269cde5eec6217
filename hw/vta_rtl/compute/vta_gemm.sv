// The GEMM engine: one micro-op a cycle, an element of ACC += INP element x WGT element, or = 0 with `reset`.
//
// Stages: 0 to 2 loop sequencer, 2 reads INP and WGT, 3 multiplies, 4 and 5 add; stage 5 accesses ACC: it asks for the
// bank with acc_req_o and stays, with everything before it, until acc_gnt_i. An access in cycle a gets the old sum in
// a+1 and writes the new one in a + AccLatency; sums that are not written yet are forwarded, so dependent micro-ops
// need no distance.
module vta_gemm (
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

  // Reads of micro-ops and operands: data in the cycle after the enable, held until the next enable.
  output logic                            uop_re_o,
  output logic [vta_pkg::UopLogDepth-1:0] uop_raddr_o,
  input  logic [vta_pkg::UopElemBits-1:0] uop_rdata_i,
  output logic                            inp_re_o,
  output logic [vta_pkg::InpLogDepth-1:0] inp_raddr_o,
  input  logic [vta_pkg::InpElemBits-1:0] inp_rdata_i,
  output logic                            wgt_re_o,
  output logic [vta_pkg::WgtLogDepth-1:0] wgt_raddr_o,
  input  logic [vta_pkg::WgtElemBits-1:0] wgt_rdata_i,

  // Access to ACC: request and grant in one cycle, the element in the next; its write AccLatency cycles after the
  // access.
  output logic                            acc_req_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_addr_o,
  input  logic                            acc_gnt_i,
  input  logic [vta_pkg::AccElemBits-1:0] acc_rdata_i,
  output logic                            acc_we_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_waddr_o,
  output logic [vta_pkg::AccElemBits-1:0] acc_wdata_o
);
  localparam int unsigned AccAw = vta_pkg::AccLogDepth;
  localparam int unsigned Width = vta_pkg::AccWidth;
  localparam int unsigned Outputs = vta_pkg::Batch * vta_pkg::BlockOut;
  localparam int unsigned Latency = vta_pkg::AccLatency;
  localparam int unsigned SlotWidth = vta_pkg::ReorderWidth;
  localparam int unsigned RowBits = vta_pkg::BlockIn * vta_pkg::InpWidth;
  localparam int unsigned ColumnBits = vta_pkg::BlockIn * vta_pkg::WgtWidth;

  logic advance;
  assign advance = !acc_req_o || acc_gnt_i;

  // ---- Stages 0 to 2 ---------------------------------------------------------------------------
  logic                             s2_valid, s2_last, s2_reset;
  logic [vta_pkg::ReorderWidth-1:0] s2_slot;
  logic [vta_pkg::InsnBits-1:0]     s0_insn;
  logic [AccAw-1:0]                 s2_dst;

  vta_loop_sequencer #(
    .SrcWidth(vta_pkg::InpLogDepth),
    .SrcFactorOutLsb(vta_pkg::GemmSrcFactorOutLsb),
    .SrcFactorInLsb(vta_pkg::GemmSrcFactorInLsb),
    .HasWgt(1'b1),
    .InfoWidth(1)
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
    .info_i(s0_insn[vta_pkg::GemmResetLsb]),
    .valid_o(s2_valid),
    .last_o(s2_last),
    .slot_o(s2_slot),
    .info_o(s2_reset),
    .dst_o(s2_dst),
    .src_o(inp_raddr_o),
    .wgt_o(wgt_raddr_o)
  );

  assign inp_re_o = s2_valid && !s2_reset && advance;
  assign wgt_re_o = inp_re_o;

  // ---- Stages 3 to 5: products and sums --------------------------------------------------------
  typedef struct packed {
    logic                             last;
    logic                             reset;
    logic [vta_pkg::ReorderWidth-1:0] slot;
    logic [AccAw-1:0]                 dst;
  } info_t;
  logic  s3_valid_q, s4_valid_q, s5_valid_q;
  info_t s3_q, s4_q, s5_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      s3_valid_q <= 1'b0;
      s4_valid_q <= 1'b0;
      s5_valid_q <= 1'b0;
    end else if (advance) begin
      s3_valid_q <= s2_valid;
      s4_valid_q <= s3_valid_q;
      s5_valid_q <= s4_valid_q;
    end
    if (advance) begin
      s3_q <= {s2_last, s2_reset, s2_slot, s2_dst};
      s4_q <= s3_q;
      s5_q <= s4_q;
    end
  end

  logic [Outputs*Width-1:0] sums;
  localparam int unsigned Lanes = (vta_pkg::Int8Packing && vta_pkg::BlockOut > 1) ? 2 : 1;
  for (genvar b = 0; b < vta_pkg::Batch; b++) begin : gen_batch
    for (genvar o = 0; o < vta_pkg::BlockOut / Lanes; o++) begin : gen_dot
      vta_gemm_dot #(
        .Size(vta_pkg::BlockIn),
        .Lanes(Lanes)
      ) u_dot (
        .clk_i,
        .product_en_i(advance && s3_valid_q && !s3_q.reset),
        .group_en_i(advance && s4_valid_q && !s4_q.reset),
        .sum_en_i(advance && s5_valid_q && !s5_q.reset),
        .inp_i(inp_rdata_i[b*RowBits+:RowBits]),
        .wgt_i(wgt_rdata_i[o*Lanes*ColumnBits+:Lanes*ColumnBits]),
        .sum_o(sums[(b*vta_pkg::BlockOut+o*Lanes)*Width+:Lanes*Width])
      );
    end
  end

  assign acc_req_o = s5_valid_q;
  assign acc_addr_o = s5_q.dst;

  // ---- After the access: accumulate, forward, write --------------------------------------------
  // Index i is the cycle a + i of an access in a. The sum is made in a+1 and written in a + Latency; it is kept one
  // cycle more, for the access that read while it was written.
  logic [Latency+1:1]     valid_q;
  logic [AccAw-1:0]       dst_q [1:Latency+1] /*verilator split_var*/;
  logic [SlotWidth-1:0]   slot_q [1:Latency-1] /*verilator split_var*/;
  logic [Latency-1:1]     last_q;
  logic                   reset_q;  // of index 1
  logic [Outputs*Width-1:0] result_q [2:Latency+1] /*verilator split_var*/;
  logic [Outputs*Width-1:0] old, result;
  logic [Latency+1:2]     match;

  for (genvar i = 2; i <= Latency + 1; i++) begin : gen_match
    assign match[i] = valid_q[i] && dst_q[i] == dst_q[1];
  end

  // The youngest sum of the element that is not in ACC yet. Written out for the one latency that vta_compute lets
  // pass: a loop would copy elements of a thousand bits to and fro in simulation.
  always_comb begin
    result = 'x;
    old = 'x;
    if (valid_q[1] && reset_q) begin
      result = '0;
    end else if (valid_q[1]) begin
      if (match[2]) old = result_q[2];
      else if (match[3]) old = result_q[3];
      else if (match[4]) old = result_q[4];
      else if (match[5]) old = result_q[5];
      else old = acc_rdata_i;
      for (int unsigned o = 0; o < Outputs; o++) result[o*Width+:Width] = old[o*Width+:Width] + sums[o*Width+:Width];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      valid_q <= '0;
    end else begin
      valid_q <= {valid_q[Latency:1], acc_req_o && acc_gnt_i};
    end
    dst_q[1] <= s5_q.dst;
    slot_q[1] <= s5_q.slot;
    last_q <= {last_q[Latency-2:1], s5_q.last};
    reset_q <= s5_q.reset;
    if (valid_q[1]) result_q[2] <= result;
  end
  for (genvar i = 2; i <= Latency + 1; i++) begin : gen_dst
    always_ff @(posedge clk_i) dst_q[i] <= dst_q[i-1];
  end
  for (genvar i = 2; i < Latency; i++) begin : gen_slot
    always_ff @(posedge clk_i) slot_q[i] <= slot_q[i-1];
  end
  for (genvar i = 3; i <= Latency + 1; i++) begin : gen_result
    always_ff @(posedge clk_i) begin
      if (valid_q[i-1]) result_q[i] <= result_q[i-1];
    end
  end

  assign acc_we_o = valid_q[Latency];
  assign acc_waddr_o = dst_q[Latency];
  assign acc_wdata_o = result_q[Latency];
  assign done_o = valid_q[Latency-1] && last_q[Latency-1];
  assign done_slot_o = slot_q[Latency-1];
endmodule
