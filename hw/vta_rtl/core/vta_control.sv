// Runs a launch from the launch bit to done: clears, starts, watches for faults, deadlock and FINISH, and waits until
// the bus is quiet.
//
// One cycle each of Clear and Start, then Run from cycle 0 to the fault or FINISH, then Drain until no burst is on the
// bus. Of several faults in one cycle the one with the lowest instruction number is kept (docs/timing.md, "Launch and
// end" and "Faults"). Which one that is takes two cycles for each source of faults, from the fault on, so a launch with a
// fault stays in Pick until it is known; the units have been halted all the while.
//
// A reset ends a launch without waiting for the bus: the core is idle in the next cycle. The units stay halted, so that
// granted bursts still end as in Drain. The next launch waits for that before it clears and starts.
module vta_control (
  // Clock; synchronous reset.
  input  logic            clk_i,
  input  logic            rst_ni,

  // A launch, for one cycle, only while ready_o; and whether its addresses are unusable.
  input  logic            launch_i,
  input  logic            bad_launch_i,
  output logic            ready_o,
  // Gives up the launch, for one cycle, at any time but that of launch_i.
  input  logic            reset_i,
  // Bursts of a launch that was given up are unfinished, or were in the cycle before.
  output logic            draining_o,

  // Phases of the launch.
  output logic            clear_o,    // for one cycle before the start
  output logic            start_o,    // for one cycle, the one before cycle 0
  output logic            halt_o,     // low from cycle 0 to the cycle of the fault or of FINISH
  output logic            go_o,       // its opposite, from a register of its own: for the longest paths
  // As halt_o while a unit may offer a burst, so for the read arbiters alone: low from the cycle of start_o on.
  output logic            quiet_o,
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
    Drain,
    Pick,
    Wait  // for the bursts of a launch that was given up
  } state_e;

  // What may report a fault, in the order in which their numbers are compared: three heads that lack a token, the end
  // of fetch, four units, three retirements.
  localparam int unsigned Sources = 11;
  localparam int unsigned Heads = 3;
  localparam logic [3:0] AllPicked = 4'(Sources + 1);

  state_e state_q;
  logic halt_q;  // it is not Run
  logic go_q;    // it is
  logic quiet_q;
  logic bad_q;
  logic done_q;
  logic ended_q;
  logic finished_q;  // FINISH was issued in the cycle before, the last one of Run
  vta_pkg::fault_t fault_q;

  // Deadlock, seen in the cycle before. From then on nothing that it was seen by changes.
  logic deadlock_q;

  always_ff @(posedge clk_i) begin
    deadlock_q <= rst_ni && state_q == Run && fetch_stuck_i && unit_stuck_i == 3'b111;
  end

  logic any_fault;
  assign any_fault = deadlock_q || load_fault_i.valid || dma_fault_i.valid || compute_fault_i.valid ||
                     store_fault_i.valid || overflow_i != 3'b000;

  // The faults of the last cycle of Run.
  logic stuck_q;
  vta_pkg::fault_t load_fault_q, dma_fault_q, compute_fault_q, store_fault_q;
  logic [2:0] overflow_q;
  logic [3*vta_pkg::NumberWidth-1:0] retire_number_q;

  always_ff @(posedge clk_i) begin
    if (state_q == Run) begin
      stuck_q <= deadlock_q;
      load_fault_q <= load_fault_i;
      dma_fault_q <= dma_fault_i;
      compute_fault_q <= compute_fault_i;
      store_fault_q <= store_fault_i;
      overflow_q <= overflow_i;
      retire_number_q <= retire_number_i;
    end
  end

  // Two cycles for each of them: it is taken in the first; whether its number is lower than those before is known at
  // the end of the second, and it is kept in the first of the next one.
  logic [3:0] pick_q;
  logic second_q;
  vta_pkg::fault_t source, source_q;
  logic picking;
  logic lower_q;

  always_comb begin
    source.valid = 1'b0;
    source.code = vta_pkg::FaultDeadlock;
    source.number = '0;
    unique case (pick_q)
      4'd0, 4'd1, 4'd2: begin
        for (int unsigned i = 0; i < Heads; i++) begin
          if (pick_q == 4'(i)) begin
            source.valid = stuck_q && !fetch_fault_i.valid && waiting_i[i];
            source.number = head_number_i[i*NumberWidth+:NumberWidth];
          end
        end
      end
      4'd3: begin
        source.valid = stuck_q && (fetch_fault_i.valid || waiting_i == 3'b000);
        if (fetch_fault_i.valid) begin
          source.code = fetch_fault_i.code;
          source.number = fetch_fault_i.number;
        end else if (fetched_i != '0) begin
          source.number = fetched_i - 1'b1;
        end
      end
      4'd4: source = load_fault_q;
      4'd5: source = dma_fault_q;
      4'd6: source = compute_fault_q;
      4'd7: source = store_fault_q;
      default: begin
        source.code = vta_pkg::FaultTokenOverflow;
        for (int unsigned i = 0; i < 3; i++) begin
          if (pick_q == 4'(i + 8)) begin
            source.valid = overflow_q[i];
            source.number = retire_number_q[i*NumberWidth+:NumberWidth];
          end
        end
      end
    endcase
  end

  assign picking = pick_q != AllPicked;

  always_ff @(posedge clk_i) begin
    source_q <= source;
    lower_q <= source_q.valid && (!fault_q.valid || source_q.number < fault_q.number);
    if (!rst_ni || reset_i) begin
      pick_q <= AllPicked;
      second_q <= 1'b0;
    end else if (state_q == Run) begin
      pick_q <= any_fault ? '0 : AllPicked;
      second_q <= 1'b0;
    end else if (picking) begin
      second_q <= !second_q;
      if (second_q) pick_q <= pick_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      halt_q <= 1'b1;
      go_q <= 1'b0;
      quiet_q <= 1'b1;
      bad_q <= 1'b0;
      done_q <= 1'b0;
      ended_q <= 1'b0;
      finished_q <= 1'b0;
      fault_q <= '0;
    end else begin
      ended_q <= 1'b0;
      finished_q <= 1'b0;
      if (state_q == Run && finish_i) finished_q <= 1'b1;
      // A fault of the same cycle is picked instead.
      if (finished_q && !picking && tokens_left_i) begin
        fault_q.valid <= 1'b1;
        fault_q.code <= vta_pkg::FaultTokensLeftOver;
        fault_q.number <= retire_number_q[NumberWidth+:NumberWidth];
      end
      if (picking && !second_q && pick_q != '0 && lower_q) fault_q <= source_q;
      unique case (state_q)
        Idle: begin
          if (launch_i) begin
            state_q <= bus_busy_i ? Wait : Clear;
            bad_q <= bad_launch_i;
            done_q <= 1'b0;
            fault_q <= '0;
          end
        end
        Clear: begin
          state_q <= Start;
          quiet_q <= 1'b0;
          if (bad_q) begin
            state_q <= Idle;
            quiet_q <= 1'b1;
            done_q <= 1'b1;
            ended_q <= 1'b1;
            fault_q.valid <= 1'b1;
            fault_q.code <= vta_pkg::FaultBadLaunch;
          end
        end
        Start: begin
          state_q <= Run;
          halt_q <= 1'b0;
          go_q <= 1'b1;
        end
        Run: begin
          if (any_fault || finish_i) begin
            state_q <= Drain;
            halt_q <= 1'b1;
            go_q <= 1'b0;
            quiet_q <= 1'b1;
          end
        end
        Drain: if (!bus_busy_i) state_q <= Pick;
        Wait: if (!bus_busy_i) state_q <= Clear;
        default: begin  // Pick
          if (!picking) begin
            state_q <= Idle;
            done_q <= 1'b1;
            ended_q <= 1'b1;
          end
        end
      endcase
      if (reset_i) begin
        state_q <= Idle;
        halt_q <= 1'b1;
        go_q <= 1'b0;
        quiet_q <= 1'b1;
        done_q <= 1'b0;
        ended_q <= 1'b0;
        finished_q <= 1'b0;
        fault_q <= '0;
      end
    end
  end

  logic draining_q;
  always_ff @(posedge clk_i) draining_q <= (state_q == Idle || state_q == Wait) && bus_busy_i;

  assign draining_o = draining_q;
  assign ready_o = state_q == Idle;
  assign clear_o = state_q == Clear;
  assign start_o = state_q == Start;
  assign halt_o = halt_q;
  assign go_o = go_q;
  assign quiet_o = quiet_q;
  assign running_o = state_q == Run || state_q == Drain;
  assign done_o = done_q;
  assign ended_o = ended_q;
  assign fault_o = fault_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      opposites : assert (go_q == !halt_q);
      launch_only_when_ready : assert (!(launch_i && !ready_o));
      no_launch_with_reset : assert (!(launch_i && reset_i));
      bus_quiet_at_start : assert (!((state_q == Clear || state_q == Start) && bus_busy_i));
    end
  end

endmodule
