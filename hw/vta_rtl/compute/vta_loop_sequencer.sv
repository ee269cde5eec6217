// The loop nest of GEMM and ALU: for each instruction, for i0, i1 and micro-op in this order, one micro-op a cycle and
// no gap between instructions.
//
// Instructions wait in a queue as deep as the reorder buffer, so it is never full; one that is pushed in cycle t into
// an idle sequencer is prepared in t+1 and has its first micro-op in stage 0 in t+2. Stage 0 (address of the micro-op)
// -> stage 1 (micro-op, addition of offsets) -> stage 2, the output: indexes. Only stage 0 ever waits: for credits. A
// micro-op takes one when it leaves stage 0 and release_i gives it back.
module vta_loop_sequencer #(
  // Bits of the src index, and the places of its two factors in the instruction.
  parameter int unsigned SrcWidth = 11,
  parameter int unsigned SrcFactorOutLsb = 0,
  parameter int unsigned SrcFactorInLsb = 0,
  // Micro-ops have a wgt index: GEMM.
  parameter bit          HasWgt = 1'b0,
  // Bits of what the engine wants to know of the instruction at the output.
  parameter int unsigned InfoWidth = 1,
  // log2 of the credits.
  parameter int unsigned LogCredits = 3
) (
  // Clock; synchronous reset; clear_i before a launch.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  // An instruction and its place in the reorder buffer.
  input  logic                             start_i,
  input  logic [vta_pkg::InsnBits-1:0]     insn_i,
  input  logic [vta_pkg::ReorderWidth-1:0] slot_i,
  // A micro-op that left stage 0 gives back its credit.
  input  logic                             release_i,

  // Read port of the micro-op memory: data in the cycle after the enable.
  output logic                            uop_re_o,
  output logic [vta_pkg::UopLogDepth-1:0] uop_raddr_o,
  input  logic [vta_pkg::UopElemBits-1:0] uop_rdata_i,

  // The instruction in stage 0, and what the engine makes of it in the same cycle.
  output logic [vta_pkg::InsnBits-1:0] insn_o,
  input  logic [InfoWidth-1:0]         info_i,

  // Stage 2: the micro-op's instruction and its indexes.
  output logic                             valid_o,
  output logic                             last_o,  // the last micro-op of its instruction
  output logic [vta_pkg::ReorderWidth-1:0] slot_o,
  output logic [InfoWidth-1:0]             info_o,
  output logic [vta_pkg::AccLogDepth-1:0]  dst_o,
  output logic [SrcWidth-1:0]              src_o,
  output logic [vta_pkg::WgtLogDepth-1:0]  wgt_o
);
  localparam int unsigned UopAw = vta_pkg::UopLogDepth;
  localparam int unsigned AccAw = vta_pkg::AccLogDepth;
  localparam int unsigned WgtAw = vta_pkg::WgtLogDepth;
  localparam int unsigned EntryWidth = vta_pkg::InsnBits + vta_pkg::ReorderWidth;

  // ---- Queue -----------------------------------------------------------------------------------
  logic                  queued, fetch, next_valid_q, take;
  logic [EntryWidth-1:0] entry, next_q;

  vta_queue #(
    .Width(EntryWidth),
    .Depth(vta_pkg::ReorderDepth),
    .Bypass(1'b1),
    .Eager(1'b1)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(start_i),
    .data_i({slot_i, insn_i}),
    .valid_o(queued),
    .data_o(entry),
    .pop_i(queued && fetch)
  );

  assign fetch = !next_valid_q || !active_q || (go_q && last);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) next_valid_q <= 1'b0;
    else if (fetch) next_valid_q <= queued;
    if (fetch) next_q <= entry;
  end

  // ---- The next instruction --------------------------------------------------------------------
  logic [vta_pkg::InsnBits-1:0]     next_insn;
  logic [vta_pkg::ReorderWidth-1:0] next_slot;
  logic [UopAw-1:0]                 next_bgn;
  logic [UopAw:0]                   next_end;
  logic [13:0]                      next_out, next_in;
  assign {next_slot, next_insn} = next_q;
  assign next_bgn = next_insn[vta_pkg::GemmUopBgnLsb+:UopAw];
  assign next_end = next_insn[vta_pkg::GemmUopEndLsb+:UopAw+1];
  assign next_out = next_insn[vta_pkg::GemmIterOutLsb+:14];
  assign next_in = vta_pkg::iter_in_of(next_insn);

  // ---- Stage 0: the loops ----------------------------------------------------------------------
  logic                             active_q;
  logic                             idle_q;  // its opposite, for wide enables
  logic [vta_pkg::InsnBits-1:0]     insn_q;
  logic [vta_pkg::ReorderWidth-1:0] slot_q;
  logic [UopAw-1:0]                 uop_q;
  // Micro-ops and iterations that are left, this one included; whether that is one, of this and for the next time.
  logic [UopAw:0]                   left_uops_q, uops_q;
  logic [13:0]                      left_out_q, left_in_q;
  logic                             last_uop_q, last_in_q, last_out_q, one_uop_q, one_in_q;
  // Offsets of this iteration, and of the first inner iteration of this outer one.
  logic [AccAw-1:0]                 dst_q, dst_row_q, dst_row_next;
  logic [SrcWidth-1:0]              src_q, src_row_q, src_row_next;
  logic [WgtAw-1:0]                 wgt_q, wgt_row_q, wgt_row_next;
  logic                             step, last;

  // Credits.
  logic                go_q, release_q;
  logic [LogCredits:0] taken_q, taken;
  assign taken = taken_q + (LogCredits + 1)'(step) - (LogCredits + 1)'(release_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      taken_q <= '0;
      go_q <= 1'b1;
      release_q <= 1'b0;
    end else begin
      taken_q <= taken;
      go_q <= !taken[LogCredits];
      release_q <= release_i;
    end
  end

  assign step = active_q && go_q;
  assign last = last_uop_q && last_in_q && last_out_q;
  assign take = next_valid_q && (!active_q || (go_q && last));
  assign uop_re_o = step;
  assign uop_raddr_o = uop_q;

  assign dst_row_next = dst_row_q + insn_q[vta_pkg::GemmDstFactorOutLsb+:AccAw];
  assign src_row_next = src_row_q + insn_q[SrcFactorOutLsb+:SrcWidth];
  assign wgt_row_next = HasWgt ? wgt_row_q + insn_q[vta_pkg::GemmWgtFactorOutLsb+:WgtAw] : '0;

  always_ff @(posedge clk_i) begin
    // What is not valid is taken too, and not walked.
    if (idle_q || (go_q && last)) begin
      insn_q <= next_insn;
      slot_q <= next_slot;
      uop_q <= next_bgn;
      uops_q <= next_end - {1'b0, next_bgn};
      left_uops_q <= next_end - {1'b0, next_bgn};
      left_in_q <= next_in;
      left_out_q <= next_out;
      one_uop_q <= {1'b0, next_bgn} + 1'b1 == next_end;
      last_uop_q <= {1'b0, next_bgn} + 1'b1 == next_end;
      one_in_q <= next_in == 14'd1;
      last_in_q <= next_in == 14'd1;
      last_out_q <= next_out == 14'd1;
      dst_q <= '0;
      dst_row_q <= '0;
      src_q <= '0;
      src_row_q <= '0;
      wgt_q <= '0;
      wgt_row_q <= '0;
    end else if (step) begin
      uop_q <= uop_q + 1'b1;
      left_uops_q <= left_uops_q - 1'b1;
      last_uop_q <= left_uops_q == (UopAw + 1)'(2);
      if (last_uop_q) begin
        uop_q <= insn_q[vta_pkg::GemmUopBgnLsb+:UopAw];
        left_uops_q <= uops_q;
        last_uop_q <= one_uop_q;
        left_in_q <= left_in_q - 14'd1;
        last_in_q <= left_in_q == 14'd2;
        dst_q <= dst_q + insn_q[vta_pkg::GemmDstFactorInLsb+:AccAw];
        src_q <= src_q + insn_q[SrcFactorInLsb+:SrcWidth];
        if (HasWgt) wgt_q <= wgt_q + insn_q[vta_pkg::GemmWgtFactorInLsb+:WgtAw];
        if (last_in_q) begin
          left_in_q <= vta_pkg::iter_in_of(insn_q);
          last_in_q <= one_in_q;
          left_out_q <= left_out_q - 14'd1;
          last_out_q <= left_out_q == 14'd2;
          dst_q <= dst_row_next;
          dst_row_q <= dst_row_next;
          src_q <= src_row_next;
          src_row_q <= src_row_next;
          wgt_q <= wgt_row_next;
          wgt_row_q <= wgt_row_next;
        end
      end
    end
  end

  // ---- Stage 1: micro-op; stage 2: indexes -----------------------------------------------------
  logic                             s1_valid_q, s1_last_q, s2_valid_q, s2_last_q;
  logic [vta_pkg::ReorderWidth-1:0] s1_slot_q, s2_slot_q;
  logic [InfoWidth-1:0]             s1_info_q, s2_info_q;
  logic [AccAw-1:0]                 s1_dst_q, s2_dst_q;
  logic [SrcWidth-1:0]              s1_src_q, s2_src_q;
  logic [WgtAw-1:0]                 s1_wgt_q, s2_wgt_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      active_q <= 1'b0;
      idle_q <= 1'b1;
      s1_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
    end else begin
      if (take) begin
        active_q <= 1'b1;
        idle_q <= 1'b0;
      end else if (go_q && last) begin
        active_q <= 1'b0;
        idle_q <= 1'b1;
      end
      s1_valid_q <= step;
      s2_valid_q <= s1_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step) begin
      s1_last_q <= last;
      s1_slot_q <= slot_q;
      s1_info_q <= info_i;
      s1_dst_q <= dst_q;
      s1_src_q <= src_q;
      s1_wgt_q <= wgt_q;
    end
    if (s1_valid_q) begin
      s2_last_q <= s1_last_q;
      s2_slot_q <= s1_slot_q;
      s2_info_q <= s1_info_q;
      s2_dst_q <= s1_dst_q + uop_rdata_i[vta_pkg::UopDstIdxLsb+:AccAw];
      s2_src_q <= s1_src_q + uop_rdata_i[vta_pkg::UopSrcIdxLsb+:SrcWidth];
      s2_wgt_q <= s1_wgt_q + uop_rdata_i[vta_pkg::UopWgtIdxLsb+:WgtAw];
    end
  end

  // Micro-ops may be narrower than their memory.
  logic unused;
  assign unused = &{1'b0, uop_rdata_i};

  assign valid_o = s2_valid_q;
  assign last_o = s2_last_q;
  assign slot_o = s2_slot_q;
  assign info_o = s2_info_q;
  assign insn_o = insn_q;
  assign dst_o = s2_dst_q;
  assign src_o = s2_src_q;
  assign wgt_o = s2_wgt_q;
endmodule
