// A launch from the launch bit to done: each phase in its cycle, halted from the first fault or FINISH on, done when the
// bus is quiet behind that and the fault of the lowest number is known, which stays until the next launch. Or to a reset,
// behind which the core is idle and halted, whatever the bus does; the next launch starts on a quiet bus.
module formal_control #(
  parameter int unsigned Resets = 0  // whether there are resets: a proof of its own, whose covers come early
) (
  input logic                              clk_i,
  input logic                              launch_i,
  input logic                              bad_launch_i,
  input logic                              reset_i,
  input vta_pkg::fault_t                   load_fault_i,
  input vta_pkg::fault_t                   dma_fault_i,
  input vta_pkg::fault_t                   compute_fault_i,
  input vta_pkg::fault_t                   store_fault_i,
  input logic [2:0]                        overflow_i,
  input logic [3*vta_pkg::NumberWidth-1:0] retire_number_i,
  input logic                              finish_i,
  input logic                              tokens_left_i,
  input logic                              bus_busy_i,
  input logic                              fetch_stuck_i,
  input logic [2:0]                        unit_stuck_i,
  input logic [2:0]                        waiting_i,
  input logic [3*vta_pkg::NumberWidth-1:0] head_number_i,
  input vta_pkg::fault_t                   fetch_fault_i,
  input logic [vta_pkg::NumberWidth-1:0]   fetched_i
);
  localparam int unsigned Width = vta_pkg::NumberWidth;

  (* hierconn *) wire [2:0] \dut.state_q ;
  (* hierconn *) wire \dut.finished_q ;
  (* hierconn *) wire \dut.bad_q ;
  (* hierconn *) wire \dut.deadlock_q ;
  (* hierconn *) wire \dut.stuck_q ;
  (* hierconn *) wire [3:0] \dut.pick_q ;
  (* hierconn *) wire \dut.second_q ;
  (* hierconn *) wire \dut.lower_q ;
  (* hierconn *) wire [vta_pkg::NumberWidth+4:0] \dut.source_q ;
  (* hierconn *) wire [2:0] \dut.overflow_q ;
  (* hierconn *) wire [3*vta_pkg::NumberWidth-1:0] \dut.retire_number_q ;
  (* hierconn *) wire [vta_pkg::NumberWidth+4:0] \dut.load_fault_q ;
  (* hierconn *) wire [vta_pkg::NumberWidth+4:0] \dut.dma_fault_q ;
  (* hierconn *) wire [vta_pkg::NumberWidth+4:0] \dut.compute_fault_q ;
  (* hierconn *) wire [vta_pkg::NumberWidth+4:0] \dut.store_fault_q ;

  logic rst_n_q = 1'b0;
  logic ready, draining, clear, start, halt, quiet, running, ended, done;
  vta_pkg::fault_t fault;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_control dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .launch_i,
    .bad_launch_i,
    .ready_o(ready),
    .reset_i,
    .draining_o(draining),
    .clear_o(clear),
    .start_o(start),
    .halt_o(halt),
    .go_o(),
    .quiet_o(quiet),
    .running_o(running),
    .ended_o(ended),
    .done_o(done),
    .fault_o(fault),
    .load_fault_i,
    .dma_fault_i,
    .compute_fault_i,
    .store_fault_i,
    .overflow_i,
    .retire_number_i,
    .finish_i,
    .tokens_left_i,
    .bus_busy_i,
    .fetch_stuck_i,
    .unit_stuck_i,
    .waiting_i,
    .head_number_i,
    .fetch_fault_i,
    .fetched_i
  );

  localparam int unsigned FaultBits = 5 + vta_pkg::NumberWidth;
  localparam int unsigned Sources = 11;
  localparam logic [2:0] Pick = 3'd5;
  localparam logic [2:0] Wait = 3'd6;

  logic unit_fault;  // of a unit or a retirement
  assign unit_fault = load_fault_i.valid || dma_fault_i.valid || compute_fault_i.valid || store_fault_i.valid ||
                      overflow_i != 3'b000;

  // The cycle before.
  logic past_q = 1'b0;  // there is one, without reset
  logic reset_q = 1'b0;
  logic wait_q = 1'b0;
  logic pick_q = 1'b0;
  logic launch_q, clear_q, start_q, halt_q, running_q, ready_q, done_q, busy_q, bad_q;
  logic stop_q, finish_q, finished_q, left_q, deadlock_q, picking_q;
  logic [Width-1:0] finish_number_q, finished_number_q;
  vta_pkg::fault_t fault_q;
  // What deadlock was seen by.
  logic [2:0] waiting_q;
  logic [3*Width-1:0] heads_q;
  vta_pkg::fault_t fetch_fault_q;
  logic [Width-1:0] fetched_q;
  // The faults of the cycle that ended the launch: each source, and whether there is any.
  logic any_q = 1'b0;
  logic stuck_q = 1'b0;
  logic [4*FaultBits-1:0] units_q;
  logic [2:0] overflow_q;
  logic [3*Width-1:0] numbers_q;
  logic any_fault;
  logic picking;

  assign any_fault = unit_fault || deadlock_q;
  assign picking = \dut.pick_q != 4'(Sources + 1);

  always_ff @(posedge clk_i) begin
    past_q <= rst_n_q;
    reset_q <= reset_i;
    pick_q <= rst_n_q && \dut.state_q == Pick;
    wait_q <= rst_n_q && \dut.state_q == Wait;
    launch_q <= launch_i;
    if (launch_i) bad_q <= bad_launch_i;
    clear_q <= clear;
    start_q <= start;
    halt_q <= halt;
    running_q <= running;
    ready_q <= ready;
    done_q <= done;
    busy_q <= bus_busy_i;
    picking_q <= picking;
    stop_q <= any_fault || finish_i;
    finish_q <= finish_i && !any_fault;
    finish_number_q <= retire_number_i[Width+:Width];
    // Of the cycle before that: FINISH was issued without a fault while the core ran.
    finished_q <= past_q && finish_q && !halt_q;
    finished_number_q <= finish_number_q;
    left_q <= tokens_left_i;
    fault_q <= fault;
    deadlock_q <= rst_n_q && running && !halt && fetch_stuck_i && unit_stuck_i == 3'b111;
    waiting_q <= waiting_i;
    heads_q <= head_number_i;
    fetch_fault_q <= fetch_fault_i;
    fetched_q <= fetched_i;
    if (running && !halt) begin
      any_q <= any_fault && !reset_i;
      stuck_q <= deadlock_q;
      units_q <= {store_fault_i, compute_fault_i, dma_fault_i, load_fault_i};
      overflow_q <= overflow_i;
      numbers_q <= retire_number_i;
    end
    if (!rst_n_q || reset_i) any_q <= 1'b0;
  end

  // The sources of faults in the order in which the block looks at them.
  logic [Sources-1:0] valid;
  logic [Sources*Width-1:0] number;
  logic [Sources*4-1:0] code;

  always_comb begin
    for (int unsigned i = 0; i < 3; i++) begin
      valid[i] = stuck_q && !fetch_fault_i.valid && waiting_i[i];
      number[i*Width+:Width] = head_number_i[i*Width+:Width];
      code[i*4+:4] = vta_pkg::FaultDeadlock;
      valid[8+i] = overflow_q[i];
      number[(8+i)*Width+:Width] = numbers_q[i*Width+:Width];
      code[(8+i)*4+:4] = vta_pkg::FaultTokenOverflow;
    end
    valid[3] = stuck_q && (fetch_fault_i.valid || waiting_i == 3'b000);
    number[3*Width+:Width] = fetch_fault_i.valid ? fetch_fault_i.number : fetched_i == '0 ? '0 : fetched_i - 1'b1;
    code[3*4+:4] = fetch_fault_i.valid ? fetch_fault_i.code : vta_pkg::FaultDeadlock;
    for (int unsigned i = 0; i < 4; i++) begin
      valid[4+i] = units_q[i*FaultBits+FaultBits-1];
      code[(4+i)*4+:4] = units_q[i*FaultBits+Width+:4];
      number[(4+i)*Width+:Width] = units_q[i*FaultBits+:Width];
    end
  end

  // The sources that are looked at: in the second cycle of one all before it.
  logic [Sources-1:0] looked_at;
  logic seen;  // the fault is one of those
  always_comb begin
    seen = 1'b0;
    for (int unsigned i = 0; i < Sources; i++) begin
      looked_at[i] = 32'(\dut.pick_q ) > i + 1 || (32'(\dut.pick_q ) == i + 1 && \dut.second_q );
      if (valid[i] && looked_at[i] && fault.number == number[i*Width+:Width] &&
          fault.code == code[i*4+:4]) seen = 1'b1;
    end
  end

  always_comb begin
    assume (!launch_i || (ready && rst_n_q));
    assume (!reset_i || (Resets != 0 && !launch_i));
    // Bursts are granted in a run only, before it is halted. A grant shows in the cycle behind it.
    assume (!bus_busy_i || (past_q && (busy_q || (running_q && !halt_q))));
    // What has stopped for good stays as it is until the launch has ended.
    if (past_q && (deadlock_q || (stuck_q && (!ready || ended)))) begin
      assume (waiting_i == waiting_q && head_number_i == heads_q && fetch_fault_i == fetch_fault_q &&
              fetched_i == fetched_q);
    end

    if (rst_n_q) begin
      // How the phases relate to the registers of the block, for the induction.
      assert (\dut.state_q  <= 3'd6);
      assert ({3'b0, ready} + {3'b0, clear} + {3'b0, start} + {3'b0, running} + {3'b0, \dut.state_q == Pick} +
              {3'b0, \dut.state_q == Wait} == 4'd1);
      assert (!\dut.finished_q  || (running && halt));
      if (clear) assert (\dut.bad_q  == bad_q);
      assert (!picking || (halt && (running || \dut.state_q == Pick)));
      assert (\dut.pick_q <= 4'(Sources + 1));
      assert (picking || !\dut.second_q );
    end
    // A reset: idle and halted in the next cycle, and until the next launch starts on a quiet bus.
    if (rst_n_q && past_q) begin
      if (reset_q) begin
        assert (ready && halt && !running && !clear && !start && !ended && !done && !fault.valid && !picking);
        assert (!\dut.finished_q );
      end
      if (clear || start) assert (!bus_busy_i);
      if (ready_q && !reset_q) assert (draining == busy_q);
      if (draining) assert (busy_q);
      if (Resets != 0) begin
        cover (reset_q && running_q && !halt_q && bus_busy_i);
        cover (clear && wait_q && !bus_busy_i);
      end
    end
    if (rst_n_q && past_q) begin
      assert (\dut.deadlock_q == deadlock_q);
      if (running && !running_q) assert (start_q);
      assert (running || halt);
      assert (quiet == (halt && !start));
      if (ended) assert (!busy_q);  // never done with a burst on the bus
      assert (ready || !ended);
    end
    if (rst_n_q && past_q && !reset_q) begin
      assert (clear == ((launch_q || wait_q) && !busy_q));
      assert ((\dut.state_q == Wait) == ((launch_q || wait_q) && busy_q));
      assert (start == (clear_q && !bad_q));
      if (start_q) assert (running && !halt);
      // Running ends exactly when the bus is quiet; done comes a cycle later, or when the fault is known.
      if (running_q) assert (running == !(halt_q && !busy_q));
      if (running_q) assert (halt == (halt_q || stop_q));
      assert (ended == ((clear_q && bad_q) || (pick_q && !picking_q)));
      assert (done == (ended || (done_q && !launch_q)));

      // The first fault, of the lowest number.
      if (launch_q) assert (!fault.valid);
      if (clear_q && bad_q) assert (fault.valid && fault.code == vta_pkg::FaultBadLaunch && fault.number == '0);
      if (running && !halt) assert (!fault.valid && !picking);
      if (running_q && !halt_q && halt) assert (picking == any_q && (!picking || \dut.pick_q == '0));
      if (running && halt || \dut.state_q == Pick) begin
        // For the induction: what was kept of the last cycle.
        if (any_q) begin
          assert (\dut.stuck_q == stuck_q && \dut.overflow_q == overflow_q && \dut.retire_number_q == numbers_q);
          assert ({\dut.store_fault_q , \dut.compute_fault_q , \dut.dma_fault_q , \dut.load_fault_q } == units_q);
          assert (stuck_q || valid[Sources-1:4] != '0);
        end
        assert (any_q || !picking);
        for (int unsigned i = 0; i < Sources; i++) begin
          if (any_q && looked_at[i] && valid[i]) begin
            assert (fault.valid && fault.number <= number[i*Width+:Width]);
          end
          if (picking && !\dut.second_q && 32'(\dut.pick_q ) == i + 1) begin
            assert (\dut.lower_q == (valid[i] && (!fault.valid || number[i*Width+:Width] < fault.number)));
          end
          if (picking && 32'(\dut.pick_q ) == (\dut.second_q  ? i : i + 1)) begin
            assert (\dut.source_q [FaultBits-1] == valid[i]);
            if (valid[i]) assert (\dut.source_q [0+:Width] == number[i*Width+:Width]);
            if (valid[i]) assert (\dut.source_q [Width+:4] == code[i*4+:4]);
          end
        end
        if (any_q && fault.valid) assert (seen);
      end
      if (ended && any_q && !(clear_q && bad_q)) assert (fault.valid && seen);
      if (running_q && halt_q && !any_q) begin
        assert (\dut.finished_q  == 1'b0 || finish_q);
        if (finished_q && left_q) begin
          assert (fault.valid && fault.code == vta_pkg::FaultTokensLeftOver && fault.number == finished_number_q);
        end else begin
          assert (fault == fault_q);
        end
      end
      if (ready_q && !launch_q) assert (fault == fault_q);
      if (Resets == 0) begin
        cover (ended && fault.valid && fault.code == vta_pkg::FaultTokensLeftOver);
        cover (ended && any_q && fault.code == vta_pkg::FaultTokenOverflow && valid[7:4] == 4'hf);
      end
    end
    // FINISH in the cycle before, and only then.
    if (rst_n_q && past_q && !reset_q) begin
      assert ((\dut.finished_q  && !any_q) == (running_q && !halt_q && finish_q));
      if (\dut.finished_q  && !any_q) assert (\dut.retire_number_q [Width+:Width] == finish_number_q);
      if (start || clear) assert (!fault.valid || (clear && launch_q));
    end
  end
endmodule
