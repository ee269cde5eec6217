// The scoreboard of the compute unit. Any two instructions are followed from where they are scanned to their retirement:
// the younger is not issued while the older, on another engine, works on an element of ACC or a micro-op that both touch.
// Issue and retirement are in program order, each instruction retires once, with its number and tokens, and not before
// its engine is done. FINISH and faults come when nothing is issued and not retired.
module formal_compute_issue (
  input logic                             clk_i,
  input logic                             halt_i,
  input logic                             scanned_valid_i,
  input vta_pkg::scanned_t                scanned_i,
  input vta_pkg::claim_t                  claim_i,
  input logic                             prev_avail_i,
  input logic                             next_avail_i,
  input logic                             load_ready_i,
  input logic                             gemm_done_i,
  input logic [vta_pkg::ReorderWidth-1:0] gemm_done_slot_i,
  input logic                             alu_done_i,
  input logic [vta_pkg::ReorderWidth-1:0] alu_done_slot_i,
  input logic                             load_done_i,
  input logic [vta_pkg::ReorderWidth-1:0] load_done_slot_i,
  input logic                             others_idle_i,
  input logic                             mark_i  // follow the instruction that is scanned
);
  localparam int unsigned Depth = vta_pkg::ReorderDepth;
  localparam int unsigned SlotWidth = vta_pkg::ReorderWidth;
  localparam int unsigned CountWidth = SlotWidth + 2;

  logic rst_n_q = 1'b0;
  logic pop, issued, gemm_start, alu_start, load_start, finish, retire, idle;
  logic pop_prev, pop_next, push_prev, push_next;
  logic [SlotWidth-1:0] slot;
  logic [vta_pkg::NumberWidth-1:0] retire_number;
  vta_pkg::fault_t fault;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_compute_issue dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i(1'b0),
    .halt_i,
    .scanned_valid_i,
    .scanned_i,
    .claim_i,
    .scanned_pop_o(pop),
    .head_o(),
    .issued_o(issued),
    .prev_avail_i,
    .next_avail_i,
    .pop_prev_o(pop_prev),
    .pop_next_o(pop_next),
    .push_prev_o(push_prev),
    .push_next_o(push_next),
    .load_is_uop_o(),
    .load_is_acc8_o(),
    .gemm_start_o(gemm_start),
    .alu_start_o(alu_start),
    .load_start_o(load_start),
    .load_ready_i,
    .start_slot_o(slot),
    .gemm_done_i,
    .gemm_done_slot_i,
    .alu_done_i,
    .alu_done_slot_i,
    .load_done_i,
    .load_done_slot_i,
    .others_idle_i,
    .finish_o(finish),
    .retire_valid_o(retire),
    .retire_number_o(retire_number),
    .fault_o(fault),
    .idle_o(idle),
    .lacks_token_o(),
    .waits_others_o(),
    .loops_busy_o(),
    .loads_busy_o()
  );

  // An element of ACC and a micro-op, any.
  (* anyconst *) logic [vta_pkg::AccLogDepth-1:0] element;
  (* anyconst *) logic [vta_pkg::UopLogDepth-1:0] uop;

  // The engines: which slots they work on.
  logic [Depth-1:0] gemm_busy_q = '0;
  logic [Depth-1:0] alu_busy_q = '0;
  logic [Depth-1:0] load_busy_q = '0;
  logic [Depth-1:0] start_mask;
  assign start_mask = Depth'(1) << slot;

  always_ff @(posedge clk_i) begin
    if (rst_n_q) begin
      gemm_busy_q <= (gemm_busy_q & ~(Depth'(gemm_done_i) << gemm_done_slot_i)) | (gemm_start ? start_mask : '0);
      alu_busy_q <= (alu_busy_q & ~(Depth'(alu_done_i) << alu_done_slot_i)) | (alu_start ? start_mask : '0);
      load_busy_q <= (load_busy_q & ~(Depth'(load_done_i) << load_done_slot_i)) |
                     (load_start && load_ready_i ? start_mask : '0);
    end
  end

  // Instructions that were taken and not issued, and issued and not retired.
  logic [CountWidth-1:0] waiting_q = '0;
  logic [CountWidth-1:0] open_q = '0;
  logic opens, closes;  // FINISH does neither
  assign opens = issued && !finish;
  assign closes = retire && !finish;

  // The two that are followed: bit 0 the older. What they are, and where they are.
  logic [1:0] taken_q = '0;
  logic [1:0] issued_q = '0;
  logic [1:0] working_q = '0;  // on their engine
  logic [1:0] retired_q = '0;
  logic [1:0] takes, issues, retires, is_done;
  logic [2*CountWidth-1:0] ahead_q = '0;   // before it and not issued; then issued before it and not retired
  logic [2*SlotWidth-1:0] slot_q = '0;
  logic [2*3-1:0] engine_q = '0;  // bit 0 GEMM, 1 ALU, 2 LOAD
  logic [1:0] has_element_q = '0;
  logic [1:0] has_uop_q = '0;
  logic [1:0] finish_q = '0;
  logic [1:0] bad_q = '0;
  logic [2*4-1:0] tokens_q = '0;
  logic [2*vta_pkg::NumberWidth-1:0] number_q = '0;
  vta_pkg::tokens_t tokens;
  assign tokens = vta_pkg::tokens_of(scanned_i.insn);

  for (genvar i = 0; i < 2; i++) begin : gen_followed
    logic [CountWidth-1:0] ahead;
    logic [SlotWidth-1:0] its_slot;
    logic [2:0] engine;
    assign ahead = ahead_q[i*CountWidth+:CountWidth];
    assign its_slot = slot_q[i*SlotWidth+:SlotWidth];
    assign engine = engine_q[i*3+:3];
    assign takes[i] = rst_n_q && pop && mark_i && !taken_q[i] && (i == 0 || taken_q[0]);
    assign issues[i] = taken_q[i] && !issued_q[i] && ahead == '0 && issued;
    assign retires[i] = (issued_q[i] && !retired_q[i] && ahead == '0 && closes) || (issues[i] && finish);
    assign is_done[i] = (engine[0] && gemm_done_i && gemm_done_slot_i == its_slot) ||
                        (engine[1] && alu_done_i && alu_done_slot_i == its_slot) ||
                        (engine[2] && load_done_i && load_done_slot_i == its_slot);

    always_ff @(posedge clk_i) begin
      if (takes[i]) begin
        taken_q[i] <= 1'b1;
        ahead_q[i*CountWidth+:CountWidth] <= waiting_q - CountWidth'(issued);
        engine_q[i*3+:3] <= {claim_i.is_load, claim_i.is_alu, claim_i.is_gemm};
        has_element_q[i] <= claim_i.uses_acc && claim_i.acc_lo <= element && element <= claim_i.acc_hi;
        has_uop_q[i] <= claim_i.uses_uop && claim_i.uop_lo <= uop && uop <= claim_i.uop_hi;
        finish_q[i] <= scanned_i.finish;
        bad_q[i] <= scanned_i.out_of_bounds;
        tokens_q[i*4+:4] <= tokens;
        number_q[i*vta_pkg::NumberWidth+:vta_pkg::NumberWidth] <= scanned_i.number;
      end
      if (issues[i]) begin
        issued_q[i] <= 1'b1;
        retired_q[i] <= finish;
        working_q[i] <= engine != '0;
        slot_q[i*SlotWidth+:SlotWidth] <= slot;
        ahead_q[i*CountWidth+:CountWidth] <= open_q - CountWidth'(closes);
      end else if (taken_q[i] && (issued_q[i] ? closes : issued) && ahead != '0) begin
        ahead_q[i*CountWidth+:CountWidth] <= ahead - 1'b1;
      end
      if (is_done[i] && working_q[i]) working_q[i] <= 1'b0;
      if (retires[i]) retired_q[i] <= 1'b1;
    end

    always_comb begin
      if (rst_n_q) begin
        if (issues[i]) begin
          assert (!bad_q[i] && finish == finish_q[i] && !halt_i);
          assert (gemm_start == engine[0] && alu_start == engine[1] && (load_start && load_ready_i) == engine[2]);
          assert (pop_prev == tokens_q[i*4+0] && pop_next == tokens_q[i*4+1]);
          assert (!pop_prev || prev_avail_i);
          assert (!pop_next || next_avail_i);
          if (finish) assert (open_q == '0 && others_idle_i);
        end
        if (retires[i]) begin
          assert (!working_q[i]);
          assert (retire_number == number_q[i*vta_pkg::NumberWidth+:vta_pkg::NumberWidth]);
          assert (push_prev == tokens_q[i*4+2] && push_next == tokens_q[i*4+3]);
        end
        // Where it stands its slot is its own.
        if (issued_q[i] && !retired_q[i] && opens) assert (slot != its_slot);
        if (fault.valid && taken_q[i] && !issued_q[i] && ahead == '0) begin
          assert (bad_q[i] && open_q == '0 && fault.number == number_q[i*vta_pkg::NumberWidth+:vta_pkg::NumberWidth]);
        end
      end
    end
  end

  // What the two have in common.
  logic engines_differ, share_element, share_uop;
  assign engines_differ = engine_q[2:0] != engine_q[5:3] && engine_q[2:0] != '0 && engine_q[5:3] != '0;
  assign share_element = has_element_q == 2'b11;
  assign share_uop = has_uop_q == 2'b11 && (engine_q[2] || engine_q[5]);

  logic conflict_ended_q = 1'b0;  // the conflict ended in the cycle before
  always_ff @(posedge clk_i) begin
    waiting_q <= rst_n_q ? waiting_q + CountWidth'(pop) - CountWidth'(issued) : '0;
    open_q <= rst_n_q ? open_q + CountWidth'(opens) - CountWidth'(closes) : '0;
    conflict_ended_q <= engines_differ && share_element && working_q[0] && is_done[0];
  end

  always_comb begin
    // One engine or none; FINISH has none. Loads that leave their memory are the DMA's affair.
    assume ({1'b0, claim_i.is_load} + {1'b0, claim_i.is_gemm} + {1'b0, claim_i.is_alu} <= 2'd1);
    assume (!scanned_i.finish || !(claim_i.is_load || claim_i.is_gemm || claim_i.is_alu || scanned_i.out_of_bounds));
    assume (!claim_i.is_load || !scanned_i.out_of_bounds);
    // Engines are done with what they work on.
    assume (!gemm_done_i || gemm_busy_q[gemm_done_slot_i]);
    assume (!alu_done_i || alu_busy_q[alu_done_slot_i]);
    assume (!load_done_i || load_busy_q[load_done_slot_i]);
    if (rst_n_q) begin
      // The scoreboard.
      if (issues[1] && working_q[0] && engines_differ) assert (!share_element && !share_uop);
      // The order.
      if (issues[1]) assert (issued_q[0]);
      if (retires[1]) assert (retired_q[0]);
      assert (32'(open_q) <= Depth && idle == (open_q == '0));
      if (closes) assert (open_q != '0);
      cover (issues[1] && conflict_ended_q);
      cover (issues[1] && working_q[0] && engines_differ && has_element_q[0]);
      cover (32'(open_q) == Depth && closes);
      cover (retires[1] && finish && retired_q[0]);
      cover (fault.valid && issued_q[0]);
    end
  end
endmodule
