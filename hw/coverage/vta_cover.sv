// What simulation has to have seen: functional coverage of the core, looked at from outside. Bound into vta_core by the
// models of variant `coverage`; the names of the points say what they are, scripts/coverage-rtl reports them.
`define UNITS vta_core.u_units
`define COMPUTE `UNITS.u_compute_unit.u_compute
`define COMPUTE_DMA `UNITS.u_compute_unit.u_compute_load.u_dma
`define ALU `COMPUTE.u_alu.u_access

module vta_cover (
  input logic clk_i,
  input logic rst_ni
);
  localparam int unsigned MemoryTypeLsb = vta_pkg::MemMemoryTypeLsb;
  localparam bit Concurrent = vta_pkg::ConcurrentCompute;

  // ---- Instructions, as they are dispatched ------------------------------------------------------
  logic dispatch, is_load, is_store, is_gemm, is_alu, is_depthwise, imm, padded, loops_empty;
  logic [2:0] opcode, memory_type;
  logic [vta_pkg::AluOpWidth-1:0] alu_opcode;
  logic [vta_pkg::TapsWidth-1:0] more_taps;
  vta_pkg::cmd_t cmd;
  vta_pkg::mem_cmd_t mem;
  vta_pkg::tokens_t tokens;

  assign dispatch = `UNITS.queue_push != '0;
  assign cmd = `UNITS.fetched;
  assign mem = vta_pkg::mem_cmd_of(cmd);
  assign tokens = vta_pkg::tokens_of(cmd.insn);
  assign opcode = cmd.insn[vta_pkg::InsnOpcodeLsb+:3];
  assign memory_type = cmd.insn[MemoryTypeLsb+:3];
  assign alu_opcode = vta_pkg::alu_op_of(cmd.insn);
  assign imm = cmd.insn[vta_pkg::AluUseImmLsb];
  assign is_load = dispatch && opcode == vta_pkg::OpcodeLoad && mem.x_size != '0;
  assign is_store = dispatch && opcode == vta_pkg::OpcodeStore;
  assign is_gemm = dispatch && opcode == vta_pkg::OpcodeGemm;
  assign is_alu = dispatch && opcode == vta_pkg::OpcodeAlu;
  assign is_depthwise = dispatch && vta_pkg::is_depthwise(cmd.insn);
  assign more_taps = vta_pkg::more_taps_of(cmd.insn);
  assign padded = mem.x_pad_0 != '0 || mem.x_pad_1 != '0 || mem.y_pad_0 != '0 || mem.y_pad_1 != '0;
  assign loops_empty = cmd.insn[vta_pkg::GemmIterOutLsb+:14] == '0 || cmd.insn[vta_pkg::GemmIterInLsb+:14] == '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      finish : cover (dispatch && opcode == vta_pkg::OpcodeFinish);
      load_uop : cover (is_load && memory_type == vta_pkg::MemTypeUop);
      load_inp : cover (is_load && memory_type == vta_pkg::MemTypeInp);
      load_wgt : cover (is_load && memory_type == vta_pkg::MemTypeWgt);
      load_wgt_transposed : cover (is_load && memory_type == vta_pkg::MemTypeWgtTransposed);
      load_inp_from_out : cover (is_load && memory_type == vta_pkg::MemTypeInpFromOut);
      load_acc : cover (is_load && memory_type == vta_pkg::MemTypeAcc);
      load_acc8 : cover (is_load && memory_type == vta_pkg::MemTypeAcc8);
      store_out : cover (is_store && mem.x_size != '0 && mem.y_size != '0);
      gemm_accumulates : cover (is_gemm && !cmd.insn[vta_pkg::GemmResetLsb]);
      gemm_resets : cover (is_gemm && cmd.insn[vta_pkg::GemmResetLsb]);
      depthwise_accumulates : cover (is_depthwise && !cmd.insn[vta_pkg::GemmResetLsb]);
      depthwise_assigns : cover (is_depthwise && cmd.insn[vta_pkg::GemmResetLsb]);
      depthwise_one_tap : cover (is_depthwise && more_taps == '0);
      depthwise_some_taps : cover (is_depthwise && more_taps != '0 && 32'(more_taps) < vta_pkg::DepthwiseTaps - 1);
      depthwise_all_taps : cover (is_depthwise && 32'(more_taps) == vta_pkg::DepthwiseTaps - 1);
      alu_min : cover (is_alu && alu_opcode == vta_pkg::AluOpMin);
      alu_max : cover (is_alu && alu_opcode == vta_pkg::AluOpMax);
      alu_add : cover (is_alu && alu_opcode == vta_pkg::AluOpAdd);
      alu_shr : cover (is_alu && alu_opcode == vta_pkg::AluOpShr);
      alu_mul : cover (is_alu && alu_opcode == vta_pkg::AluOpMul);
      alu_qmul : cover (is_alu && alu_opcode == vta_pkg::AluOpQmul);
      alu_clip : cover (is_alu && alu_opcode == vta_pkg::AluOpClip);
      alu_prelu : cover (is_alu && alu_opcode == vta_pkg::AluOpPrelu);
      alu_requant : cover (is_alu && alu_opcode == vta_pkg::AluOpRequant);
      alu_table : cover (is_alu && alu_opcode == vta_pkg::AluOpTable);
      alu_lut : cover (is_alu && alu_opcode == vta_pkg::AluOpLut);
      alu_with_immediate : cover (is_alu && imm);
      alu_with_tensor : cover (is_alu && !imm);
      gemm_nothing : cover (is_gemm && loops_empty);
      alu_nothing : cover (is_alu && loops_empty);
      load_nothing : cover (dispatch && opcode == vta_pkg::OpcodeLoad && mem.x_size == '0);
      load_pads_only : cover (is_load && mem.y_size == '0 && padded);
      store_nothing : cover (is_store && (mem.x_size == '0 || mem.y_size == '0));

      inp_pads_top : cover (is_load && memory_type == vta_pkg::MemTypeInp && mem.y_pad_0 != '0);
      inp_pads_bottom : cover (is_load && memory_type == vta_pkg::MemTypeInp && mem.y_pad_1 != '0);
      inp_pads_left : cover (is_load && memory_type == vta_pkg::MemTypeInp && mem.x_pad_0 != '0);
      inp_pads_right : cover (is_load && memory_type == vta_pkg::MemTypeInp && mem.x_pad_1 != '0);
      inp_pads_with_minimum : cover (is_load && memory_type == vta_pkg::MemTypeInp && padded && mem.pad_min);
      wgt_pads : cover (is_load && memory_type == vta_pkg::MemTypeWgt && padded);
      acc_pads_top : cover (is_load && memory_type == vta_pkg::MemTypeAcc && mem.y_pad_0 != '0);
      acc_pads_bottom : cover (is_load && memory_type == vta_pkg::MemTypeAcc && mem.y_pad_1 != '0);
      acc_pads_left : cover (is_load && memory_type == vta_pkg::MemTypeAcc && mem.x_pad_0 != '0);
      acc_pads_right : cover (is_load && memory_type == vta_pkg::MemTypeAcc && mem.x_pad_1 != '0);
      acc_pads_with_minimum : cover (is_load && memory_type == vta_pkg::MemTypeAcc && padded && mem.pad_min);
      acc8_pads : cover (is_load && memory_type == vta_pkg::MemTypeAcc8 && padded && !mem.pad_min);
      acc8_pads_with_minimum : cover (is_load && memory_type == vta_pkg::MemTypeAcc8 && padded && mem.pad_min);

      load_one_row : cover (is_load && mem.y_size == 16'd1);
      load_rows_apart : cover (is_load && mem.y_size > 16'd1 && mem.x_stride > mem.x_size);
      load_rows_in_a_line : cover (is_load && mem.y_size > 16'd1 && mem.x_stride == mem.x_size);
      load_rows_overlap : cover (is_load && mem.y_size > 16'd1 && mem.x_stride < mem.x_size);
      load_the_same_row : cover (is_load && mem.y_size > 16'd1 && mem.x_stride == '0);
      store_rows_apart : cover (is_store && mem.y_size > 16'd1 && mem.x_stride > mem.x_size);
      store_rows_overlap : cover (is_store && mem.y_size > 16'd1 && mem.x_stride < mem.x_size);

      load_pops_and_pushes : cover (is_load && tokens.pop_next && tokens.push_next);
      compute_pops_both : cover (is_gemm && tokens.pop_prev && tokens.pop_next);
      compute_pushes_both : cover (is_gemm && tokens.push_prev && tokens.push_next);
      store_pops_and_pushes : cover (is_store && tokens.pop_prev && tokens.push_prev);
    end
  end

  // ---- Queues ------------------------------------------------------------------------------------
  logic fetch_ready;
  assign fetch_ready = `UNITS.u_fetch.wanted && !`UNITS.u_fetch.bad_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      load_queue_full : cover (!`UNITS.queue_room[0]);
      compute_queue_full : cover (!`UNITS.queue_room[1]);
      store_queue_full : cover (!`UNITS.queue_room[2]);
      fetch_waits_for_load_queue : cover (`UNITS.fetch_blocked && `UNITS.u_fetch.target_q[0]);
      fetch_waits_for_compute_queue : cover (`UNITS.fetch_blocked && `UNITS.u_fetch.target_q[1]);
      fetch_waits_for_store_queue : cover (`UNITS.fetch_blocked && `UNITS.u_fetch.target_q[2]);
      queue_filled_and_emptied_at_once : cover (`UNITS.queue_push[1] && `UNITS.head_pop[1]);
      queue_runs_empty : cover (`UNITS.head_pop[1] && `UNITS.queue_empty[1] && !`UNITS.queue_push[1]);
      tokens_l2c_push_and_pop : cover (`UNITS.token_push[0] && `UNITS.token_pop[0]);
      tokens_c2l_push_and_pop : cover (`UNITS.token_push[1] && `UNITS.token_pop[1]);
      tokens_c2s_push_and_pop : cover (`UNITS.token_push[2] && `UNITS.token_pop[2]);
      tokens_s2c_push_and_pop : cover (`UNITS.token_push[3] && `UNITS.token_pop[3]);
      tokens_l2c_overflow : cover (vta_core.token_overflow[0]);
      tokens_c2l_overflow : cover (vta_core.token_overflow[1]);
      tokens_c2s_overflow : cover (vta_core.token_overflow[2]);
      tokens_s2c_overflow : cover (vta_core.token_overflow[3]);
      scan_ahead_full : cover (!`COMPUTE.u_scan.room_ahead);
      reorder_buffer_full : cover (`COMPUTE.u_issue.full_q);
      load_transfers_full : cover (!`UNITS.u_load.u_dma.room);
      compute_transfers_full : cover (!`COMPUTE_DMA.room);
      store_transfers_full : cover (!`UNITS.u_store.room);
      three_units_retire_at_once : cover (vta_core.retire_valid_o == 3'b111);
    end
  end

  // ---- Why units stand still ---------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (rst_ni && !vta_core.halt) begin
      fetch_stall_memory : cover (vta_core.fetch_events.stall_memory);
      fetch_stall_hazard : cover (vta_core.fetch_events.stall_hazard);
      load_stall_token : cover (vta_core.load_events.stall_token);
      load_stall_memory : cover (vta_core.load_events.stall_memory);
      compute_stall_token : cover (vta_core.compute_events.stall_token);
      compute_stall_memory : cover (vta_core.compute_events.stall_memory);
      compute_stall_hazard : cover (vta_core.compute_events.stall_hazard);
      store_stall_token : cover (vta_core.store_events.stall_token);
      store_stall_memory : cover (vta_core.store_events.stall_memory);
      finish_waits_for_others : cover (`UNITS.u_compute_unit.waits_others);
    end
  end

  // ---- Compute: overlap, conflicts, forwarding ---------------------------------------------------
  logic gemm_runs, alu_runs, load_runs, waits, gemm_dst_hit, alu_waits;
  logic alu_moves;

  assign gemm_runs = `COMPUTE.u_gemm.acc_req_o;
  assign alu_runs = `ALU.access_valid_q;
  assign load_runs = `COMPUTE_DMA.in_flight_o;
  assign waits = `COMPUTE.u_issue.head_valid_q &&
                 (`COMPUTE.u_issue.meets_q & `COMPUTE.u_issue.unfinished_q) != '0;
  assign gemm_dst_hit = `COMPUTE.u_gemm.granted && !`COMPUTE.u_gemm.access_q.reset;
  assign alu_moves = `ALU.move;
  assign alu_waits = `ALU.check_valid_q && `ALU.waits;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      gemm_beside_alu : cover (gemm_runs && alu_runs);
      gemm_beside_load : cover (gemm_runs && load_runs);
      alu_beside_load : cover (alu_runs && load_runs);
      all_engines_run : cover (gemm_runs && alu_runs && load_runs);
      gemm_waits_for_conflict : cover (Concurrent && waits && `COMPUTE.u_issue.head_claim_q.is_gemm);
      alu_waits_for_conflict : cover (Concurrent && waits && `COMPUTE.u_issue.head_claim_q.is_alu);
      load_waits_for_conflict : cover (Concurrent && waits && `COMPUTE.u_issue.head_claim_q.is_load);
      gemm_waits_its_turn : cover (!Concurrent && waits && `COMPUTE.u_issue.head_claim_q.is_gemm);
      alu_waits_its_turn : cover (!Concurrent && waits && `COMPUTE.u_issue.head_claim_q.is_alu);
      load_waits_its_turn : cover (!Concurrent && waits && `COMPUTE.u_issue.head_claim_q.is_load);
      scan_waits_for_uop_load : cover (`COMPUTE.u_scan.cmd_valid_q && `COMPUTE.u_scan.walks_q &&
                                       `COMPUTE.u_scan.any_uop_load);

      gemm_forwards_1 : cover (gemm_dst_hit && `COMPUTE.u_gemm.match[1]);
      gemm_forwards_2 : cover (gemm_dst_hit && `COMPUTE.u_gemm.match[2:1] == 2'b10);
      gemm_forwards_3 : cover (gemm_dst_hit && `COMPUTE.u_gemm.match[3:1] == 3'b100);
      gemm_forwards_last : cover (gemm_dst_hit && `COMPUTE.u_gemm.match ==
                                                      vta_pkg::AccLatency'(1) << (vta_pkg::AccLatency - 1));
      gemm_reads_memory : cover (gemm_dst_hit && `COMPUTE.u_gemm.match == '0);
      alu_waits_for_dst_0 : cover (alu_waits && `ALU.dst_meets_q[0]);
      alu_waits_for_dst_1 : cover (alu_waits && `ALU.dst_meets_q[1]);
      alu_waits_for_dst_2 : cover (alu_waits && `ALU.dst_meets_q[2]);
      alu_waits_for_dst_last : cover (alu_waits && `ALU.dst_meets_q[vta_pkg::AccLatency-1]);
      alu_waits_for_src_0 : cover (alu_waits && `ALU.src_meets_q[0]);
      alu_waits_for_src_last : cover (alu_waits && `ALU.src_meets_q[vta_pkg::AccLatency-1]);
      alu_holds_src : cover (alu_moves && `ALU.held_q &&
                             !`ALU.check_q.use_imm);
      alu_reads_src_first : cover (alu_moves && `ALU.src_done_q);
      alu_reads_dst_as_src : cover (alu_moves && `ALU.reads_src &&
                                    `ALU.check_q.dst == `ALU.check_q.src);
    end
  end

  // ---- Forms of the engines that a configuration chooses -----------------------------------------
  logic multiplies, alu_done, alu_ready, splits;
  assign multiplies = `COMPUTE.u_gemm.inp_re_o;
  assign alu_done = `COMPUTE.u_alu.uop_done_o;
  assign alu_ready = `ALU.check_valid_q && !`ALU.waits &&
                     `ALU.granted;
  assign splits = `ALU.first_of_two;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      multiplies_two_in_a_block : cover (multiplies && vta_pkg::Multipliers == vta_pkg::MultipliersPacked);
      multiplies_four_in_a_block : cover (multiplies && vta_pkg::Multipliers == vta_pkg::MultipliersDoublePumped);
      multiplies_one_in_a_block : cover (multiplies && vta_pkg::Multipliers == vta_pkg::MultipliersSingle);
      multiplies_in_luts : cover (multiplies && vta_pkg::Multipliers == vta_pkg::MultipliersLut);
      pump_begins_in_even_cycle : cover (multiplies && !`COMPUTE.u_gemm.odd_q &&
                                         vta_pkg::Multipliers == vta_pkg::MultipliersDoublePumped);
      pump_begins_in_odd_cycle : cover (multiplies && `COMPUTE.u_gemm.odd_q &&
                                        vta_pkg::Multipliers == vta_pkg::MultipliersDoublePumped);
      weights_of_4_bits : cover (multiplies && vta_pkg::WgtWidth == 4);
      weights_of_2_bits : cover (multiplies && vta_pkg::WgtWidth == 2);
      alu_in_2_passes : cover (alu_done && vta_pkg::AluPasses == 2);
      alu_in_4_passes : cover (alu_done && vta_pkg::AluPasses == 4);
      alu_in_8_passes : cover (alu_done && vta_pkg::AluPasses == 8);
      alu_waits_for_passes : cover (alu_ready && !splits && `ALU.passes);
      alu_waits_for_passes_with_src : cover (alu_ready && splits && `ALU.src_passes);
      requant_reads_a_pair : cover (`COMPUTE.u_alu.u_pipeline.u_operands.pair_read_q);
      requant_holds_a_pair : cover (alu_moves && `ALU.held_q &&
                                    `ALU.check_q.op == vta_pkg::AluOpRequant);
      acc_in_2_banks : cover (gemm_runs && vta_pkg::AccBanks == 2);
      acc_in_4_banks : cover (gemm_runs && vta_pkg::AccBanks == 4);
      acc_in_8_banks : cover (gemm_runs && vta_pkg::AccBanks == 8);
    end
  end

  // ---- Banks of ACC ------------------------------------------------------------------------------
  logic acc_load, alu_asks, alu_gets, gemm_asks, gemm_gets;
  assign acc_load = `COMPUTE.u_acc.load_valid_q[1];
  assign alu_asks = `COMPUTE.dst_req || `COMPUTE.src_req;
  assign alu_gets = `COMPUTE.u_acc.alu_gnt_o;
  assign gemm_asks = `COMPUTE.u_acc.gemm_req_i;
  assign gemm_gets = `COMPUTE.u_acc.gemm_gnt_o;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      bank_load_before_alu : cover (acc_load && alu_asks && !alu_gets);
      bank_load_before_gemm : cover (acc_load && gemm_asks && !gemm_gets && !alu_asks);
      bank_alu_before_gemm : cover (!acc_load && alu_asks && alu_gets && gemm_asks && !gemm_gets);
      banks_for_all_three : cover (acc_load && alu_asks && alu_gets && gemm_asks && gemm_gets);
      bank_refused_alu_leaves_gemm : cover (alu_asks && !alu_gets && gemm_asks && gemm_gets);
      three_writes_at_once : cover (`COMPUTE.u_acc.load_writes_q != '0 && `COMPUTE.u_acc.gemm_we_i &&
                                    `COMPUTE.u_acc.alu_we_i);
    end
  end

  // ---- The bus -----------------------------------------------------------------------------------
  // A burst of `beats` beats from `addr` on ends at a multiple of 4 KiB.
  function automatic logic at_4k(logic [11:0] addr, logic [vta_pkg::BurstLenWidth-1:0] beats);
    at_4k = 32'(addr) + 32'(beats) * vta_pkg::AxiBytes == 32'd4096;
  endfunction

  logic fetch_wants, load_wants, compute_wants, store_wants, beat;
  assign fetch_wants = `UNITS.u_fetch.burst_valid && !vta_core.halt;
  assign load_wants = `UNITS.u_load.u_dma.burst_valid && !vta_core.halt;
  assign compute_wants = `COMPUTE_DMA.burst_valid && !vta_core.halt;
  assign store_wants = `UNITS.u_store.burst_valid && !vta_core.halt;
  // Writes go through one port.
  localparam int unsigned PortStore = vta_pkg::PortStore;
  logic aw_waits;
  logic [7:0] awlen;
  assign beat = vta_core.m_axi_wvalid_o[PortStore] && vta_core.m_axi_wready_i[PortStore];
  assign aw_waits = vta_core.m_axi_awvalid_o[PortStore] && !vta_core.m_axi_awready_i[PortStore];
  assign awlen = vta_core.m_axi_awlen_o[PortStore*8+:8];
  // Of any port.
  logic reads_longest, reads_shortest;
  always_comb begin
    reads_longest = 1'b0;
    reads_shortest = 1'b0;
    for (int p = 0; p < vta_pkg::AxiPorts; p++) begin
      if (vta_core.m_axi_arvalid_o[p]) begin
        if (32'(vta_core.m_axi_arlen_o[p*8+:8]) == vta_pkg::MaxBurstBeats - 1) reads_longest = 1'b1;
        if (vta_core.m_axi_arlen_o[p*8+:8] == '0) reads_shortest = 1'b1;
      end
    end
  end
  // With several ports; those that read a beat in this cycle.
  localparam bit Apart = vta_pkg::AxiPorts > 1;
  logic [vta_pkg::AxiPorts-1:0] beats;
  assign beats = vta_core.m_axi_rvalid_i & vta_core.m_axi_rready_o;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      fetch_without_credit : cover (fetch_wants && !`UNITS.u_fetch.slot_free);
      load_without_credit : cover (load_wants && !`UNITS.u_load.u_dma.slot_free);
      compute_without_credit : cover (compute_wants && !`COMPUTE_DMA.slot_free);
      store_without_credit : cover (store_wants && !`UNITS.u_store.slot_free);
      all_request_reads : cover (vta_core.u_memory_ports.gen_port[0].u_port.u_arbiter.req == 3'b111);
      reads_wait : cover ((vta_core.m_axi_arvalid_o & ~vta_core.m_axi_arready_i) != '0);
      writes_wait_for_address : cover (aw_waits);
      writes_wait_for_data : cover (vta_core.m_axi_wvalid_o[PortStore] && !vta_core.m_axi_wready_i[PortStore]);
      data_before_address : cover (beat && aw_waits && `UNITS.u_store.u_slots.count == 1);
      fetch_ends_at_4k : cover (vta_core.fetch_grant && !`UNITS.u_fetch.row_end &&
                                at_4k(vta_core.fetch_burst.addr[11:0], vta_core.fetch_burst.beats));
      load_ends_at_4k : cover (vta_core.inp_grant && !`UNITS.u_load.u_dma.row_end &&
                               at_4k(vta_core.inp_burst.addr[11:0], vta_core.inp_burst.beats));
      compute_ends_at_4k : cover (vta_core.compute_grant && !`COMPUTE_DMA.row_end &&
                                  at_4k(vta_core.compute_burst.addr[11:0], vta_core.compute_burst.beats));
      store_ends_at_4k : cover (`UNITS.u_store.grant && !`UNITS.u_store.row_end &&
                                at_4k(`UNITS.u_store.burst_addr[11:0], `UNITS.u_store.burst_beats));
      longest_read_burst : cover (reads_longest);
      shortest_read_burst : cover (reads_shortest);
      longest_write_burst : cover (vta_core.m_axi_awvalid_o[PortStore] && 32'(awlen) == vta_pkg::MaxBurstBeats - 1);
      shortest_write_burst : cover (vta_core.m_axi_awvalid_o[PortStore] && awlen == '0);
      load_begins_inside_a_beat : cover (vta_core.inp_grant && `UNITS.u_load.u_dma.first_off != '0);
      load_ends_inside_a_beat : cover (vta_core.inp_grant && `UNITS.u_load.u_dma.last_off != '1);
      compute_begins_inside_a_beat : cover (vta_core.compute_grant && `COMPUTE_DMA.first_off != '0);
      beat_written_in_part : cover (beat && vta_core.m_axi_wstrb_o[PortStore*vta_pkg::AxiBytes+:vta_pkg::AxiBytes] != '1);
      weights_on_a_port_of_their_own : cover (vta_pkg::PortWgt != 0 && beats[vta_pkg::PortWgt]);
      inputs_on_a_port_of_their_own : cover (vta_pkg::PortInp != 0 && beats[vta_pkg::PortInp]);
      stores_on_a_port_of_their_own : cover (PortStore != 0 && vta_core.m_axi_awvalid_o[PortStore]);
      two_ports_read_at_once : cover (Apart && (beats & (beats - 1'b1)) != '0);
      one_port_reads_another_waits : cover (Apart && beats[0] &&
                                            vta_core.m_axi_arvalid_o[vta_pkg::PortWgt] &&
                                            !vta_core.m_axi_arready_i[vta_pkg::PortWgt]);
      response_and_grant_at_once : cover (`UNITS.u_store.grant && vta_core.m_axi_bvalid_i[PortStore]);
    end
  end

  // ---- Faults and the ends of launches -----------------------------------------------------------
  logic run, fault_now;
  assign run = rst_ni && !vta_core.halt;
  assign fault_now = vta_core.ended && vta_core.fault.valid;

  logic reset_q, running_q;
  always_ff @(posedge clk_i) begin
    reset_q <= !rst_ni;
    running_q <= vta_core.running_o;
    // A reset while something is going on.
    reset_in_a_run : cover (!rst_ni && !reset_q && running_q);
    reset_with_reads_on_the_bus : cover (!rst_ni && !reset_q && vta_core.bus_busy[2:0] != '0);
    reset_with_writes_on_the_bus : cover (!rst_ni && !reset_q && vta_core.bus_busy[3]);
    if (rst_ni) begin
      launch_refused : cover (vta_core.u_regs.wants_launch && !vta_core.u_regs.free);
      launch_bad : cover (vta_core.launch && vta_core.bad_launch);
      launch_after_fault : cover (vta_core.launch && vta_core.fault.valid);
      registers_read_in_a_run : cover (vta_core.s_axil_arvalid_i && vta_core.running_o);
      write_with_missing_strobes : cover (vta_core.s_axil_awvalid_i && vta_core.s_axil_wvalid_i && vta_core.s_axil_wstrb_i != '1);
      fault_illegal : cover (fault_now && vta_core.fault.code == vta_pkg::FaultIllegalInstruction);
      fault_of_fetch_on_the_bus : cover (fault_now && vta_core.u_control.stuck_q &&
                                         vta_core.fault.code == vta_pkg::FaultBusError);
      fault_deadlock : cover (fault_now && vta_core.fault.code == vta_pkg::FaultDeadlock && vta_core.waiting_token != '0);
      fault_no_finish : cover (fault_now && vta_core.fault.code == vta_pkg::FaultDeadlock && vta_core.waiting_token == '0);
      fault_token_overflow : cover (fault_now && vta_core.fault.code == vta_pkg::FaultTokenOverflow);
      fault_tokens_left : cover (vta_core.u_control.finished_q && vta_core.u_control.tokens_left_i);
      fault_load_bounds : cover (run && vta_core.load_fault.valid && vta_core.load_fault.code == vta_pkg::FaultSramBounds);
      fault_load_bus : cover (run && vta_core.load_fault.valid && vta_core.load_fault.code == vta_pkg::FaultBusError);
      fault_dma_bounds : cover (run && vta_core.dma_fault.valid && vta_core.dma_fault.code == vta_pkg::FaultSramBounds);
      fault_dma_bus : cover (run && vta_core.dma_fault.valid && vta_core.dma_fault.code == vta_pkg::FaultBusError);
      fault_compute_bounds : cover (run && vta_core.compute_fault.valid);
      fault_store_bounds : cover (run && vta_core.store_fault.valid && vta_core.store_fault.code == vta_pkg::FaultSramBounds);
      fault_store_bus : cover (run && vta_core.store_fault.valid && vta_core.store_fault.code == vta_pkg::FaultBusError);
      load_past_addresses : cover (run && `UNITS.u_load.u_dma.burst_overflow);
      compute_past_addresses : cover (run && `COMPUTE_DMA.burst_overflow);
      store_past_addresses : cover (run && `UNITS.u_store.burst_overflow);
      two_faults_at_once : cover (run && 32'(vta_core.load_fault.valid) + 32'(vta_core.dma_fault.valid) +
                                         32'(vta_core.compute_fault.valid) + 32'(vta_core.store_fault.valid) > 1);
      end_with_a_quiet_bus : cover (vta_core.halt && vta_core.running_o && vta_core.bus_busy[2:0] == '0 && !vta_core.bus_busy[3]);
      end_drains_reads : cover (vta_core.halt && vta_core.running_o && vta_core.bus_busy[2:0] != '0);
      end_drains_writes : cover (vta_core.halt && vta_core.running_o && vta_core.bus_busy[3]);
      nothing_in_the_stream : cover (vta_core.start && vta_core.insn_count == '0);
    end
  end

  logic unused_signals;
  assign unused_signals = ^{cmd, mem, fetch_ready};
endmodule

bind vta_core vta_cover u_cover (.clk_i, .rst_ni);

`undef ALU
`undef COMPUTE_DMA
`undef COMPUTE
`undef UNITS
