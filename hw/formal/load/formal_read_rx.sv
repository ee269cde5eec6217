// The receiving side of a requester: every beat finds room, beats leave in order with their data, and a burst is on the
// way from its grant to its last beat.
module formal_read_rx (
  input logic                              clk_i,
  input logic                              grant_i,
  input logic [vta_pkg::BurstLenWidth-1:0] beats_i,
  input logic                              rvalid_i,
  input logic [vta_pkg::AxiDataWidth-1:0]  rdata_i,
  input logic                              rerror_i,
  input logic                              consume_i,
  input logic                              mark_i  // follow the beat that arrives now
);
  localparam int unsigned LenWidth = vta_pkg::BurstLenWidth;

  logic rst_n_q = 1'b0;
  logic slot_free;
  logic valid;
  logic in_flight;
  logic error;
  logic [vta_pkg::AxiDataWidth-1:0] data;
  vta_pkg::fault_t fault;
  logic rlast;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_read_rx #(
    .Bursts(2),
    .MaxElemBits(vta_pkg::AxiDataWidth),
    .HasNarrow(1'b0),
    .TagWidth(1)
  ) dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i(1'b0),
    .slot_free_o(slot_free),
    .grant_i,
    .first_off_i('0),
    .last_off_i('1),
    .row_end_i(1'b0),
    .log_elem_i(5'(vta_pkg::AxiLogBytes)),
    .tag_i(1'b0),
    .number_i('0),
    .beat_i({rvalid_i, rerror_i, rlast, rdata_i}),
    .valid_o(valid),
    .data_o(data),
    .count_o(),
    .only_o(),
    .row_end_o(),
    .tag_o(),
    .error_o(error),
    .consume_i,
    .consume_all_i(1'b0),
    .fault_o(fault),
    .in_flight_o(in_flight)
  );

  // The memory: bursts granted and not answered, the oldest first.
  logic [1:0] count_q = '0;
  logic [LenWidth-1:0] first_q = '0;
  logic [LenWidth-1:0] second_q = '0;
  logic [LenWidth-1:0] sent_q = '0;
  logic [1:0] left;

  assign rlast = sent_q == first_q - 1'b1;
  assign left = count_q - 2'(rvalid_i && rlast);

  // The followed beat and the beats before it that were not consumed.
  logic followed_q = 1'b0;
  logic [3:0] inside_q = '0;
  logic [3:0] ahead_q = '0;
  logic error_q = 1'b0;
  logic [vta_pkg::AxiDataWidth-1:0] value_q = '0;

  always_ff @(posedge clk_i) begin
    if (!rst_n_q) begin
      count_q <= '0;
      sent_q <= '0;
    end else begin
      count_q <= left + 2'(grant_i);
      if (rvalid_i) sent_q <= rlast ? '0 : sent_q + 1'b1;
      if (rvalid_i && rlast) first_q <= second_q;
      if (grant_i && left == '0) first_q <= beats_i;
      if (grant_i && left != '0) second_q <= beats_i;
      inside_q <= inside_q + 4'(rvalid_i) - 4'(consume_i);
      if (followed_q) begin
        if (consume_i) begin
          followed_q <= ahead_q != '0;
          ahead_q <= ahead_q - 1'b1;
        end
      end else if (rvalid_i && mark_i) begin
        followed_q <= 1'b1;
        ahead_q <= inside_q - 4'(consume_i);
        value_q <= rdata_i;
        error_q <= rerror_i;
      end
    end
  end

  always_comb begin
    assume (!grant_i || (rst_n_q && slot_free));
    assume (beats_i != '0 && 32'(beats_i) <= vta_pkg::MaxBurstBeats);
    assume (!rvalid_i || count_q != '0);
    assume (!consume_i || valid);
    if (rst_n_q) begin
      assert (in_flight == (count_q != '0));
      if (followed_q && ahead_q == '0 && valid) assert (data == value_q && error == error_q);
      if (valid) assert (inside_q != '0);
      assert (inside_q <= 4'(2 * vta_pkg::MaxBurstBeats + 1));
      cover (inside_q == 4'(2 * vta_pkg::MaxBurstBeats + 1));
    end
  end
endmodule
