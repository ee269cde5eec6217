// Runs a launch from the launch bit to done: clears, starts, watches for faults, deadlock and FINISH, and waits until
// the bus is quiet.
//
// One cycle each of Clear and Start, then Run from cycle 0 to the fault or FINISH, then Drain until no burst is on the
// bus. Of several faults in one cycle the one with the lowest instruction number is kept (docs/timing.md, "Launch and
// end" and "Faults").
module vta_control (
  // Clock; synchronous reset.
  input  logic            clk_i,
  input  logic            rst_ni,

  // A launch, for one cycle, only while ready_o; and whether its addresses are unusable.
  input  logic            launch_i,
  input  logic            bad_launch_i,
  output logic            ready_o,

  // Phases of the launch.
  output logic            clear_o,    // for one cycle before the start
  output logic            start_o,    // for one cycle, the one before cycle 0
  output logic            halt_o,     // low from cycle 0 to the cycle of the fault or of FINISH
  output logic            running_o,  // high from cycle 0 to the last cycle
  output logic            ended_o,    // for one cycle after the last
  output logic            done_o,     // until the next launch
  output vta_pkg::fault_t fault_o,    // of the launch, until the next

  // Faults of the units. The overflow of a token queue counts against the unit that retires.
  input  vta_pkg::fault_t                   load_fault_i,
  input  vta_pkg::fault_t                   dma_fault_i,  // compute's DMA
  input  vta_pkg::fault_t                   compute_fault_i,
  input  vta_pkg::fault_t                   store_fault_i,
  input  logic [2:0]                        overflow_i,    // of a queue that load, compute, store pushes
  input  logic [3*vta_pkg::NumberWidth-1:0] retire_number_i,

  // FINISH is issued; a token queue is not empty; a granted burst is unfinished.
  input  logic finish_i,
  input  logic tokens_left_i,
  input  logic bus_busy_i,

  // For deadlock: fetch can do nothing; units can do nothing; which heads lack a token, and their numbers; what ended
  // fetch early; how many instructions were dispatched.
  input  logic                              fetch_stuck_i,
  input  logic [2:0]                        unit_stuck_i,
  input  logic [2:0]                        waiting_i,
  input  logic [3*vta_pkg::NumberWidth-1:0] head_number_i,
  input  vta_pkg::fault_t                   fetch_fault_i,
  input  logic [vta_pkg::NumberWidth-1:0]   fetched_i
);

  localparam int unsigned NumberWidth = vta_pkg::NumberWidth;

  typedef enum logic [2:0] {
    Idle,
    Clear,
    Start,
    Run,
    Drain
  } state_e;

  state_e state_q;
  logic bad_q;
  logic done_q;
  logic ended_q;
  logic finished_q;  // FINISH was issued in the cycle before
  logic [vta_pkg::NumberWidth-1:0] finish_number_q;
  vta_pkg::fault_t fault_q;

  // The lowest number of the heads that lack a token.
  logic [vta_pkg::NumberWidth-1:0] waiting_number;

  always_comb begin
    waiting_number = '1;
    for (int i = 0; i < 3; i++) begin
      if (waiting_i[i] && head_number_i[i*NumberWidth+:NumberWidth] < waiting_number) begin
        waiting_number = head_number_i[i*NumberWidth+:NumberWidth];
      end
    end
  end

  vta_pkg::fault_t stuck;
  assign stuck.valid = fetch_stuck_i && unit_stuck_i == 3'b111;

  always_comb begin
    stuck.code = vta_pkg::FaultDeadlock;
    stuck.number = fetched_i == '0 ? '0 : fetched_i - 1'b1;
    if (fetch_fault_i.valid) begin
      stuck.code = fetch_fault_i.code;
      stuck.number = fetch_fault_i.number;
    end else if (waiting_i != 3'b000) begin
      stuck.number = waiting_number;
    end
  end

  // The fault of this cycle with the lowest number.
  vta_pkg::fault_t fault;

  always_comb begin
    fault = stuck;
    if (load_fault_i.valid && (!fault.valid || load_fault_i.number < fault.number)) fault = load_fault_i;
    if (dma_fault_i.valid && (!fault.valid || dma_fault_i.number < fault.number)) fault = dma_fault_i;
    if (compute_fault_i.valid && (!fault.valid || compute_fault_i.number < fault.number)) fault = compute_fault_i;
    if (store_fault_i.valid && (!fault.valid || store_fault_i.number < fault.number)) fault = store_fault_i;
    for (int i = 0; i < 3; i++) begin
      if (overflow_i[i] && (!fault.valid || retire_number_i[i*NumberWidth+:NumberWidth] < fault.number)) begin
        fault.valid = 1'b1;
        fault.code = vta_pkg::FaultTokenOverflow;
        fault.number = retire_number_i[i*NumberWidth+:NumberWidth];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      bad_q <= 1'b0;
      done_q <= 1'b0;
      ended_q <= 1'b0;
      finished_q <= 1'b0;
      fault_q <= '0;
      finish_number_q <= '0;
    end else begin
      ended_q <= 1'b0;
      finished_q <= 1'b0;
      unique case (state_q)
        Idle: begin
          if (launch_i) begin
            state_q <= Clear;
            bad_q <= bad_launch_i;
            done_q <= 1'b0;
            fault_q <= '0;
          end
        end
        Clear: begin
          state_q <= Start;
          if (bad_q) begin
            state_q <= Idle;
            done_q <= 1'b1;
            ended_q <= 1'b1;
            fault_q.valid <= 1'b1;
            fault_q.code <= vta_pkg::FaultBadLaunch;
          end
        end
        Start: state_q <= Run;
        Run: begin
          if (fault.valid) begin
            fault_q <= fault;
            state_q <= Drain;
          end else if (finish_i) begin
            finished_q <= 1'b1;
            finish_number_q <= retire_number_i[NumberWidth+:NumberWidth];
            state_q <= Drain;
          end
        end
        default: begin  // Drain
          if (finished_q && tokens_left_i) begin
            fault_q.valid <= 1'b1;
            fault_q.code <= vta_pkg::FaultTokensLeftOver;
            fault_q.number <= finish_number_q;
          end
          if (!bus_busy_i) begin
            state_q <= Idle;
            done_q <= 1'b1;
            ended_q <= 1'b1;
          end
        end
      endcase
    end
  end

  assign ready_o = state_q == Idle;
  assign clear_o = state_q == Clear;
  assign start_o = state_q == Start;
  assign halt_o = state_q != Run;
  assign running_o = state_q == Run || state_q == Drain;
  assign done_o = done_q;
  assign ended_o = ended_q;
  assign fault_o = fault_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      launch_only_when_ready : assert (!(launch_i && !ready_o));
      bus_quiet_when_idle : assert (!(state_q == Idle && bus_busy_i));
    end
  end

endmodule
