// A read DMA: executes LOAD transfers in order.
//
// Addresses run ahead of data: the next transfer's bursts are requested while this one's elements are written. At most
// DmaInFlight transfers are started and not retired. Throughput: one burst a cycle requested, one beat or padding
// element a cycle written (docs/timing.md, "Read DMA").
module vta_read_dma #(
  // Bits of the largest element.
  parameter int unsigned MaxElemBits = 64,
  // Some elements are smaller than a beat.
  parameter bit          HasNarrow = 1'b1,
  // It moves elements of OUT to INP, too.
  parameter bit          HasHandover = 1'b0,
  localparam int unsigned GroupBits = MaxElemBits > vta_pkg::AxiDataWidth ? MaxElemBits : vta_pkg::AxiDataWidth
) (
  // Clock; synchronous reset; clear_i before a launch; halt_i: start, request and write nothing.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic halt_i,

  // Transfers. A transfer starts in a cycle with cmd_valid_i and cmd_ready_o. If it does not fit the scratchpad it is
  // reported by fault_o in that cycle and does not start.
  input  logic                             cmd_valid_i,
  output logic                             cmd_ready_o,
  input  vta_pkg::mem_cmd_t                cmd_i,
  input  logic [vta_pkg::AxiAddrWidth-1:0] base_i,       // base register of cmd_i's memory
  input  logic [4:0]                       log_elem_i,   // log2 bytes of its element
  output logic                             start_o,      // it starts
  output vta_pkg::fault_t                  fault_o,

  // Read channel: the burst offered and its grant; the beats that come for it; whether a granted burst has not ended.
  output vta_pkg::burst_t     burst_o,
  input  logic                grant_i,
  input  vta_pkg::read_beat_t beat_i,
  output logic                bus_busy_o,

  // Read of OUT for hand-overs: data one cycle after the enable, held until the next enable.
  output logic                            out_re_o,
  output logic [vta_pkg::OutLogDepth-1:0] out_raddr_o,
  input  logic [vta_pkg::OutElemBits-1:0] out_rdata_i,

  // The operation of this cycle; its elements, the first in the low bits; whether they are those of OUT.
  output vta_pkg::dma_op_t                   op_o,
  output logic [GroupBits-1:0]               data_o,
  output logic                               on_chip_o,
  // The oldest transfer that has not retired does so: in the cycle of its end, or later.
  input  logic                               retire_i,
  // A transfer was started and has not retired.
  output logic                               in_flight_o
);

  logic room;  // fewer than DmaInFlight are in flight
  logic addr_free;
  logic start;

  assign cmd_ready_o = addr_free && room && !halt_i;
  assign start = cmd_valid_i && cmd_ready_o && !cmd_i.past_end;
  assign start_o = start;

  vta_in_flight #(
    .Max(vta_pkg::DmaInFlight)
  ) u_in_flight (
    .clk_i,
    .rst_ni,
    .clear_i,
    .begin_i(start),
    .end_i(retire_i),
    .any_o(in_flight_o),
    .room_o(room)
  );

  // Hand-overs have no addresses.
  logic is_handover;
  assign is_handover = HasHandover && cmd_i.memory_type == vta_pkg::MemTypeInpFromOut;

  // Addresses.
  logic burst_valid;
  logic burst_overflow;
  logic burst_last;
  logic slot_free;
  logic [vta_pkg::AxiLogBytes-1:0] first_off;
  logic [vta_pkg::AxiLogBytes-1:0] last_off;
  logic row_end;
  logic [4:0] log_elem_q;
  vta_pkg::mem_type_e type_q;
  logic [vta_pkg::NumberWidth-1:0] number_q;

  vta_burst_gen #(
    .BytesWidth(33)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .clear_i,
    .start_i(start && cmd_i.has_data && !is_handover),
    .addr_i(vta_pkg::SumAddrWidth'(base_i) + (vta_pkg::SumAddrWidth'(cmd_i.dram_base) << log_elem_i)),
    .row_bytes_i(33'(cmd_i.x_size) << log_elem_i),
    .rows_i(cmd_i.y_size),
    .stride_bytes_i(34'(cmd_i.x_stride) << log_elem_i),
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

  always_ff @(posedge clk_i) begin
    if (addr_free) begin  // whether it starts or not
      log_elem_q <= log_elem_i;
      type_q <= cmd_i.memory_type;
      number_q <= cmd_i.number;
    end
  end

  assign burst_o.valid = burst_valid && slot_free;  // the arbiter withholds the grant from a halted unit

  // Data: of the read channel, or of OUT.
  logic elem_valid, read_valid, out_valid;
  logic elem_only, read_only;
  logic elem_row_end, read_row_end, out_row_end;
  logic elem_consume;
  logic [GroupBits-1:0] read_data;
  logic [vta_pkg::LaneCountWidth-1:0] read_count;
  logic [2:0] elem_type;
  logic elem_error;
  logic elem_consume_all;
  logic [vta_pkg::LaneCountWidth-1:0] elem_count;
  vta_pkg::fault_t rx_fault;

  vta_read_rx #(
    .Bursts(vta_pkg::OutstandingBursts),
    .MaxElemBits(MaxElemBits),
    .HasNarrow(HasNarrow),
    .TagWidth(3)
  ) u_rx (
    .clk_i,
    .rst_ni,
    .clear_i,
    .slot_free_o(slot_free),
    .grant_i,
    .first_off_i(first_off),
    .last_off_i(last_off),
    .row_end_i(row_end),
    .log_elem_i(log_elem_q),
    .tag_i(type_q),
    .number_i(number_q),
    .beat_i,
    .valid_o(read_valid),
    .data_o(read_data),
    .count_o(read_count),
    .only_o(read_only),
    .row_end_o(read_row_end),
    .tag_o(elem_type),
    .error_o(elem_error),
    .consume_i(elem_consume && !on_chip_o),
    .consume_all_i(elem_consume_all),
    .fault_o(rx_fault),
    .in_flight_o(bus_busy_o)
  );

  if (HasHandover) begin : gen_handover
    logic empty;
    logic full;
    logic pop;
    vta_pkg::mem_cmd_t head;
    logic [vta_pkg::InpElemBits-1:0] out_data;

    vta_fifo #(
      .Width($bits(cmd_i)),
      .Depth(vta_pkg::DmaInFlight)
    ) u_cmds (
      .clk_i,
      .rst_ni,
      .clear_i,
      .push_i(start && cmd_i.has_data && is_handover),
      .data_i(cmd_i),
      .pop_i(pop),
      .head_o(head),
      .empty_o(empty),
      .full_o(full)
    );

    vta_handover u_handover (
      .clk_i,
      .rst_ni,
      .clear_i,
      .cmd_valid_i(!empty),
      .cmd_i(head),
      .cmd_pop_o(pop),
      .out_re_o,
      .out_raddr_o,
      .out_rdata_i,
      .valid_o(out_valid),
      .data_o(out_data),
      .row_end_o(out_row_end),
      .consume_i(elem_consume && on_chip_o)
    );

    assign elem_valid = on_chip_o ? out_valid : read_valid;
    assign elem_only = on_chip_o || read_only;
    assign elem_row_end = on_chip_o ? out_row_end : read_row_end;
    assign elem_count = on_chip_o ? vta_pkg::LaneCountWidth'(1) : read_count;
    assign data_o = on_chip_o ? GroupBits'(out_data) : read_data;

    logic unused_full;
    assign unused_full = full;
  end else begin : gen_reads_only
    assign out_re_o = 1'b0;
    assign out_raddr_o = '0;
    assign out_valid = 1'b0;
    assign out_row_end = 1'b0;
    assign elem_valid = read_valid;
    assign elem_only = read_only;
    assign elem_row_end = read_row_end;
    assign elem_count = read_count;
    assign data_o = read_data;

    logic unused_out;
    assign unused_out = &{1'b0, out_rdata_i, out_valid, out_row_end};
  end

  logic cmd_empty;
  logic cmd_full;
  logic cmd_pop;
  vta_pkg::mem_cmd_t cmd_head;

  vta_fifo #(
    .Width($bits(cmd_i)),
    .Depth(vta_pkg::DmaInFlight)
  ) u_cmds (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(start),
    .data_i(cmd_i),
    .pop_i(cmd_pop),
    .head_o(cmd_head),
    .empty_o(cmd_empty),
    .full_o(cmd_full)
  );

  vta_dma_writer u_writer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .halt_i,
    .cmd_valid_i(!cmd_empty),
    .cmd_i(cmd_head),
    .cmd_pop_o(cmd_pop),
    .elem_valid_i(elem_valid),
    .elem_only_i(elem_only),
    .elem_row_end_i(elem_row_end),
    .elem_count_i(elem_count),
    .elem_consume_o(elem_consume),
    .elem_consume_all_o(elem_consume_all),
    .op_o,
    .on_chip_o
  );

  // The older instruction first: the data side works on older transfers than the address side.
  always_comb begin
    fault_o = rx_fault;
    fault_o.valid = rx_fault.valid && !halt_i;
    if (!fault_o.valid && burst_overflow) begin
      fault_o.valid = !halt_i;
      fault_o.code = vta_pkg::FaultBusError;
      fault_o.number = number_q;
    end
    if (!fault_o.valid && cmd_valid_i && cmd_ready_o && cmd_i.past_end) begin
      fault_o.valid = 1'b1;
      fault_o.code = vta_pkg::FaultSramBounds;
      fault_o.number = cmd_i.number;
    end
  end

  logic unused;
  assign unused = &{1'b0, burst_last, cmd_full, elem_error};

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      element_of_its_transfer : assert (!(elem_consume && op_o.valid) || on_chip_o || elem_type == op_o.memory_type);
    end
  end

endmodule
