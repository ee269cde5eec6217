// The three command queues and the four token queues between fetch, load, compute and store.
module vta_queues (
  // Clock; synchronous reset; clear_i empties all queues.
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          clear_i,
  // Command queues, bit 0 load, 1 compute, 2 store: input from fetch. Rules: vta_cmd_queue.
  input  logic [2:0]    push_i,
  input  vta_pkg::cmd_t cmd_i,
  output logic [2:0]    room_o,
  // Their heads, and whether anything is behind them.
  output logic [2:0]    head_valid_o,
  output vta_pkg::cmd_t load_head_o,
  output vta_pkg::cmd_t compute_head_o,
  output vta_pkg::cmd_t store_head_o,
  input  logic [2:0]    pop_i,
  output logic [2:0]    behind_empty_o,
  // Token queues, bit 0 load->compute, 1 compute->load, 2 compute->store, 3 store->compute. Rules: vta_tokens.
  input  logic [3:0]    token_push_i,
  input  logic [3:0]    token_pop_i,
  output logic [3:0]    token_avail_o,
  output logic [3:0]    token_overflow_o
);

  logic [2:0] arrive;
  vta_pkg::cmd_t cmd;

  vta_bounds u_bounds (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i,
    .cmd_i,
    .arrive_o(arrive),
    .cmd_o(cmd)
  );

  vta_cmd_queue u_load (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(push_i[0]),
    .room_o(room_o[0]),
    .arrive_i(arrive[0]),
    .cmd_i(cmd),
    .head_valid_o(head_valid_o[0]),
    .head_o(load_head_o),
    .pop_i(pop_i[0]),
    .behind_empty_o(behind_empty_o[0])
  );

  vta_cmd_queue u_compute (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(push_i[1]),
    .room_o(room_o[1]),
    .arrive_i(arrive[1]),
    .cmd_i(cmd),
    .head_valid_o(head_valid_o[1]),
    .head_o(compute_head_o),
    .pop_i(pop_i[1]),
    .behind_empty_o(behind_empty_o[1])
  );

  vta_cmd_queue u_store (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(push_i[2]),
    .room_o(room_o[2]),
    .arrive_i(arrive[2]),
    .cmd_i(cmd),
    .head_valid_o(head_valid_o[2]),
    .head_o(store_head_o),
    .pop_i(pop_i[2]),
    .behind_empty_o(behind_empty_o[2])
  );

  for (genvar i = 0; i < 4; i++) begin : gen_tokens
    vta_tokens u_tokens (
      .clk_i,
      .rst_ni,
      .clear_i,
      .push_i(token_push_i[i]),
      .pop_i(token_pop_i[i]),
      .avail_o(token_avail_o[i]),
      .overflow_o(token_overflow_o[i])
    );
  end

endmodule
