// Fetch: reads the instruction stream ahead, checks each instruction and puts it into the command queue of its unit,
// one a cycle and in order.
//
// An instruction is decoded in one cycle and dispatched in the next one or later. Fetch ends at FINISH, at an instruction
// that is illegal or did not arrive intact, or with the last instruction. It keeps at most FetchBursts bursts in flight or
// in its buffer (docs/timing.md, "Fetch").
module vta_fetch (
  // Clock; synchronous reset; clear_i before a launch; halt_i: dispatch and request nothing.
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             clear_i,
  input  logic                             halt_i,

  // For one cycle, the one before cycle 0: address and instructions of the stream, which lies within the bus's
  // addresses.
  input  logic                             start_i,
  input  logic [vta_pkg::AxiAddrWidth-1:0] addr_i,
  input  logic [31:0]                      count_i,

  // Read channel: the burst offered and its grant; the beats that come for it; whether a granted burst has not ended.
  output vta_pkg::burst_t     burst_o,
  input  logic                grant_i,
  input  vta_pkg::read_beat_t beat_i,
  output logic                bus_busy_o,

  // The command queues, bit 0 load, 1 compute, 2 store: which have room, and into which the instruction goes.
  input  logic [2:0]    room_i,
  output logic [2:0]    push_o,
  output vta_pkg::cmd_t cmd_o,

  // State: an instruction waits for room; nothing more will come, and, held, the fault if one ended the stream early;
  // instructions dispatched so far.
  output logic                            blocked_o,
  output logic                            ended_o,
  output vta_pkg::fault_t                 fault_o,
  output logic [vta_pkg::NumberWidth-1:0] next_number_o,
  // For the performance counters.
  output vta_pkg::unit_events_t           events_o
);

  localparam int unsigned GroupBits =
      vta_pkg::InsnBits > vta_pkg::AxiDataWidth ? vta_pkg::InsnBits : vta_pkg::AxiDataWidth;

  logic ended_q;
  logic running_q;  // a stream was started
  logic [31:0] left_q;  // instructions that have not been dispatched
  logic last_q;         // that is one
  logic [vta_pkg::NumberWidth-1:0] number_q;
  vta_pkg::fault_t fault_q;

  logic burst_valid;
  logic burst_overflow;
  logic burst_last;
  logic addr_free;
  logic slot_free;
  logic [vta_pkg::AxiLogBytes-1:0] first_off;
  logic [vta_pkg::AxiLogBytes-1:0] last_off;
  logic elem_valid;
  logic row_end;
  logic elem_only;
  logic elem_row_end;
  logic elem_error;
  logic elem_tag;
  logic [vta_pkg::LaneCountWidth-1:0] elem_count;
  logic consume;
  logic [GroupBits-1:0] group;
  vta_pkg::fault_t rx_fault;

  vta_burst_gen #(
    .BytesWidth(38)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .clear_i,
    .start_i(start_i && count_i != '0),
    .addr_i(vta_pkg::SumAddrWidth'(addr_i)),
    .row_bytes_i(38'(count_i) << vta_pkg::InsnLogBytes),
    .rows_i(16'd1),
    .stride_bytes_i('0),
    .free_o(addr_free),
    .valid_o(burst_valid),
    .addr_o(burst_o.addr),
    .beats_o(burst_o.beats),
    .first_off_o(first_off),
    .last_off_o(last_off),
    .row_end_o(row_end),
    .last_o(burst_last),
    .overflow_o(burst_overflow),
    .take_i(grant_i)
  );

  vta_read_rx #(
    .Bursts(vta_pkg::FetchBursts),
    .MaxElemBits(vta_pkg::InsnBits),
    .HasNarrow(vta_pkg::InsnBits < vta_pkg::AxiDataWidth),
    .TagWidth(1)
  ) u_rx (
    .clk_i,
    .rst_ni,
    .clear_i,
    .slot_free_o(slot_free),
    .grant_i,
    .first_off_i(first_off),
    .last_off_i(last_off),
    .row_end_i(row_end),
    .log_elem_i(5'(vta_pkg::InsnLogBytes)),
    .tag_i(1'b0),
    .number_i('0),
    .beat_i,
    .valid_o(elem_valid),
    .data_o(group),
    .count_o(elem_count),
    .only_o(elem_only),
    .row_end_o(elem_row_end),
    .tag_o(elem_tag),
    .error_o(elem_error),
    .consume_i(consume),
    .consume_all_i(1'b0),
    .fault_o(rx_fault),
    .in_flight_o(bus_busy_o)
  );

  // Decoding: in the cycle in which the instruction leaves the group register.
  logic is_load;
  logic is_store;
  logic is_finish;
  logic illegal;

  vta_decode u_decode (
    .insn_i(group[vta_pkg::InsnBits-1:0]),
    .is_load_o(is_load),
    .is_store_o(is_store),
    .is_finish_o(is_finish),
    .illegal_o(illegal)
  );

  // The decoded instruction.
  logic valid_q;
  logic [vta_pkg::InsnBits-1:0] insn_q;
  logic [2:0] target_q;
  logic finish_q;
  logic error_q;    // a beat of it came with an error
  logic bad_q;      // that, or it is illegal
  logic wanted;     // it, or the fault that it is
  logic room;
  logic dispatch;
  logic stop;  // at an instruction that cannot be dispatched

  assign room = (target_q & room_i) != '0;
  assign wanted = valid_q && !ended_q && !halt_i;
  assign stop = wanted && bad_q;
  assign dispatch = wanted && !bad_q && room;
  // Behind the end, and while the core is halted, instructions are taken and dropped: whether there is an end or a halt
  // reaches no wide register.
  assign consume = !valid_q || room;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) valid_q <= 1'b0;
    else if (consume) valid_q <= elem_valid;
    if (consume) begin
      insn_q <= group[vta_pkg::InsnBits-1:0];
      target_q <= {is_store, !is_load && !is_store, is_load};
      finish_q <= is_finish;
      error_q <= elem_error;
      bad_q <= elem_error || illegal;
    end
  end

  assign burst_o.valid = burst_valid && slot_free && !ended_q;  // the arbiter withholds the grant from a halted unit
  assign push_o = dispatch ? target_q : 3'b000;
  assign cmd_o.past_end = 1'b0;  // vta_bounds says these two
  assign cmd_o.has_data = 1'b0;
  assign cmd_o.number = number_q;
  assign cmd_o.insn = insn_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      running_q <= 1'b0;
      ended_q <= 1'b0;
      number_q <= '0;
      left_q <= '0;
      last_q <= 1'b0;
      fault_q <= '0;
    end else if (start_i) begin
      running_q <= 1'b1;
      left_q <= count_i;
      last_q <= count_i == 32'd1;
      ended_q <= count_i == '0;
    end else if (dispatch) begin
      number_q <= number_q + 1'b1;
      left_q <= left_q - 1'b1;
      last_q <= left_q == 32'd2;
      ended_q <= finish_q || last_q;
    end else if (stop) begin
      ended_q <= 1'b1;
      fault_q.valid <= 1'b1;
      fault_q.code <= error_q ? vta_pkg::FaultBusError : vta_pkg::FaultIllegalInstruction;
      fault_q.number <= number_q;
    end
  end

  assign blocked_o = valid_q && !ended_q && !bad_q && !room;
  assign ended_o = ended_q;
  assign fault_o = fault_q;
  assign next_number_o = number_q;

  assign events_o.retired = dispatch;
  assign events_o.busy = dispatch;
  assign events_o.stall_token = 1'b0;
  assign events_o.stall_hazard = blocked_o;
  assign events_o.stall_memory = running_q && !ended_q && !dispatch && !blocked_o;

  logic unused;
  assign unused = &{1'b0, burst_last, burst_overflow, addr_free, group, elem_tag, elem_count, elem_only,
                    elem_row_end, rx_fault};

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      one_target : assert (!valid_q || (target_q != '0 && (target_q & (target_q - 1'b1)) == '0));
      last_is_known : assert (!running_q || ended_q || last_q == (left_q == 32'd1));
      a_fault_ends_it : assert (!fault_q.valid || ended_q);
    end
  end

endmodule
