// Walks the micro-ops of each GEMM and ALU instruction before it is issued and hands it on with what it touches: its
// range of ACC, its range of micro-ops, whether an index is out of bounds.
//
// In order, one micro-op a cycle, across instructions without gaps; what has no micro-ops to walk takes one cycle. An
// instruction whose last (or only) cycle is e is at the output from e + 3 on. The scanner waits for older loads of
// micro-ops to have written everything, so that it can share their port of the micro-op memory. Cycles: docs/timing.md,
// "Scan".
module vta_compute_scan (
  // Clock; synchronous reset; clear_i before a launch.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  // Head of the command queue.
  input  logic          cmd_valid_i,
  input  vta_pkg::cmd_t cmd_i,
  output logic          cmd_pop_o,

  // The last write of a load of micro-ops is in this cycle.
  input  logic uop_load_done_i,

  // Read port of the micro-op memory: data in the cycle after the enable.
  output logic                            uop_re_o,
  output logic [vta_pkg::UopLogDepth-1:0] uop_raddr_o,
  input  logic [vta_pkg::UopElemBits-1:0] uop_rdata_i,

  // The oldest instruction that was scanned and not taken; nothing is begun and not handed on.
  output logic              valid_o,
  output vta_pkg::scanned_t scanned_o,
  input  logic              pop_i,
  output logic              empty_o
);
  localparam int unsigned UopAw = vta_pkg::UopLogDepth;
  localparam int unsigned AccAw = vta_pkg::AccLogDepth;
  localparam int unsigned SrcW = vta_pkg::UopSrcIdxWidth;
  localparam int unsigned WgtAw = vta_pkg::WgtLogDepth;
  localparam int unsigned AheadWidth = $clog2(vta_pkg::ScanAhead + 1);

  // ---- Stage 0: micro-op addresses -------------------------------------------------------------
  logic [2:0]       opcode;
  logic             is_loop, is_load, is_uop_load, walks, start, step, last;
  logic             active_q;
  logic [UopAw-1:0] uop_bgn, next_q, addr;
  logic [UopAw:0]   uop_end;
  logic             empty, past_end;
  logic [AheadWidth-1:0]            ahead_q;      // started and not handed on
  logic [vta_pkg::ReorderWidth+1:0] uop_loads_q;  // passed here and not done

  assign opcode = cmd_i.insn[vta_pkg::InsnOpcodeLsb+:3];
  // GEMM and ALU have the first eight fields in common.
  assign is_loop = opcode == vta_pkg::OpcodeGemm || opcode == vta_pkg::OpcodeAlu;
  assign is_load = opcode == vta_pkg::OpcodeLoad;
  assign is_uop_load = is_load && cmd_i.insn[vta_pkg::MemMemoryTypeLsb+:3] == vta_pkg::MemTypeUop;
  assign uop_bgn = cmd_i.insn[vta_pkg::GemmUopBgnLsb+:UopAw];
  assign uop_end = cmd_i.insn[vta_pkg::GemmUopEndLsb+:UopAw+1];
  assign past_end = uop_end > (UopAw + 1)'(vta_pkg::UopDepth);
  assign empty = {1'b0, uop_bgn} >= uop_end || cmd_i.insn[vta_pkg::GemmIterOutLsb+:14] == '0 ||
                 cmd_i.insn[vta_pkg::GemmIterInLsb+:14] == '0;
  assign walks = is_loop && !empty && !past_end;

  assign start = cmd_valid_i && ahead_q != AheadWidth'(vta_pkg::ScanAhead) && !(walks && uop_loads_q != '0);
  assign step = active_q || start;
  assign addr = active_q ? next_q : uop_bgn;
  assign last = !walks || {1'b0, addr} + 1'b1 == uop_end;
  assign cmd_pop_o = step && last;
  assign uop_re_o = step && walks;
  assign uop_raddr_o = addr;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      active_q <= 1'b0;
      next_q <= '0;
      ahead_q <= '0;
      uop_loads_q <= '0;
    end else begin
      if (step) begin
        active_q <= !last;
        next_q <= addr + 1'b1;
      end
      ahead_q <= ahead_q + AheadWidth'(start && !active_q) - AheadWidth'(pop_i);
      uop_loads_q <= uop_loads_q + (vta_pkg::ReorderWidth + 2)'(cmd_pop_o && is_uop_load) -
                     (vta_pkg::ReorderWidth + 2)'(uop_load_done_i);
    end
  end

  assign empty_o = ahead_q == '0;

  // ---- Stage 1: smallest and largest index; factors times iterations ---------------------------
  logic                s1_data_q, s1_first_q, s1_last_q, s1_walks_q, s1_bad_q;
  vta_pkg::cmd_t       s1_cmd_q;
  logic [AccAw-1:0]    dst, min_dst_q, max_dst_q;
  logic [SrcW-1:0]     src, min_src_q, max_src_q;
  logic [WgtAw-1:0]    wgt, max_wgt_q;
  logic [2:0]          s1_opcode;
  logic                s1_is_gemm, s1_is_load;
  logic [13:0]         s1_iter_out, s1_iter_in;
  logic [16:0]         s1_rows, s1_columns, s1_a, s1_b;
  logic [33:0]         s2_dst_out_q;
  logic [29:0]         s2_dst_in_q, s2_src_out_q, s2_src_in_q, s2_wgt_out_q, s2_wgt_in_q;
  logic [15:0]         s1_src_fo, s1_src_fi;

  assign dst = uop_rdata_i[vta_pkg::UopDstIdxLsb+:AccAw];
  assign src = uop_rdata_i[vta_pkg::UopSrcIdxLsb+:SrcW];
  assign wgt = uop_rdata_i[vta_pkg::UopWgtIdxLsb+:WgtAw];
  assign s1_opcode = s1_cmd_q.insn[vta_pkg::InsnOpcodeLsb+:3];
  assign s1_is_gemm = s1_opcode == vta_pkg::OpcodeGemm;
  assign s1_is_load = s1_opcode == vta_pkg::OpcodeLoad;
  assign s1_iter_out = s1_cmd_q.insn[vta_pkg::GemmIterOutLsb+:14] - 14'd1;
  assign s1_iter_in = s1_cmd_q.insn[vta_pkg::GemmIterInLsb+:14] - 14'd1;
  assign s1_rows = 17'(s1_cmd_q.insn[vta_pkg::MemYSizeLsb+:16]) + 17'(s1_cmd_q.insn[vta_pkg::MemYPad0Lsb+:4]) +
                   17'(s1_cmd_q.insn[vta_pkg::MemYPad1Lsb+:4]);
  assign s1_columns = 17'(s1_cmd_q.insn[vta_pkg::MemXSizeLsb+:16]) + 17'(s1_cmd_q.insn[vta_pkg::MemXPad0Lsb+:4]) +
                      17'(s1_cmd_q.insn[vta_pkg::MemXPad1Lsb+:4]);
  // One multiplier for the elements of a load and the outer factor of a loop.
  assign s1_a = s1_is_load ? s1_rows : 17'(s1_iter_out);
  assign s1_b = s1_is_load ? s1_columns : 17'(s1_cmd_q.insn[vta_pkg::GemmDstFactorOutLsb+:AccAw]);
  assign s1_src_fo = s1_is_gemm ? 16'(s1_cmd_q.insn[vta_pkg::GemmSrcFactorOutLsb+:vta_pkg::InpLogDepth])
                                : 16'(s1_cmd_q.insn[vta_pkg::AluSrcFactorOutLsb+:AccAw]);
  assign s1_src_fi = s1_is_gemm ? 16'(s1_cmd_q.insn[vta_pkg::GemmSrcFactorInLsb+:vta_pkg::InpLogDepth])
                                : 16'(s1_cmd_q.insn[vta_pkg::AluSrcFactorInLsb+:AccAw]);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      s1_data_q <= 1'b0;
      s1_last_q <= 1'b0;
    end else begin
      s1_data_q <= uop_re_o;
      s1_last_q <= cmd_pop_o;
    end
    s1_first_q <= !active_q;
    if (cmd_pop_o) begin
      s1_cmd_q <= cmd_i;
      s1_walks_q <= walks;
      s1_bad_q <= is_loop && past_end;
    end
    if (s1_data_q) begin
      if (s1_first_q || dst < min_dst_q) min_dst_q <= dst;
      if (s1_first_q || dst > max_dst_q) max_dst_q <= dst;
      if (s1_first_q || src < min_src_q) min_src_q <= src;
      if (s1_first_q || src > max_src_q) max_src_q <= src;
      if (s1_first_q || wgt > max_wgt_q) max_wgt_q <= wgt;
    end
    if (s1_last_q) begin
      s2_dst_out_q <= s1_a * s1_b;
      s2_dst_in_q <= 30'(s1_iter_in) * 30'(s1_cmd_q.insn[vta_pkg::GemmDstFactorInLsb+:AccAw]);
      s2_src_out_q <= 30'(s1_iter_out) * 30'(s1_src_fo);
      s2_src_in_q <= 30'(s1_iter_in) * 30'(s1_src_fi);
      s2_wgt_out_q <= 30'(s1_iter_out) * 30'(s1_cmd_q.insn[vta_pkg::GemmWgtFactorOutLsb+:WgtAw]);
      s2_wgt_in_q <= 30'(s1_iter_in) * 30'(s1_cmd_q.insn[vta_pkg::GemmWgtFactorInLsb+:WgtAw]);
    end
  end

  // Micro-ops may be narrower than their memory.
  logic unused;
  assign unused = &{1'b0, uop_rdata_i};

  // ---- Stage 2: ranges and bounds --------------------------------------------------------------
  logic                s2_valid_q, s2_walks_q, s2_bad_q;
  vta_pkg::cmd_t       s2_cmd_q;
  logic [2:0]          s2_opcode;
  logic                is_gemm, is_alu, reads_src, reads_operands, transfers;
  logic [2:0]          memory_type;
  logic [AccAw-1:0]    load_acc_lo;
  logic [UopAw-1:0]    load_uop_lo;
  logic [31:0]         max_dst, max_src, max_wgt;
  logic [AccAw-1:0]    acc_src_min, acc_src_max;
  vta_pkg::scanned_t   scanned;

  assign s2_opcode = s2_cmd_q.insn[vta_pkg::InsnOpcodeLsb+:3];
  assign is_gemm = s2_opcode == vta_pkg::OpcodeGemm;
  assign is_alu = s2_opcode == vta_pkg::OpcodeAlu;
  assign reads_operands = is_gemm && !s2_cmd_q.insn[vta_pkg::GemmResetLsb];
  assign reads_src = is_alu && !s2_cmd_q.insn[vta_pkg::AluUseImmLsb];
  assign memory_type = s2_cmd_q.insn[vta_pkg::MemMemoryTypeLsb+:3];
  assign load_acc_lo = s2_cmd_q.insn[vta_pkg::MemSramBaseLsb+:AccAw];
  assign load_uop_lo = s2_cmd_q.insn[vta_pkg::MemSramBaseLsb+:UopAw];
  assign transfers = s2_opcode == vta_pkg::OpcodeLoad && s2_cmd_q.insn[vta_pkg::MemXSizeLsb+:16] != '0 &&
                     s2_dst_out_q != '0;

  assign max_dst = 32'(max_dst_q) + s2_dst_out_q[31:0] + 32'(s2_dst_in_q);
  assign max_src = 32'(max_src_q) + 32'(s2_src_out_q) + 32'(s2_src_in_q);
  assign max_wgt = 32'(max_wgt_q) + 32'(s2_wgt_out_q) + 32'(s2_wgt_in_q);
  assign acc_src_min = min_src_q[AccAw-1:0];
  assign acc_src_max = max_src[AccAw-1:0];

  always_comb begin
    logic [AccAw-1:0] load_acc_hi;
    logic [UopAw-1:0] load_uop_hi;
    // A load that is out of bounds is refused by the DMA: its range does not matter.
    load_acc_hi = load_acc_lo + s2_dst_out_q[AccAw-1:0] - 1'b1;
    load_uop_hi = load_uop_lo + s2_dst_out_q[UopAw-1:0] - 1'b1;
    scanned.number = s2_cmd_q.number;
    scanned.insn = s2_cmd_q.insn;
    scanned.finish = s2_opcode == vta_pkg::OpcodeFinish;
    scanned.out_of_bounds = s2_bad_q;
    scanned.engine = vta_pkg::EngineNone;
    scanned.uses_acc = s2_walks_q;
    scanned.uses_uop = s2_walks_q;
    scanned.acc_lo = min_dst_q;
    scanned.acc_hi = max_dst[AccAw-1:0];
    scanned.uop_lo = s2_cmd_q.insn[vta_pkg::GemmUopBgnLsb+:UopAw];
    scanned.uop_hi = UopAw'(s2_cmd_q.insn[vta_pkg::GemmUopEndLsb+:UopAw+1] - 1'b1);
    if (s2_walks_q) begin
      scanned.engine = is_gemm ? vta_pkg::EngineGemm : vta_pkg::EngineAlu;
      scanned.out_of_bounds = max_dst >= vta_pkg::AccDepth || (reads_src && max_src >= vta_pkg::AccDepth) ||
          (reads_operands && (max_src >= vta_pkg::InpDepth || max_wgt >= vta_pkg::WgtDepth));
      if (reads_src && acc_src_min < min_dst_q) scanned.acc_lo = acc_src_min;
      if (reads_src && acc_src_max > max_dst[AccAw-1:0]) scanned.acc_hi = acc_src_max;
    end
    if (s2_opcode == vta_pkg::OpcodeLoad) begin
      scanned.engine = vta_pkg::EngineLoad;
      scanned.uses_acc = transfers && memory_type != vta_pkg::MemTypeUop;
      scanned.uses_uop = transfers && memory_type == vta_pkg::MemTypeUop;
      scanned.acc_lo = load_acc_lo;
      scanned.acc_hi = load_acc_hi;
      scanned.uop_lo = load_uop_lo;
      scanned.uop_hi = load_uop_hi;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) s2_valid_q <= 1'b0;
    else s2_valid_q <= s1_last_q;
    if (s1_last_q) begin
      s2_cmd_q <= s1_cmd_q;
      s2_walks_q <= s1_walks_q;
      s2_bad_q <= s1_bad_q;
    end
  end

  vta_queue #(
    .Width($bits(scanned)),
    .Depth(vta_pkg::ScanAhead)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(s2_valid_q),
    .data_i(scanned),
    .valid_o,
    .data_o(scanned_o),
    .pop_i
  );
endmodule
