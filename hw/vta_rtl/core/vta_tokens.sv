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

  localparam int unsigned Width = $clog2(vta_pkg::TokenDepth + 1);

  logic [Width-1:0] count_q;
  // What is asked of the counter, known before the cycle begins.
  logic avail_q;
  logic full_q;

  assign avail_o = avail_q;
  assign overflow_o = push_i && !pop_i && full_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      count_q <= '0;
      avail_q <= 1'b0;
      full_q <= 1'b0;
    end else if (push_i && !pop_i && !full_q) begin
      count_q <= count_q + 1'b1;
      avail_q <= 1'b1;
      full_q <= count_q == Width'(vta_pkg::TokenDepth - 1);
    end else if (pop_i && !push_i) begin
      count_q <= count_q - 1'b1;
      avail_q <= count_q != Width'(1);
      full_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      no_pop_when_empty : assert (!(pop_i && !avail_o));
      within_depth : assert (32'(count_q) <= vta_pkg::TokenDepth);
      flags_of_count : assert (avail_q == (count_q != '0) && full_q == (32'(count_q) == vta_pkg::TokenDepth));
    end
  end

endmodule
