// The receiving side of one requester of the read channel: takes every beat in the cycle in which it arrives and hands
// elements, one a cycle or all of a beat at once, to a consumer.
//
// A burst holds one of `Bursts` slots from its grant until its last beat leaves the FIFO, which therefore never
// overflows: RREADY needs no condition. Beats go to the group register: one element (wide: an element is one beat or
// more) or one beat (narrow: a beat holds several elements, of which all that belong to the row are shown). Cycles:
// docs/timing.md, "Read return".
module vta_read_rx #(
  // Bursts granted and not consumed.
  parameter int unsigned Bursts = 8,
  // Bits of the largest element.
  parameter int unsigned MaxElemBits = 64,
  // Some elements are smaller than a beat.
  parameter bit          HasNarrow = 1'b1,
  // Bits of what the requester wants to know about an element.
  parameter int unsigned TagWidth = 3,
  localparam int unsigned GroupBeats = MaxElemBits > vta_pkg::AxiDataWidth ? MaxElemBits / vta_pkg::AxiDataWidth : 1,
  localparam int unsigned GroupBits = GroupBeats * vta_pkg::AxiDataWidth
) (
  // Clock; synchronous reset; clear_i before a launch: what is here is dropped. A core that is halted looks at nothing
  // of this until then.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  // Requests: a slot is free; a burst was granted, with what is known about it.
  output logic                              slot_free_o,
  input  logic                              grant_i,
  input  logic [vta_pkg::AxiLogBytes-1:0]   first_off_i,
  input  logic [vta_pkg::AxiLogBytes-1:0]   last_off_i,
  input  logic                              row_end_i,   // it is the last of its row
  input  logic [4:0]                        log_elem_i,  // log2 bytes of an element
  input  logic [TagWidth-1:0]               tag_i,
  input  logic [vta_pkg::NumberWidth-1:0]   number_i,

  // Beats with this requester's id.
  input  vta_pkg::read_beat_t beat_i,

  // The elements that are there, the next one in the low bits of data_o. consume_i takes it, or all
  // with consume_all_i, if there are any.
  output logic                               valid_o,
  output logic [GroupBits-1:0]               data_o,
  output logic [vta_pkg::LaneCountWidth-1:0] count_o,
  output logic                               only_o,     // that is one
  output logic                               row_end_o,  // the last of them is the last of its row
  output logic [TagWidth-1:0]                tag_o,
  output logic                               error_o,  // a beat of the group came with an error
  input  logic                               consume_i,
  input  logic                               consume_all_i,

  // A beat with an error is popped in this cycle.
  output vta_pkg::fault_t fault_o,
  // A granted burst's last beat has not arrived.
  output logic            in_flight_o
);

  localparam int unsigned Beats = Bursts * vta_pkg::MaxBurstBeats;
  localparam int unsigned LogBytes = vta_pkg::AxiLogBytes;
  localparam int unsigned PartWidth = GroupBeats > 1 ? $clog2(GroupBeats) : 1;
  localparam int unsigned InfoWidth = 2 * LogBytes + 6 + PartWidth + TagWidth + vta_pkg::NumberWidth;

  // Burst slots and bursts on the way.
  logic burst_popped;
  logic any_slot, room_flying;

  vta_in_flight #(
    .Max(Bursts)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .clear_i,
    .begin_i(grant_i),
    .end_i(burst_popped),
    .any_o(any_slot),
    .room_o(slot_free_o)
  );
  vta_in_flight #(
    .Max(Bursts)
  ) u_flying (
    .clk_i,
    .rst_ni,
    .clear_i(1'b0),
    .begin_i(grant_i),
    .end_i(beat_i.valid && beat_i.last),
    .any_o(in_flight_o),
    .room_o(room_flying)
  );

  // Beats of an element, less one.
  logic [PartWidth-1:0] parts;

  always_comb begin
    parts = '0;
    for (int unsigned i = 0; i < PartWidth; i++) begin
      if (32'(log_elem_i) > LogBytes + i) parts[i] = GroupBeats > 1;
    end
  end

  // The FIFO of beats and the FIFO of what is known about their bursts.
  logic pop;
  logic beats_empty;
  logic beats_full;
  logic beat_error;
  logic last_beat;  // of its burst
  logic [vta_pkg::AxiDataWidth-1:0] beat;
  logic info_empty;
  logic info_full;
  logic [LogBytes-1:0] info_first_off;
  logic [LogBytes-1:0] info_last_off;
  logic info_row_end;
  logic [4:0] info_log_elem;
  logic [PartWidth-1:0] info_parts;
  logic [TagWidth-1:0] info_tag;
  logic [vta_pkg::NumberWidth-1:0] info_number;

  vta_fifo #(
    .Width(vta_pkg::AxiDataWidth + 2),
    .Depth(Beats)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(beat_i.valid),
    .data_i({beat_i.last, beat_i.error, beat_i.data}),
    .pop_i(pop),
    .head_o({last_beat, beat_error, beat}),
    .empty_o(beats_empty),
    .full_o(beats_full)
  );

  vta_fifo #(
    .Width(InfoWidth),
    .Depth(Bursts)
  ) u_info (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(grant_i),
    .data_i({first_off_i, last_off_i, row_end_i, log_elem_i, parts, tag_i, number_i}),
    .pop_i(burst_popped),
    .head_o({info_first_off, info_last_off, info_row_end, info_log_elem, info_parts, info_tag, info_number}),
    .empty_o(info_empty),
    .full_o(info_full)
  );

  // Collecting beats.
  logic first_q;                                // no beat of the burst has been popped
  logic [PartWidth-1:0] part_q;                 // beats of the group that are there, while it is not full
  logic full_q;
  logic error_q;
  logic group_done;
  logic consume_last;  // the consumer takes the last element of the group, if there is one
  logic consumed;      // and there is
  logic [vta_pkg::AxiDataWidth-1:0] group_q[GroupBeats];

  assign pop = !beats_empty && (!full_q || consume_last);
  assign consumed = full_q && consume_last;
  assign burst_popped = pop && last_beat;
  assign group_done = pop && part_q == info_parts;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      first_q <= 1'b1;
      part_q <= '0;
      full_q <= 1'b0;
      error_q <= 1'b0;
    end else begin
      if (pop) begin
        first_q <= last_beat;
        part_q <= group_done ? '0 : part_q + 1'b1;
        error_q <= beat_error || (error_q && part_q != '0);
      end
      if (group_done) full_q <= 1'b1;
      else if (consumed) full_q <= 1'b0;
    end
    if (pop) group_q[part_q] <= beat;
  end

  assign fault_o.valid = pop && beat_error;
  assign fault_o.code = vta_pkg::FaultBusError;
  assign fault_o.number = info_number;

  // Showing elements.
  logic [TagWidth-1:0] tag_q;
  logic row_end_q;
  logic [vta_pkg::AxiDataWidth-1:0] low_beat;

  always_ff @(posedge clk_i) begin
    if (pop) begin
      tag_q <= info_tag;
      row_end_q <= last_beat && info_row_end;
    end
  end

  if (HasNarrow) begin : gen_narrow
    logic [LogBytes-1:0] off_q;                   // first byte of the element
    logic [LogBytes-1:0] step_q;                  // bytes of the element, 0 when it is a beat or more
    logic [vta_pkg::LaneCountWidth-1:0] count_q;  // elements that are there
    logic only_q;                                 // that is one
    logic [LogBytes-1:0] first;  // byte of the beat's elements
    logic [LogBytes-1:0] last;
    logic [LogBytes-1:0] steps;  // from the first to the last element, in elements
    logic [LogBytes-1:0] step;

    assign first = first_q ? info_first_off : '0;
    assign last = last_beat ? info_last_off : '1;

    always_comb begin
      steps = '0;
      step = '0;
      for (int unsigned i = 0; i < LogBytes; i++) begin
        if (info_log_elem == 5'(i)) begin
          steps = (last - first) >> i;
          step[i] = 1'b1;
        end
      end
    end

    assign consume_last = consume_i && (consume_all_i || only_q);
    assign count_o = count_q;
    assign only_o = only_q;
    assign low_beat = group_q[0] >> {off_q, 3'b000};

    always_ff @(posedge clk_i) begin
      if (pop) begin
        off_q <= first;
        step_q <= step;
        count_q <= vta_pkg::LaneCountWidth'(steps) + 1'b1;
        only_q <= steps == '0;
      end else if (consume_i && full_q) begin
        off_q <= off_q + step_q;
        count_q <= count_q - 1'b1;
        only_q <= count_q == vta_pkg::LaneCountWidth'(2);
      end
    end

    logic unused;
    assign unused = &{1'b0, info_log_elem};
  end else begin : gen_wide
    logic unused;
    assign unused = &{1'b0, info_first_off, info_last_off, info_log_elem, first_q, consume_all_i};
    assign consume_last = consume_i;
    assign count_o = vta_pkg::LaneCountWidth'(1);
    assign only_o = 1'b1;
    assign low_beat = group_q[0];
  end

  assign data_o[vta_pkg::AxiDataWidth-1:0] = low_beat;
  for (genvar i = 1; i < GroupBeats; i++) begin : gen_group
    assign data_o[i*vta_pkg::AxiDataWidth+:vta_pkg::AxiDataWidth] = group_q[i];
  end
  assign valid_o = full_q;
  assign tag_o = tag_q;
  assign row_end_o = row_end_q;
  assign error_o = error_q;

  logic unused;
  assign unused = &{1'b0, beats_full, info_full, any_slot, room_flying};

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      grant_only_with_slot : assert (!(grant_i && !slot_free_o));
      info_for_every_beat : assert (!(pop && info_empty));
      last_on_last_beat : assert (!(beat_i.valid && !in_flight_o));
    end
  end

endmodule
