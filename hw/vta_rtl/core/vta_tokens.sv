// One token queue: a counter from 0 to TokenDepth.
//
// A push shows in avail_o in the next cycle (docs/timing.md, "Tokens").
module vta_tokens (
  // Clock; synchronous reset; clear_i removes all tokens.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  // A token comes; a token goes, only with avail_o. Both may be in one cycle.
  input  logic push_i,
  input  logic pop_i,
  // There is a token at the beginning of the cycle.
  output logic avail_o,
  // The push of this cycle finds the queue full, and no pop makes room: a fault. The counter stays.
  output logic overflow_o
);

  logic room;

  assign overflow_o = push_i && !pop_i && !room;

  vta_in_flight #(
    .Max(vta_pkg::TokenDepth)
  ) u_count (
    .clk_i,
    .rst_ni,
    .clear_i,
    .begin_i(push_i && (pop_i || room)),
    .end_i(pop_i),
    .any_o(avail_o),
    .room_o(room)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      no_pop_when_empty : assert (!(pop_i && !avail_o));
    end
  end

endmodule
