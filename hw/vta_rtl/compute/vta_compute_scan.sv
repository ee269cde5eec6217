// Walks the micro-ops of each GEMM and ALU instruction before it is issued and hands it on with what it touches: its
// range of ACC, its range of micro-ops, whether an index is out of bounds.
//
// In order, one micro-op a cycle, across instructions without gaps; what has no micro-ops to walk takes one cycle. Two
// instructions wait between the command queue and their walk: one that is prepared, one that is walked. An instruction
// whose last (or only) cycle is e is at the output from e + 4 on. The scanner waits for older loads of micro-ops to have
// written everything, so that it can share their port of the micro-op memory. Cycles: docs/timing.md, "Scan".
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

  // The oldest instruction that was scanned and not taken. It may be taken in the cycle in which it comes.
  output logic              valid_o,
  output vta_pkg::scanned_t scanned_o,
  output vta_pkg::claim_t   claim_o,
  input  logic              pop_i,
  // An instruction is issued; nothing is here, or handed on and not issued.
  input  logic              issued_i,
  output logic              empty_o
);
  localparam int unsigned UopAw = vta_pkg::UopLogDepth;
  localparam int unsigned AccAw = vta_pkg::AccLogDepth;
  localparam int unsigned SrcW = vta_pkg::UopSrcIdxWidth;
  localparam int unsigned WgtAw = vta_pkg::WgtLogDepth;
  // Loads of micro-ops between here and their end: those ahead, and those in the reorder buffer.
  localparam int unsigned MostUopLoads = vta_pkg::ScanAhead + vta_pkg::ReorderDepth;

  // Stages 1 to 4, the output, and what vta_compute_issue adds.
  if (vta_pkg::ScanLatency != 6) begin : gen_scan_latency
    $error("scan latency: an instruction is scanned and compared in 6 cycles");
  end

  // ---- Prepare ---------------------------------------------------------------------------------
  // Loop counts and sizes less one, and sums that are factors later, so that no multiplier has an adder before it.
  logic          raw_valid_q, cmd_valid_q, prepare, last_step;
  logic          active_q, last_q;           // a micro-op but the first is walked; it is the last
  logic          inactive_q;                 // the opposite of active_q
  logic          may_start, pops;
  logic          raw_free_q, cmd_free_q;  // their opposites, for the enables: so these share no wide net with cmd_pop_o
  vta_pkg::cmd_t raw_q;
  logic [2:0]    raw_opcode;
  logic [13:0]   raw_iter_in;
  logic          raw_is_loop, raw_is_load, raw_past_end, raw_empty;
  logic [UopAw-1:0] raw_bgn;
  logic [UopAw:0]   raw_end;

  assign prepare = raw_valid_q && (!cmd_valid_q || last_step);
  assign raw_opcode = raw_q.insn[vta_pkg::InsnOpcodeLsb+:3];
  // GEMM and ALU have the first eight fields in common.
  assign raw_is_loop = raw_opcode == vta_pkg::OpcodeGemm || raw_opcode == vta_pkg::OpcodeAlu;
  assign raw_is_load = raw_opcode == vta_pkg::OpcodeLoad;
  assign raw_bgn = raw_q.insn[vta_pkg::GemmUopBgnLsb+:UopAw];
  assign raw_end = raw_q.insn[vta_pkg::GemmUopEndLsb+:UopAw+1];
  assign raw_iter_in = vta_pkg::iter_in_of(raw_q.insn);
  assign raw_past_end = raw_end > (UopAw + 1)'(vta_pkg::UopDepth);
  assign raw_empty = {1'b0, raw_bgn} >= raw_end || raw_q.insn[vta_pkg::GemmIterOutLsb+:14] == '0 ||
                     raw_iter_in == '0;

  logic             walks_q, bad_q, is_uop_load_q, one_uop_q;
  vta_pkg::cmd_t    cmd_q;
  logic [13:0]      iter_in_q;     // less one
  logic [16:0]      a_q, b_q;      // factors of one multiplier: rows and columns of a load, outer loop
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      raw_valid_q <= 1'b0;
      raw_free_q <= 1'b1;
      cmd_valid_q <= 1'b0;
      cmd_free_q <= 1'b1;
    end else begin
      if (cmd_pop_o) begin
        raw_valid_q <= 1'b1;
        raw_free_q <= 1'b0;
      end else if (prepare) begin
        raw_valid_q <= 1'b0;
        raw_free_q <= 1'b1;
      end
      if (prepare) begin
        cmd_valid_q <= 1'b1;
        cmd_free_q <= 1'b0;
      end else if (last_step) begin
        cmd_valid_q <= 1'b0;
        cmd_free_q <= 1'b1;
      end
    end
    // What is not valid is taken and prepared too, so that the registers' enable depends on less.
    if (raw_free_q || cmd_free_q || last_step) raw_q <= cmd_i;
    if (cmd_free_q || last_step) begin
      cmd_q <= raw_q;
      walks_q <= raw_is_loop && !raw_empty && !raw_past_end;
      bad_q <= raw_is_loop && raw_past_end;
      is_uop_load_q <= raw_is_load && raw_q.insn[vta_pkg::MemMemoryTypeLsb+:3] == vta_pkg::MemTypeUop;
      one_uop_q <= {1'b0, raw_bgn} + 1'b1 == raw_end;
      iter_in_q <= raw_iter_in - 14'd1;
      a_q <= 17'(raw_q.insn[vta_pkg::GemmIterOutLsb+:14]) - 17'd1;
      b_q <= 17'(raw_q.insn[vta_pkg::GemmDstFactorOutLsb+:AccAw]);
      if (raw_is_load) begin
        a_q <= 17'(raw_q.insn[vta_pkg::MemYSizeLsb+:16]) + 17'(raw_q.insn[vta_pkg::MemYPad0Lsb+:4]) +
               17'(raw_q.insn[vta_pkg::MemYPad1Lsb+:4]);
        b_q <= 17'(raw_q.insn[vta_pkg::MemXSizeLsb+:16]) + 17'(raw_q.insn[vta_pkg::MemXPad0Lsb+:4]) +
               17'(raw_q.insn[vta_pkg::MemXPad1Lsb+:4]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      opposites : assert (raw_free_q == !raw_valid_q && cmd_free_q == !cmd_valid_q && inactive_q == !active_q);
    end
  end

  // ---- Stage 0: micro-op addresses -------------------------------------------------------------
  logic                             start, step, last;
  logic [UopAw-1:0]                 uop_bgn, next_q, addr;
  logic [UopAw:0]                   uop_end;
  logic                             any_ahead, room_ahead;         // begun to be walked and not issued
  logic                             any_uop_load, room_uop_loads;  // passed here and not done

  assign uop_bgn = cmd_q.insn[vta_pkg::GemmUopBgnLsb+:UopAw];
  assign uop_end = cmd_q.insn[vta_pkg::GemmUopEndLsb+:UopAw+1];
  assign may_start = room_ahead && !(walks_q && any_uop_load);
  assign start = cmd_valid_q && may_start && !active_q;
  assign step = active_q || start;
  assign addr = active_q ? next_q : uop_bgn;
  assign last = active_q ? last_q : !walks_q || one_uop_q;
  assign last_step = active_q ? last_q : cmd_valid_q && may_start && (!walks_q || one_uop_q);  // step && last
  // The last step again, from registers of its own: so what goes far shares no wide net with the enables here.
  assign pops = !inactive_q ? last_q : cmd_valid_q && may_start && (!walks_q || one_uop_q);
  assign cmd_pop_o = cmd_valid_i && (!raw_valid_q || !cmd_valid_q || pops);
  assign uop_re_o = step && walks_q;
  assign uop_raddr_o = addr;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      active_q <= 1'b0;
      inactive_q <= 1'b1;
    end else if (step) begin
      active_q <= !last;
      inactive_q <= last;
    end
    if (step) begin
      next_q <= addr + 1'b1;
      last_q <= {1'b0, addr} + (UopAw + 1)'(2) == uop_end;
    end
  end

  vta_in_flight #(
    .Max(vta_pkg::ScanAhead)
  ) u_ahead (
    .clk_i,
    .rst_ni,
    .clear_i,
    .begin_i(start),
    .end_i(issued_i),
    .any_o(any_ahead),
    .room_o(room_ahead)
  );
  vta_in_flight #(
    .Max(MostUopLoads)
  ) u_uop_loads (
    .clk_i,
    .rst_ni,
    .clear_i,
    .begin_i(last_step && is_uop_load_q),
    .end_i(uop_load_done_i),
    .any_o(any_uop_load),
    .room_o(room_uop_loads)
  );

  assign empty_o = !any_ahead && !cmd_valid_q && !raw_valid_q;

  // ---- Stage 1: the micro-op; factors times iterations -----------------------------------------
  localparam int unsigned SumWidth = 32;
  logic          s1_data_q, s1_first_q, s1_valid_q, s1_walks_q, s1_bad_q;
  vta_pkg::cmd_t s1_cmd_q;
  logic [13:0]   s1_iter_in_q, s1_iter_out;
  logic [16:0]   s1_a_q, s1_b_q;
  logic          s1_is_gemm, s1_is_load;
  logic [15:0]   s1_src_fo, s1_src_fi;
  logic [33:0]   s2_dst_out_q;
  logic [29:0]   s2_dst_in_q, s2_src_out_q, s2_src_in_q, s2_wgt_out_q, s2_wgt_in_q;

  assign s1_is_gemm = s1_cmd_q.insn[vta_pkg::InsnOpcodeLsb+:3] == vta_pkg::OpcodeGemm;
  assign s1_is_load = s1_cmd_q.insn[vta_pkg::InsnOpcodeLsb+:3] == vta_pkg::OpcodeLoad;
  assign s1_iter_out = s1_a_q[13:0];
  assign s1_src_fo = s1_is_gemm ? 16'(s1_cmd_q.insn[vta_pkg::GemmSrcFactorOutLsb+:vta_pkg::InpLogDepth])
                                : 16'(s1_cmd_q.insn[vta_pkg::AluSrcFactorOutLsb+:AccAw]);
  assign s1_src_fi = s1_is_gemm ? 16'(s1_cmd_q.insn[vta_pkg::GemmSrcFactorInLsb+:vta_pkg::InpLogDepth])
                                : 16'(s1_cmd_q.insn[vta_pkg::AluSrcFactorInLsb+:AccAw]);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      s1_data_q <= 1'b0;
      s1_valid_q <= 1'b0;
    end else begin
      s1_data_q <= uop_re_o;
      s1_valid_q <= last_step;
    end
    s1_first_q <= !active_q;
    s1_cmd_q <= cmd_q;
    s1_walks_q <= walks_q;
    s1_bad_q <= bad_q;
    s1_iter_in_q <= iter_in_q;
    s1_a_q <= a_q;
    s1_b_q <= b_q;
    if (s1_valid_q) begin
      s2_dst_out_q <= s1_a_q * s1_b_q;
      s2_dst_in_q <= 30'(s1_iter_in_q) * 30'(s1_cmd_q.insn[vta_pkg::GemmDstFactorInLsb+:AccAw]);
      s2_src_out_q <= 30'(s1_iter_out) * 30'(s1_src_fo);
      s2_src_in_q <= 30'(s1_iter_in_q) * 30'(s1_src_fi);
      s2_wgt_out_q <= 30'(s1_iter_out) * 30'(s1_cmd_q.insn[vta_pkg::GemmWgtFactorOutLsb+:WgtAw]);
      s2_wgt_in_q <= 30'(s1_iter_in_q) * 30'(s1_cmd_q.insn[vta_pkg::GemmWgtFactorInLsb+:WgtAw]);
    end
  end

  // ---- Stage 2: smallest and largest index; inner and outer products ---------------------------
  logic                s2_data_q, s2_first_q, s2_valid_q, s2_walks_q, s2_bad_q, s2_is_load_q;
  vta_pkg::cmd_t       s2_cmd_q;
  logic [vta_pkg::TapsWidth-1:0] s2_more_taps_q;
  logic [AccAw-1:0]    dst_q, min_dst_q, max_dst_q;
  logic [SrcW-1:0]     src_q, min_src_q, max_src_q;
  logic [WgtAw-1:0]    wgt_q, max_wgt_q;
  logic [33:0]         s3_elements_q;
  logic [SumWidth-1:0] s3_dst_q, s3_src_q, s3_wgt_q, s3_base_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      s2_data_q <= 1'b0;
      s2_valid_q <= 1'b0;
    end else begin
      s2_data_q <= s1_data_q;
      s2_valid_q <= s1_valid_q;
    end
    s2_first_q <= s1_first_q;
    if (s1_data_q) begin
      dst_q <= uop_rdata_i[vta_pkg::UopDstIdxLsb+:AccAw];
      src_q <= uop_rdata_i[vta_pkg::UopSrcIdxLsb+:SrcW];
      wgt_q <= uop_rdata_i[vta_pkg::UopWgtIdxLsb+:WgtAw];
    end
    if (s1_valid_q) begin
      s2_cmd_q <= s1_cmd_q;
      s2_more_taps_q <= vta_pkg::more_taps_of(s1_cmd_q.insn);
      s2_walks_q <= s1_walks_q;
      s2_bad_q <= s1_bad_q;
      s2_is_load_q <= s1_is_load;
    end
    if (s2_data_q) begin
      if (s2_first_q || dst_q < min_dst_q) min_dst_q <= dst_q;
      if (s2_first_q || dst_q > max_dst_q) max_dst_q <= dst_q;
      if (s2_first_q || src_q < min_src_q) min_src_q <= src_q;
      if (s2_first_q || src_q > max_src_q) max_src_q <= src_q;
      if (s2_first_q || wgt_q > max_wgt_q) max_wgt_q <= wgt_q;
    end
    if (s2_valid_q) begin
      s3_elements_q <= s2_dst_out_q;
      s3_dst_q <= s2_dst_out_q[SumWidth-1:0] + (s2_is_load_q ? '0 : SumWidth'(s2_dst_in_q));
      s3_src_q <= SumWidth'(s2_src_out_q) + SumWidth'(s2_src_in_q) + SumWidth'(s2_more_taps_q);
      s3_wgt_q <= SumWidth'(s2_wgt_out_q) + SumWidth'(s2_wgt_in_q);
      // The last element of a load is its first, less one, plus their number.
      s3_base_q <= SumWidth'(s2_cmd_q.insn[vta_pkg::MemSramBaseLsb+:16]) - 1'b1;
    end
  end

  // Micro-ops may be narrower than their memory.
  logic unused;
  assign unused = &{1'b0, uop_rdata_i, room_uop_loads};

  // ---- Stage 3: largest indexes ----------------------------------------------------------------
  logic                s3_valid_q, s3_walks_q, s3_bad_q, s3_is_load_q;
  vta_pkg::cmd_t       s3_cmd_q;
  logic [SumWidth-1:0] s4_dst_q, s4_src_q, s4_wgt_q;
  logic [AccAw-1:0]    s4_min_dst_q;
  logic [AccAw-1:0]    s4_min_src_q;
  logic                s4_transfers_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) s3_valid_q <= 1'b0;
    else s3_valid_q <= s2_valid_q;
    if (s2_valid_q) begin
      s3_cmd_q <= s2_cmd_q;
      s3_walks_q <= s2_walks_q;
      s3_bad_q <= s2_bad_q;
      s3_is_load_q <= s2_is_load_q;
    end
    if (s3_valid_q) begin
      s4_dst_q <= s3_dst_q + (s3_is_load_q ? s3_base_q : SumWidth'(max_dst_q));
      s4_src_q <= s3_src_q + SumWidth'(max_src_q);
      s4_wgt_q <= s3_wgt_q + SumWidth'(max_wgt_q);
      s4_min_dst_q <= min_dst_q;
      s4_min_src_q <= min_src_q[AccAw-1:0];
      s4_transfers_q <= s3_is_load_q && s3_cmd_q.insn[vta_pkg::MemXSizeLsb+:16] != '0 && s3_elements_q != '0;
    end
  end

  // ---- Stage 4: ranges and bounds --------------------------------------------------------------
  logic              s4_valid_q, s4_walks_q, s4_bad_q, s4_is_load_q;
  vta_pkg::cmd_t     s4_cmd_q;
  // What the instruction is, decoded a stage ahead: the comparisons begin with it.
  logic [2:0]        s3_opcode;
  logic              is_gemm_q, is_alu_q, is_finish_q, reads_src_q, reads_pair_q, reads_operands_q, loads_uops_q;
  logic [AccAw-1:0]  min_src, max_src, max_dst;
  vta_pkg::scanned_t scanned;
  vta_pkg::claim_t   claim;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) s4_valid_q <= 1'b0;
    else s4_valid_q <= s3_valid_q;
    if (s3_valid_q) begin
      s4_cmd_q <= s3_cmd_q;
      s4_walks_q <= s3_walks_q;
      s4_bad_q <= s3_bad_q;
      s4_is_load_q <= s3_is_load_q;
      is_gemm_q <= s3_opcode == vta_pkg::OpcodeGemm;
      is_alu_q <= s3_opcode == vta_pkg::OpcodeAlu;
      is_finish_q <= s3_opcode == vta_pkg::OpcodeFinish;
      reads_operands_q <= s3_opcode == vta_pkg::OpcodeGemm &&
                          (!s3_cmd_q.insn[vta_pkg::GemmResetLsb] || vta_pkg::is_depthwise(s3_cmd_q.insn));
      reads_src_q <= s3_opcode == vta_pkg::OpcodeAlu && !s3_cmd_q.insn[vta_pkg::AluUseImmLsb];
      loads_uops_q <= s3_cmd_q.insn[vta_pkg::MemMemoryTypeLsb+:3] == vta_pkg::MemTypeUop;
      reads_pair_q <= vta_pkg::ExtRequant && vta_pkg::alu_op_of(s3_cmd_q.insn) == vta_pkg::AluOpRequant;
    end
  end

  assign s3_opcode = s3_cmd_q.insn[vta_pkg::InsnOpcodeLsb+:3];
  assign min_src = s4_min_src_q & ~(AccAw'(reads_pair_q));
  assign max_src = s4_src_q[AccAw-1:0] | AccAw'(reads_pair_q);
  assign max_dst = s4_dst_q[AccAw-1:0];

  always_comb begin
    scanned.past_end = s4_cmd_q.past_end;
    scanned.has_data = s4_cmd_q.has_data;
    scanned.number = s4_cmd_q.number;
    scanned.insn = s4_cmd_q.insn;
    scanned.finish = is_finish_q;
    scanned.out_of_bounds = s4_bad_q;
    claim.is_load = s4_is_load_q;
    claim.is_gemm = s4_walks_q && is_gemm_q;
    claim.is_alu = s4_walks_q && is_alu_q;
    claim.uses_acc = s4_walks_q;
    claim.uses_uop = s4_walks_q;
    claim.acc_lo = s4_min_dst_q;
    claim.acc_hi = max_dst;
    claim.uop_lo = s4_cmd_q.insn[vta_pkg::GemmUopBgnLsb+:UopAw];
    claim.uop_hi = UopAw'(s4_cmd_q.insn[vta_pkg::GemmUopEndLsb+:UopAw+1] - 1'b1);
    if (s4_walks_q) begin
      scanned.out_of_bounds = s4_dst_q >= vta_pkg::AccDepth || (reads_src_q && s4_src_q >= vta_pkg::AccDepth) ||
          (reads_operands_q && (s4_src_q >= vta_pkg::InpDepth || s4_wgt_q >= vta_pkg::WgtDepth));
      if (reads_src_q && min_src < s4_min_dst_q) claim.acc_lo = min_src;
      if (reads_src_q && max_src > max_dst) claim.acc_hi = max_src;
    end
    if (s4_is_load_q) begin
      // A load that is out of bounds is refused by the DMA: its range does not matter.
      claim.uses_acc = s4_transfers_q && !loads_uops_q;
      claim.uses_uop = s4_transfers_q && loads_uops_q;
      claim.acc_lo = s4_cmd_q.insn[vta_pkg::MemSramBaseLsb+:AccAw];
      claim.uop_lo = s4_cmd_q.insn[vta_pkg::MemSramBaseLsb+:UopAw];
      claim.uop_hi = s4_dst_q[UopAw-1:0];
    end
  end

  // Never full: of as many instructions as it has room for one is already further, unless the queue is empty.
  vta_queue #(
    .Width($bits(scanned) + $bits(claim)),
    .Depth(vta_pkg::ScanAhead),
    .Bypass(1'b1),
    .Eager(1'b1)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(s4_valid_q),
    .data_i({scanned, claim}),
    .valid_o,
    .data_o({scanned_o, claim_o}),
    .pop_i
  );
endmodule
