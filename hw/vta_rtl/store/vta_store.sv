// The store unit: STORE of OUT from the head of its command queue.
//
// Addresses, data and responses of successive stores overlap; at most DmaInFlight are started and not retired. A store
// retires, and pushes its token, when the response of its last burst has come (docs/timing.md, "Store").
module vta_store (
  // Clock; synchronous reset; clear_i before a launch; halt_i: nothing new starts, granted bursts get all their beats.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic halt_i,

  // Head of the command queue.
  input  logic          cmd_valid_i,
  input  vta_pkg::cmd_t cmd_i,
  output logic          cmd_pop_o,

  // compute->store tokens: there is one, take it. store->compute tokens: push one.
  input  logic prev_avail_i,
  output logic pop_prev_o,
  output logic push_prev_o,

  // Base address.
  input  logic [vta_pkg::AxiAddrWidth-1:0] base_i,

  // Read of OUT: data one cycle after the enable, held until the next enable.
  output logic                            out_re_o,
  output logic [vta_pkg::OutLogDepth-1:0] out_raddr_o,
  input  logic [vta_pkg::OutElemBits-1:0] out_rdata_i,

  // AXI write channels: addresses; data; responses, which are always taken; a granted burst has no response yet.
  output vta_pkg::axi_addr_t aw_o,
  input  logic               awready_i,
  output vta_pkg::axi_data_t w_o,
  input  logic               wready_i,
  input  logic               bvalid_i,
  input  logic               berror_i,
  output logic               bus_busy_o,

  // The instruction that retires in this cycle; the fault of this cycle.
  output logic                            retire_valid_o,
  output logic [vta_pkg::NumberWidth-1:0] retire_number_o,
  output vta_pkg::fault_t                 fault_o,
  // State: nothing is in flight; the head lacks a token.
  output logic                            idle_o,
  output logic                            waiting_token_o,
  // For the performance counters: events, and bytes read from OUT in this cycle.
  output vta_pkg::unit_events_t           events_o,
  output logic [16:0]                     write_bytes_o
);

  localparam int unsigned LogBytes = vta_pkg::AxiLogBytes;

  vta_pkg::tokens_t tokens;
  vta_pkg::mem_cmd_t cmd;
  logic have_tokens;
  logic ready;
  logic start;
  logic addr_free;
  logic [vta_pkg::SumAddrWidth-1:0] first_addr;
  logic [33:0] stride_bytes;
  logic any;   // a store is in flight
  logic room;  // fewer than DmaInFlight are
  logic retire;

  assign tokens = vta_pkg::tokens_of(cmd_i.insn);
  assign cmd = vta_pkg::mem_cmd_of(cmd_i);
  assign have_tokens = !tokens.pop_prev || prev_avail_i;
  assign first_addr = vta_pkg::SumAddrWidth'(base_i) +
                      (vta_pkg::SumAddrWidth'(cmd.dram_base) << vta_pkg::OutLogElemBytes);
  assign stride_bytes = 34'(cmd.x_stride) << vta_pkg::OutLogElemBytes;

  assign ready = addr_free && room && !halt_i;
  assign cmd_pop_o = cmd_valid_i && have_tokens && ready;
  assign start = cmd_pop_o && !cmd.past_end;
  assign pop_prev_o = cmd_pop_o && tokens.pop_prev;
  assign waiting_token_o = cmd_valid_i && !have_tokens;
  assign idle_o = !any;

  vta_in_flight #(
    .Max(vta_pkg::DmaInFlight)
  ) u_in_flight (
    .clk_i,
    .rst_ni,
    .clear_i,
    .begin_i(start),
    .end_i(retire),
    .any_o(any),
    .room_o(room)
  );

  // Addresses.
  logic burst_valid;
  logic burst_last;
  logic burst_overflow;
  logic [vta_pkg::AxiAddrWidth-1:0] burst_addr;
  logic [vta_pkg::BurstLenWidth-1:0] burst_beats;
  logic [LogBytes-1:0] first_off;
  logic [LogBytes-1:0] last_off;
  logic row_end;
  logic grant;
  logic [vta_pkg::NumberWidth-1:0] number_q;

  vta_burst_gen #(
    .BytesWidth(33)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .clear_i,
    .start_i(start && cmd.has_data),
    .addr_i(first_addr),
    .row_bytes_i(33'(cmd.x_size) << vta_pkg::OutLogElemBytes),
    .rows_i(cmd.y_size),
    .stride_bytes_i(stride_bytes),
    .free_o(addr_free),
    .valid_o(burst_valid),
    .addr_o(burst_addr),
    .beats_o(burst_beats),
    .first_off_o(first_off),
    .last_off_o(last_off),
    .row_end_o(row_end),
    .last_o(burst_last),
    .overflow_o(burst_overflow),
    .take_i(grant)
  );

  logic awvalid_q;
  logic [vta_pkg::AxiAddrWidth-1:0] awaddr_q;
  // verilator lint_off UNUSEDSIGNAL
  logic [vta_pkg::BurstLenWidth-1:0] awbeats_q;  // of 256, the length on the bus has the low bits
  // verilator lint_on UNUSEDSIGNAL
  logic slot_free;
  logic aw_free;

  assign aw_free = !awvalid_q || awready_i;
  assign grant = burst_valid && aw_free && slot_free && !halt_i;

  vta_in_flight #(
    .Max(vta_pkg::OutstandingBursts)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .clear_i(1'b0),
    .begin_i(grant),
    .end_i(bvalid_i),
    .any_o(bus_busy_o),
    .room_o(slot_free)
  );

  always_ff @(posedge clk_i) begin
    if (addr_free) number_q <= cmd.number;  // whether it starts or not
    if (!rst_ni) awvalid_q <= 1'b0;
    else if (aw_free) awvalid_q <= grant;
    if (grant) begin
      awaddr_q <= burst_addr;
      awbeats_q <= burst_beats;
    end
  end

  assign aw_o.valid = awvalid_q;
  assign aw_o.id = vta_pkg::AxiIdStore;
  assign aw_o.addr = awaddr_q;
  assign aw_o.len = 8'(awbeats_q) - 8'd1;

  // Data.
  logic data_empty;
  logic data_full;
  logic data_pop;
  vta_pkg::mem_cmd_t data_cmd;
  logic [LogBytes-1:0] data_off;
  logic [LogBytes-1:0] data_step;

  vta_fifo #(
    .Width($bits(cmd) + 2 * LogBytes),
    .Depth(vta_pkg::DmaInFlight)
  ) u_data_cmds (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(start),
    .data_i({cmd, first_addr[LogBytes-1:0], stride_bytes[LogBytes-1:0]}),
    .pop_i(data_pop),
    .head_o({data_cmd, data_off, data_step}),
    .empty_o(data_empty),
    .full_o(data_full)
  );

  vta_store_data u_data (
    .clk_i,
    .rst_ni,
    .clear_i,
    .cmd_valid_i(!data_empty),
    .cmd_i(data_cmd),
    .row_off_i(data_off),
    .row_step_i(data_step),
    .cmd_pop_o(data_pop),
    .grant_i(grant),
    .beats_i(burst_beats),
    .out_re_o,
    .out_raddr_o,
    .out_rdata_i,
    .w_o,
    .wready_i
  );

  // Responses: which burst was the last of its store, and stores in flight in order.
  logic resp_last;
  logic resp_empty;
  logic resp_full;
  logic [vta_pkg::NumberWidth-1:0] resp_number;
  logic flight_empty;
  logic flight_full;
  logic flight_data;
  logic flight_push;
  logic [vta_pkg::NumberWidth-1:0] flight_number;
  logic complete;
  logic any_complete;  // stores with data whose last response has come, not retired
  logic room_complete;
  logic berror_q;
  logic [vta_pkg::NumberWidth-1:0] berror_number_q;

  vta_fifo #(
    .Width(1 + vta_pkg::NumberWidth),
    .Depth(vta_pkg::OutstandingBursts)
  ) u_responses (
    .clk_i,
    .rst_ni,
    .clear_i(1'b0),
    .push_i(grant),
    .data_i({burst_last, number_q}),
    .pop_i(bvalid_i),
    .head_o({resp_last, resp_number}),
    .empty_o(resp_empty),
    .full_o(resp_full)
  );

  vta_fifo #(
    .Width(2 + vta_pkg::NumberWidth),
    .Depth(vta_pkg::DmaInFlight)
  ) u_flight (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(start),
    .data_i({cmd.has_data, tokens.push_prev, cmd.number}),
    .pop_i(retire),
    .head_o({flight_data, flight_push, flight_number}),
    .empty_o(flight_empty),
    .full_o(flight_full)
  );

  assign complete = bvalid_i && resp_last;
  vta_in_flight #(
    .Max(vta_pkg::DmaInFlight)
  ) u_complete (
    .clk_i,
    .rst_ni,
    .clear_i,
    .begin_i(complete),
    .end_i(retire && flight_data),
    .any_o(any_complete),
    .room_o(room_complete)
  );
  assign retire = !flight_empty && (!flight_data || any_complete) && !halt_i;
  assign retire_valid_o = retire;
  assign retire_number_o = flight_number;
  assign push_prev_o = retire && flight_push;

  always_ff @(posedge clk_i) begin
    berror_q <= rst_ni && !clear_i && bvalid_i && berror_i;
    berror_number_q <= resp_number;
  end

  always_comb begin
    fault_o.valid = 1'b0;
    fault_o.code = vta_pkg::FaultBusError;
    fault_o.number = berror_number_q;
    if (berror_q) begin
      fault_o.valid = !halt_i;
    end else if (burst_overflow) begin
      fault_o.valid = !halt_i;
      fault_o.number = number_q;
    end else if (cmd_pop_o && cmd.past_end) begin
      fault_o.valid = 1'b1;
      fault_o.code = vta_pkg::FaultSramBounds;
      fault_o.number = cmd.number;
    end
  end

  logic busy;
  assign busy = w_o.valid && wready_i;
  assign write_bytes_o = out_re_o ? 17'(vta_pkg::OutElemBytes) : '0;
  assign events_o.retired = retire;
  assign events_o.busy = busy;
  assign events_o.stall_memory = !busy && !idle_o;
  assign events_o.stall_token = !busy && idle_o && waiting_token_o;
  assign events_o.stall_hazard = 1'b0;

  logic unused;
  assign unused = &{1'b0, first_off, last_off, row_end, data_full, resp_full, flight_full, tokens, cmd,
                    room_complete};

  logic waiting_q;
  vta_pkg::axi_addr_t past_q;

  always_ff @(posedge clk_i) begin
    waiting_q <= rst_ni && aw_o.valid && !awready_i;
    past_q <= aw_o;
    if (rst_ni) begin
      stable_until_ready : assert (!waiting_q || aw_o == past_q);
      response_of_a_burst : assert (!(bvalid_i && resp_empty));
    end
  end

endmodule
