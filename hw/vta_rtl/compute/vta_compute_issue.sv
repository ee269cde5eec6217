// Issues compute instructions in order, keeps them until all older ones have finished, retires them in order.
//
// An instruction is compared with those that are issued, then comes to the head, where it waits for its issue: that pops
// all its tokens and starts it on its engine in the same cycle. It waits while an unfinished instruction on another
// engine conflicts: with ConcurrentCompute one whose range of ACC, or of micro-ops, meets its own, else any. Within an
// engine order is the engine's affair. An instruction that is out of bounds becomes a fault in the cycle in which it
// would be issued with nothing unretired before it. FINISH is issued and retires in one cycle. Cycles: docs/timing.md,
// "Issue".
module vta_compute_issue (
  // Clock; synchronous reset; clear_i before a launch; halt_i: issue and retire nothing.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic halt_i,

  // The oldest scanned instruction that is not here. It can be issued two cycles after it is taken.
  input  logic              scanned_valid_i,
  input  vta_pkg::scanned_t scanned_i,
  input  vta_pkg::claim_t   claim_i,
  output logic              scanned_pop_o,
  // The oldest instruction that is not issued; it is issued.
  output vta_pkg::cmd_t     head_o,
  output logic              issued_o,

  // Token queues, as in vta_compute.
  input  logic prev_avail_i,
  input  logic next_avail_i,
  output logic pop_prev_o,
  output logic pop_next_o,
  output logic push_prev_o,
  output logic push_next_o,

  // Of a load at the head: it is one of micro-ops; of 8-bit elements.
  output logic                             load_is_uop_o,
  output logic                             load_is_acc8_o,
  // The head begins on an engine in this cycle; its place in the reorder buffer comes back when it is done, in
  // the cycle before the last write to ACC. A load is offered; it is taken with load_ready_i.
  output logic                             gemm_start_o,
  output logic                             alu_start_o,
  output logic                             load_start_o,
  input  logic                             load_ready_i,
  output logic [vta_pkg::ReorderWidth-1:0] start_slot_o,
  input  logic                             gemm_done_i,
  input  logic [vta_pkg::ReorderWidth-1:0] gemm_done_slot_i,
  input  logic                             alu_done_i,
  input  logic [vta_pkg::ReorderWidth-1:0] alu_done_slot_i,
  input  logic                             load_done_i,
  input  logic [vta_pkg::ReorderWidth-1:0] load_done_slot_i,

  // FINISH: load and store have nothing left; it is issued in this cycle.
  input  logic                            others_idle_i,
  output logic                            finish_o,
  // The instruction that retires in this cycle; the fault of this cycle.
  output logic                            retire_valid_o,
  output logic [vta_pkg::NumberWidth-1:0] retire_number_o,
  output vta_pkg::fault_t                 fault_o,

  // State.
  output logic idle_o,          // nothing is issued and not retired
  output logic lacks_token_o,   // the oldest instruction not issued lacks a token
  output logic waits_others_o,  // it is a FINISH that only load or store keep from being issued
  output logic loops_busy_o,    // a GEMM or ALU instruction is issued and not finished
  output logic loads_busy_o     // a load is
);
  localparam int unsigned Depth = vta_pkg::ReorderDepth;
  localparam int unsigned SlotWidth = vta_pkg::ReorderWidth;

  logic [SlotWidth-1:0] oldest_q, tail_q;   // the slots of the oldest instruction and of the next one
  logic                 idle_q, full_q;  // no slot is used; all are
  logic                 may_issue, issue, allocate, retire, tokens_ok, may_enter, faulted_q;
  logic                 head_valid_q;
  logic                 head_free_q;  // its opposite, for the enables: so these share no wide net with what issue decides
  logic                 opens;  // the head is free, or issued
  vta_pkg::scanned_t    head_q;
  logic [Depth-1:0]     unfinished_q, still_unfinished, is_loop, loop_busy, load_busy;
  logic [Depth-1:0]     slot_meets, meets, meets_q;
  // The head has to wait for an unfinished instruction: for one in each group of slots, if that counts; for the head
  // before; for any.
  localparam int unsigned GroupDepth = 4;
  localparam int unsigned ClaimBits = $bits(claim_i);
  logic [Depth*ClaimBits-1:0] slot_claims;
  logic [Depth/GroupDepth-1:0] conflicts, conflicts_q;
  logic                        counts_q, head_meets, head_conflict_q, conflict;
  vta_pkg::tokens_t     tokens;

  typedef struct packed {
    logic                            push_prev;
    logic                            push_next;
    logic [vta_pkg::NumberWidth-1:0] number;
  } retire_info_t;
  retire_info_t oldest_info;
  logic [$bits(oldest_info)-1:0] info_q [Depth];

  assign idle_o = idle_q;

  // ---- Compared, then at the head --------------------------------------------------------------
  logic              next_valid_q, advance;
  vta_pkg::scanned_t next_q;
  vta_pkg::claim_t   next_claim_q, head_claim_q;
  logic              is_uop_q, is_acc8_q;

  assign advance = next_valid_q && (!head_valid_q || issue);
  assign scanned_pop_o = scanned_valid_i && (!next_valid_q || advance);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      next_valid_q <= 1'b0;
      head_valid_q <= 1'b0;
      head_free_q <= 1'b1;
    end else begin
      if (scanned_pop_o) next_valid_q <= 1'b1;
      else if (advance) next_valid_q <= 1'b0;
      if (advance) begin
        head_valid_q <= 1'b1;
        head_free_q <= 1'b0;
      end else if (issue) begin
        head_valid_q <= 1'b0;
        head_free_q <= 1'b1;
      end
    end
    // What is not valid is taken too, so that the registers' enable depends on less.
    if (!next_valid_q || opens) begin
      next_q <= scanned_i;
      next_claim_q <= claim_i;
    end
    if (opens) begin
      head_q <= next_q;
      head_claim_q <= next_claim_q;
      is_uop_q <= next_q.insn[vta_pkg::MemMemoryTypeLsb+:3] == vta_pkg::MemTypeUop;
      is_acc8_q <= next_q.insn[vta_pkg::MemMemoryTypeLsb+:3] == vta_pkg::MemTypeAcc8;
      meets_q <= meets;
    end
  end
  // Known before the cycle. A head that is issued now is the newest that the next one may have to wait for: in the cycle
  // after, that is known apart, and later by its slot. A head that waits for something else than a conflict has none from
  // then on. What is found for the next one meanwhile does not count: so whether the head is issued decides one bit.
  for (genvar g = 0; g < Depth / GroupDepth; g++) begin : gen_conflicts
    vta_compute_conflicts #(
      .Slots(GroupDepth),
      .ClaimBits(ClaimBits)
    ) u_conflicts (
      .older_i(slot_claims[g*GroupDepth*ClaimBits+:GroupDepth*ClaimBits]),
      .younger_i(next_claim_q),
      .unfinished_i(still_unfinished[g*GroupDepth+:GroupDepth]),
      .keep_i(head_valid_q && conflict),
      .kept_i(meets_q[g*GroupDepth+:GroupDepth]),
      .conflict_o(slot_meets[g*GroupDepth+:GroupDepth]),
      .any_o(conflicts[g])
    );
  end
  always_ff @(posedge clk_i) begin
    conflicts_q <= conflicts;
    counts_q <= head_free_q || issue || conflict;
    head_conflict_q <= issue && has_engine && head_meets;
  end
  assign conflict = (counts_q && conflicts_q != '0) || head_conflict_q;
  assign head_o = {head_q.past_end, head_q.has_data, head_q.number, head_q.insn};
  assign issued_o = issue;
  assign load_is_uop_o = is_uop_q;
  assign load_is_acc8_o = is_acc8_q;

  // ---- Issue -----------------------------------------------------------------------------------
  assign tokens = vta_pkg::tokens_of(head_q.insn);
  assign tokens_ok = (!tokens.pop_prev || prev_avail_i) && (!tokens.pop_next || next_avail_i);

  always_comb begin
    may_enter = 1'b0;
    if (head_q.finish || head_q.out_of_bounds) may_enter = idle_o;
    else may_enter = !full_q && !conflict;
    if (head_q.finish && !others_idle_i) may_enter = 1'b0;
  end

  logic ready, starts;
  assign ready = head_valid_q && tokens_ok && may_enter && !halt_i && !faulted_q;
  // Without what only FINISH and instructions out of bounds wait for, which no load is: so the DMA's answer, and its fault,
  // do not wait for that.
  assign starts = head_valid_q && tokens_ok && !full_q && !conflict && !halt_i && !faulted_q;
  assign load_start_o = starts && head_claim_q.is_load;
  assign gemm_start_o = starts && head_claim_q.is_gemm && !head_q.out_of_bounds;
  assign alu_start_o = starts && head_claim_q.is_alu && !head_q.out_of_bounds;
  assign may_issue = tokens_ok && may_enter && !halt_i && !faulted_q && !head_q.out_of_bounds &&
                     (!head_claim_q.is_load || load_ready_i);
  assign issue = head_valid_q && may_issue;
  assign opens = head_free_q || may_issue;
  assign allocate = issue && !head_q.finish;
  assign start_slot_o = tail_q;
  assign finish_o = issue && head_q.finish;
  assign pop_prev_o = issue && tokens.pop_prev;
  assign pop_next_o = issue && tokens.pop_next;

  assign fault_o.valid = ready && head_q.out_of_bounds;
  assign fault_o.code = vta_pkg::FaultSramBounds;
  assign fault_o.number = head_q.number;

  // ---- Reorder buffer --------------------------------------------------------------------------
  logic [Depth-1:0] allocate_mask, done_mask;
  logic             has_engine;
  assign allocate_mask = Depth'(allocate) << tail_q;
  assign done_mask = (Depth'(gemm_done_i) << gemm_done_slot_i) | (Depth'(alu_done_i) << alu_done_slot_i) |
                     (Depth'(load_done_i) << load_done_slot_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) unfinished_q <= '0;
    else unfinished_q <= still_unfinished | (has_engine ? allocate_mask : '0);
  end
  assign still_unfinished = unfinished_q & ~done_mask;
  assign has_engine = head_claim_q.is_load || head_claim_q.is_gemm || head_claim_q.is_alu;
  assign loop_busy = unfinished_q & is_loop;
  assign load_busy = unfinished_q & ~is_loop;

  // The head's claim is in the slot that it will have as soon as that is free: whether the head is issued then reaches
  // one bit of the slot only.
  vta_compute_conflict u_head (
    .older_i(head_claim_q),
    .younger_i(next_claim_q),
    .conflict_o(head_meets)
  );
  for (genvar i = 0; i < Depth; i++) begin : gen_slot
    logic [ClaimBits-1:0] claim_q;
    logic                 is_loop_q;
    always_ff @(posedge clk_i) begin
      if (tail_q == SlotWidth'(i) && !full_q) begin
        claim_q <= head_claim_q;
        is_loop_q <= head_claim_q.is_gemm || head_claim_q.is_alu;
      end
    end
    assign is_loop[i] = is_loop_q;
    assign slot_claims[i*ClaimBits+:ClaimBits] = claim_q;
  end
  // The head, if it is issued, is the next one's newest.
  logic [Depth-1:0] head_mask;
  assign head_mask = Depth'(head_valid_q) << tail_q;
  assign meets = (slot_meets & ~head_mask) | (head_meets ? head_mask : '0);

  assign loops_busy_o = loop_busy != '0;
  assign loads_busy_o = load_busy != '0;

  always_ff @(posedge clk_i) begin
    if (!full_q) info_q[tail_q] <= {tokens.push_prev, tokens.push_next, head_q.number};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      oldest_q <= '0;
      tail_q <= '0;
      idle_q <= 1'b1;
      full_q <= 1'b0;
      faulted_q <= 1'b0;
    end else begin
      if (allocate) tail_q <= tail_q + 1'b1;
      if (retire) oldest_q <= oldest_q + 1'b1;
      if (allocate != retire) begin
        idle_q <= !allocate && oldest_q + 1'b1 == tail_q;
        full_q <= allocate && tail_q + 1'b1 == oldest_q;
      end
      if (fault_o.valid) faulted_q <= 1'b1;
    end
  end

  // ---- Retirement ------------------------------------------------------------------------------
  assign oldest_info = info_q[oldest_q];
  assign retire = !idle_o && !unfinished_q[oldest_q] && !halt_i;
  assign retire_valid_o = retire || finish_o;
  assign retire_number_o = finish_o ? head_q.number : oldest_info.number;
  assign push_prev_o = finish_o ? tokens.push_prev : retire && oldest_info.push_prev;
  assign push_next_o = finish_o ? tokens.push_next : retire && oldest_info.push_next;

  assign lacks_token_o = head_valid_q && !tokens_ok;
  assign waits_others_o = head_valid_q && tokens_ok && head_q.finish && idle_o && !others_idle_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      gemm_was_busy : assert (!gemm_done_i || loop_busy[gemm_done_slot_i]);
      alu_was_busy : assert (!alu_done_i || loop_busy[alu_done_slot_i]);
      load_was_busy : assert (!load_done_i || load_busy[load_done_slot_i]);
      opposites : assert (head_free_q == !head_valid_q);
      never_overfull : assert (!allocate || !full_q);
      free_slot_is_finished : assert (full_q || !unfinished_q[tail_q]);
      loads_wait_for_no_end : assert (!(head_valid_q && head_claim_q.is_load) || !(head_q.finish || head_q.out_of_bounds));
      conflict_is_known : assert (!head_valid_q || conflict == ((meets_q & unfinished_q) != '0));
    end
  end
endmodule
