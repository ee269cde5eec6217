// The performance counters: each counts what its place in the register map says, in all of its 48 bits. The proof
// begins with any values in the counters, so that it needs no launch of many hours to see their upper bits.
module formal_counters (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  clear_i,
  input logic                  running_i,
  input logic                  halt_i,
  input vta_pkg::unit_events_t fetch_i,
  input vta_pkg::unit_events_t load_i,
  input vta_pkg::unit_events_t compute_i,
  input vta_pkg::unit_events_t store_i,
  input logic [4*17-1:0]       read_bytes_i,
  input logic [16:0]           write_bytes_i,
  input logic                  gemm_uop_i,
  input logic                  alu_uop_i
);
  localparam int unsigned Width = 48;
  localparam int unsigned Units = 4;

  // One entry, chosen freely: 8 and more are of a unit.
  (* anyconst *) logic [5:0] index;
  logic [63:0] value;

  vta_counters u_counters (
    .clk_i,
    .rst_ni,
    .clear_i,
    .running_i,
    .halt_i,
    .fetch_i,
    .load_i,
    .compute_i,
    .store_i,
    .read_bytes_i,
    .write_bytes_i,
    .gemm_uop_i,
    .alu_uop_i,
    .index_i(index),
    .value_o(value)
  );

  // What of this cycle the entry counts.
  logic [4:0]  events [Units];
  logic [4:0]  event_of_unit;
  logic [16:0] bytes_of_unit;
  logic [16:0] amount;
  logic [1:0]  unit;
  logic        stopped;
  assign events[0] = {fetch_i.stall_hazard, fetch_i.stall_memory, fetch_i.stall_token, fetch_i.busy, fetch_i.retired};
  assign events[1] = {load_i.stall_hazard, load_i.stall_memory, load_i.stall_token, load_i.busy, load_i.retired};
  assign events[2] = {compute_i.stall_hazard, compute_i.stall_memory, compute_i.stall_token, compute_i.busy,
                      compute_i.retired};
  assign events[3] = {store_i.stall_hazard, store_i.stall_memory, store_i.stall_token, store_i.busy, store_i.retired};
  assign unit = 2'(index[5:3] - 3'd1);
  assign event_of_unit = events[unit] >> index[2:0];
  assign bytes_of_unit = 17'(read_bytes_i >> (32'(unit) * 17));
  assign stopped = halt_i || !rst_ni || clear_i;
  always_comb begin
    amount = '0;
    if (index == 6'd0) amount = 17'(running_i && rst_ni && !clear_i);
    else if (index == 6'd1) amount = 17'(gemm_uop_i && !stopped);
    else if (index == 6'd2) amount = 17'(alu_uop_i && !stopped);
    else if (index == 6'd38) amount = halt_i ? '0 : write_bytes_i;
    else if (index >= 6'd8 && index < 6'd40 && index[2:0] < 3'd5) amount = 17'(event_of_unit[0] && !stopped);
    else if (index >= 6'd8 && index < 6'd40 && index[2:0] == 3'd5) amount = halt_i ? '0 : bytes_of_unit;
  end

  // Nothing happens in the first three cycles: what the entry then reads is what is in its counter.
  logic [2:0] age_q = '0;
  logic       quiet;
  assign quiet = age_q < 3'd3;

  logic [16:0]      amount_q = '0;
  logic [Width-1:0] count_q;
  logic [Width-1:0] value_q;
  logic [Width-1:0] start_q = '0;
  always_ff @(posedge clk_i) begin
    if (age_q != '1) age_q <= age_q + 1'b1;
    amount_q <= amount;
    if (quiet) count_q <= value[Width-1:0];
    else if (!rst_ni || clear_i) count_q <= '0;
    else count_q <= count_q + Width'(amount_q);
    if (quiet) start_q <= value[Width-1:0];
    value_q <= count_q;
  end

  // A unit is in one state at most.
  logic [Units-1:0] in_two_states;
  for (genvar u = 0; u < Units; u++) begin : gen_states
    assign in_two_states[u] = (events[u][4:1] & (events[u][4:1] - 4'd1)) != '0;
  end

  always_comb begin
    assume (in_two_states == '0);
    if (quiet) assume (rst_ni && !clear_i && halt_i && !running_i);
    if (age_q > 3'd3) begin
      counts_what_it_says : assert (value == 64'(value_q));
      past_32_bits : cover (index == 6'd0 && start_q == 48'h0000_ffff_ffff && value == 64'h1_0000_0000);
      past_32_bits_of_bytes : cover (index == 6'd13 && start_q == 48'h0000_ffff_fff0 && value == 64'h1_0000_0010);
      wraps_at_48_bits : cover (index == 6'd38 && start_q == 48'hffff_ffff_fff0 && value == 64'h10);
    end
  end
endmodule
