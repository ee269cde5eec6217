// Issues compute instructions in order, keeps them until all older ones have finished, retires them in order.
//
// Issue pops all tokens of an instruction and starts it on its engine in the same cycle. It waits while an unfinished
// instruction on another engine conflicts: with ConcurrentCompute one whose range of ACC, or of micro-ops, meets its
// own, else any. Within an engine order is the engine's affair. An instruction that is out of bounds becomes a fault in
// the cycle in which it would be issued with nothing unretired before it. FINISH is issued and retires in one cycle.
// Cycles: docs/timing.md, "Issue".
module vta_compute_issue (
  // Clock; synchronous reset; clear_i before a launch; halt_i: issue and retire nothing.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic halt_i,

  // The oldest scanned instruction.
  input  logic              scanned_valid_i,
  input  vta_pkg::scanned_t scanned_i,
  output logic              scanned_pop_o,

  // Token queues, as in vta_compute.
  input  logic prev_avail_i,
  input  logic next_avail_i,
  output logic pop_prev_o,
  output logic pop_next_o,
  output logic push_prev_o,
  output logic push_next_o,

  // An instruction begins on an engine in this cycle; its place in the reorder buffer comes back when it is done, in
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

  logic [SlotWidth:0]   head_q, tail_q;
  logic [SlotWidth-1:0] head, tail;
  logic                 full, issue, allocate, retire, tokens_ok, may_enter, faulted_q;
  logic [Depth-1:0]     allocated_q, finished_q, is_loop_q, conflicts, loop_busy, load_busy;
  vta_pkg::tokens_t     tokens;

  typedef struct packed {
    logic                            push_prev;
    logic                            push_next;
    logic [vta_pkg::NumberWidth-1:0] number;
  } retire_info_t;
  retire_info_t head_info;
  logic [$bits(head_info)-1:0] info_q [Depth];

  assign head = head_q[SlotWidth-1:0];
  assign tail = tail_q[SlotWidth-1:0];
  assign idle_o = head_q == tail_q;
  assign full = head == tail && !idle_o;

  // ---- Issue -----------------------------------------------------------------------------------
  assign tokens = vta_pkg::tokens_of(scanned_i.insn);
  assign tokens_ok = (!tokens.pop_prev || prev_avail_i) && (!tokens.pop_next || next_avail_i);

  always_comb begin
    may_enter = 1'b0;
    if (scanned_i.finish || scanned_i.out_of_bounds) may_enter = idle_o;
    else may_enter = !full && (conflicts == '0 || scanned_i.engine == vta_pkg::EngineNone);
    if (scanned_i.finish && !others_idle_i) may_enter = 1'b0;
  end

  logic ready, is_loop;
  assign is_loop = scanned_i.engine == vta_pkg::EngineGemm || scanned_i.engine == vta_pkg::EngineAlu;
  assign ready = scanned_valid_i && tokens_ok && may_enter && !halt_i && !faulted_q;
  assign load_start_o = ready && scanned_i.engine == vta_pkg::EngineLoad;
  assign gemm_start_o = ready && scanned_i.engine == vta_pkg::EngineGemm && !scanned_i.out_of_bounds;
  assign alu_start_o = ready && scanned_i.engine == vta_pkg::EngineAlu && !scanned_i.out_of_bounds;
  assign issue = ready && !scanned_i.out_of_bounds &&
                 (scanned_i.engine != vta_pkg::EngineLoad || load_ready_i);
  assign allocate = issue && !scanned_i.finish;
  assign start_slot_o = tail;
  assign finish_o = issue && scanned_i.finish;
  assign scanned_pop_o = issue;
  assign pop_prev_o = issue && tokens.pop_prev;
  assign pop_next_o = issue && tokens.pop_next;

  assign fault_o.valid = ready && scanned_i.out_of_bounds;
  assign fault_o.code = vta_pkg::FaultSramBounds;
  assign fault_o.number = scanned_i.number;

  // ---- Reorder buffer --------------------------------------------------------------------------
  logic [Depth-1:0] unfinished, allocate_mask, retire_mask, done_mask;
  assign unfinished = allocated_q & ~finished_q;
  assign allocate_mask = Depth'(allocate) << tail;
  assign retire_mask = Depth'(retire) << head;
  assign done_mask = (Depth'(gemm_done_i) << gemm_done_slot_i) | (Depth'(alu_done_i) << alu_done_slot_i) |
                     (Depth'(load_done_i) << load_done_slot_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      allocated_q <= '0;
      finished_q <= '0;
      is_loop_q <= '0;
    end else begin
      allocated_q <= (allocated_q & ~retire_mask) | allocate_mask;
      finished_q <= (finished_q & ~allocate_mask) | done_mask |
                    (scanned_i.engine == vta_pkg::EngineNone ? allocate_mask : '0);
      is_loop_q <= (is_loop_q & ~allocate_mask) | (is_loop ? allocate_mask : '0);
    end
  end
  assign loop_busy = unfinished & is_loop_q;
  assign load_busy = unfinished & ~is_loop_q;

  for (genvar i = 0; i < Depth; i++) begin : gen_slot
    vta_pkg::engine_e                engine_q;
    logic                            uses_acc_q, uses_uop_q;
    logic [vta_pkg::AccLogDepth-1:0] acc_lo_q, acc_hi_q;
    logic [vta_pkg::UopLogDepth-1:0] uop_lo_q, uop_hi_q;

    always_comb begin
      conflicts[i] = 1'b0;
      if (scanned_valid_i && unfinished[i] && engine_q != scanned_i.engine) begin
        conflicts[i] = !vta_pkg::ConcurrentCompute ||
            (uses_acc_q && scanned_i.uses_acc && acc_lo_q <= scanned_i.acc_hi && scanned_i.acc_lo <= acc_hi_q) ||
            (uses_uop_q && scanned_i.uses_uop &&
             (engine_q == vta_pkg::EngineLoad || scanned_i.engine == vta_pkg::EngineLoad) &&
             uop_lo_q <= scanned_i.uop_hi && scanned_i.uop_lo <= uop_hi_q);
      end
    end

    always_ff @(posedge clk_i) begin
      if (allocate) begin
        if (tail == SlotWidth'(i)) begin
          engine_q <= scanned_i.engine;
          uses_acc_q <= scanned_i.uses_acc;
          uses_uop_q <= scanned_i.uses_uop;
          acc_lo_q <= scanned_i.acc_lo;
          acc_hi_q <= scanned_i.acc_hi;
          uop_lo_q <= scanned_i.uop_lo;
          uop_hi_q <= scanned_i.uop_hi;
        end
      end
    end
  end

  assign loops_busy_o = loop_busy != '0;
  assign loads_busy_o = load_busy != '0;

  always_ff @(posedge clk_i) begin
    if (allocate) info_q[tail] <= {tokens.push_prev, tokens.push_next, scanned_i.number};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      head_q <= '0;
      tail_q <= '0;
      faulted_q <= 1'b0;
    end else begin
      if (allocate) tail_q <= tail_q + 1'b1;
      if (retire) head_q <= head_q + 1'b1;
      if (fault_o.valid) faulted_q <= 1'b1;
    end
  end

  // ---- Retirement ------------------------------------------------------------------------------
  assign head_info = info_q[head];
  assign retire = !idle_o && finished_q[head] && !halt_i;
  assign retire_valid_o = retire || finish_o;
  assign retire_number_o = finish_o ? scanned_i.number : head_info.number;
  assign push_prev_o = finish_o ? tokens.push_prev : retire && head_info.push_prev;
  assign push_next_o = finish_o ? tokens.push_next : retire && head_info.push_next;

  assign lacks_token_o = scanned_valid_i && !tokens_ok;
  assign waits_others_o = scanned_valid_i && tokens_ok && scanned_i.finish && idle_o && !others_idle_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      gemm_was_busy : assert (!gemm_done_i || loop_busy[gemm_done_slot_i]);
      alu_was_busy : assert (!alu_done_i || loop_busy[alu_done_slot_i]);
      load_was_busy : assert (!load_done_i || load_busy[load_done_slot_i]);
      never_overfull : assert (!allocate || !full);
    end
  end
endmodule
