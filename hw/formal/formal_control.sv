// A launch from the launch bit to done: each phase in its cycle, halted from the first fault or FINISH on, done exactly
// when the bus is quiet behind that; the fault of the lowest number is kept and stays until the next launch.
module formal_control (
  input logic                              clk_i,
  input logic                              launch_i,
  input logic                              bad_launch_i,
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
  (* hierconn *) wire [vta_pkg::NumberWidth-1:0] \dut.finish_number_q ;

  logic rst_n_q = 1'b0;
  logic ready, clear, start, halt, running, ended, done;
  vta_pkg::fault_t fault;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_control dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .launch_i,
    .bad_launch_i,
    .ready_o(ready),
    .clear_o(clear),
    .start_o(start),
    .halt_o(halt),
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

  logic deadlock;
  logic any_fault;
  assign deadlock = fetch_stuck_i && unit_stuck_i == 3'b111;
  assign any_fault = load_fault_i.valid || dma_fault_i.valid || compute_fault_i.valid || store_fault_i.valid ||
                     overflow_i != 3'b000 || deadlock;

  // The cycle before.
  logic past_q = 1'b0;  // there is one, without reset
  logic launch_q, clear_q, start_q, halt_q, running_q, done_q, busy_q, stop_q, any_fault_q, bad_q;
  logic finish_q, finished_q, left_q, deadlock_q;
  logic [2:0] overflow_q;
  logic [Width-1:0] finish_number_q, finished_number_q;
  logic [3*Width-1:0] numbers_q;
  vta_pkg::fault_t fault_q, load_fault_q, dma_fault_q, compute_fault_q, store_fault_q;

  always_ff @(posedge clk_i) begin
    past_q <= rst_n_q;
    launch_q <= launch_i;
    if (launch_i) bad_q <= bad_launch_i;
    clear_q <= clear;
    start_q <= start;
    halt_q <= halt;
    running_q <= running;
    done_q <= done;
    busy_q <= bus_busy_i;
    stop_q <= any_fault || finish_i;
    any_fault_q <= any_fault;
    finish_q <= finish_i && !any_fault;
    finish_number_q <= retire_number_i[Width+:Width];
    // Of the cycle before that: FINISH was issued without a fault while the core ran.
    finished_q <= past_q && finish_q && !halt_q;
    finished_number_q <= finish_number_q;
    left_q <= tokens_left_i;
    fault_q <= fault;
    load_fault_q <= load_fault_i;
    dma_fault_q <= dma_fault_i;
    compute_fault_q <= compute_fault_i;
    store_fault_q <= store_fault_i;
    overflow_q <= overflow_i;
    numbers_q <= retire_number_i;
    deadlock_q <= deadlock;
  end

  always_comb begin
    assume (!launch_i || (ready && rst_n_q));
    assume (!bus_busy_i || running);  // bursts are granted to a running core only

    if (rst_n_q) begin
      // How the phases relate to the registers of the block, for the induction.
      assert (\dut.state_q  <= 3'd4);
      assert ({3'b0, ready} + {3'b0, clear} + {3'b0, start} + {3'b0, running} == 4'd1);
      assert (!\dut.finished_q  || (running && halt));
      if (clear) assert (\dut.bad_q  == bad_q);
    end
    if (rst_n_q && past_q) begin
      assert (clear == launch_q);
      assert (start == (clear_q && !bad_q));
      if (start_q) assert (running && !halt);
      if (running && !running_q) assert (start_q);
      assert (running || halt);
      assert (ended == ((clear_q && bad_q) || (running_q && halt_q && !busy_q)));
      if (running_q) assert (running == !ended);
      if (running_q) assert (halt == (halt_q || stop_q));
      assert (done == (ended || (done_q && !launch_q)));
      // Never done with a burst on the bus.
      if (ended) assert (!busy_q);

      // The first fault, of the lowest number.
      if (launch_q) assert (!fault.valid);
      if (clear_q && bad_q) assert (fault.valid && fault.code == vta_pkg::FaultBadLaunch && fault.number == '0);
      if (running_q && !halt_q) begin
        assert (fault.valid == any_fault_q);
        if (load_fault_q.valid) assert (fault.number <= load_fault_q.number);
        if (dma_fault_q.valid) assert (fault.number <= dma_fault_q.number);
        if (compute_fault_q.valid) assert (fault.number <= compute_fault_q.number);
        if (store_fault_q.valid) assert (fault.number <= store_fault_q.number);
        if (overflow_q[0]) assert (fault.number <= numbers_q[0+:Width]);
        if (overflow_q[1]) assert (fault.number <= numbers_q[Width+:Width]);
        if (overflow_q[2]) assert (fault.number <= numbers_q[2*Width+:Width]);
        if (fault.valid && !deadlock_q) begin
          assert ((load_fault_q.valid && fault == load_fault_q) || (dma_fault_q.valid && fault == dma_fault_q) ||
                  (compute_fault_q.valid && fault == compute_fault_q) || (store_fault_q.valid && fault == store_fault_q) ||
                  (overflow_q != 3'b000 && fault.code == vta_pkg::FaultTokenOverflow));
        end
      end
      if (running_q && halt_q) begin
        assert (\dut.finished_q  == 1'b0 || finish_q);
        if (finished_q && left_q) begin
          assert (fault.valid && fault.code == vta_pkg::FaultTokensLeftOver && fault.number == finished_number_q);
        end else begin
          assert (fault == fault_q);
        end
      end
      if (!running_q && !launch_q && !clear_q) assert (fault == fault_q);
      cover (ended && fault.valid && fault.code == vta_pkg::FaultTokensLeftOver);
    end
    // FINISH in the cycle before, and only then.
    if (rst_n_q && past_q) begin
      assert (\dut.finished_q  == (running_q && !halt_q && finish_q));
      if (\dut.finished_q ) assert (\dut.finish_number_q  == finish_number_q);
      if (running && !halt) assert (!fault.valid);
      if (start || clear) assert (!fault.valid || (clear && launch_q));
    end
  end
endmodule
