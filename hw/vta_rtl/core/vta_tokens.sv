// One token queue: a counter. A push shows in avail_o in the next cycle. A push into a full queue that is not popped in
// the same cycle is an overflow.
module vta_tokens (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic push_i,
  input  logic pop_i,
  output logic avail_o,
  output logic overflow_o
);

  localparam int unsigned Width = $clog2(vta_pkg::TokenDepth + 1);

  logic [Width-1:0] count_q;

  assign avail_o = count_q != '0;
  assign overflow_o = push_i && !pop_i && count_q == Width'(vta_pkg::TokenDepth);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) count_q <= '0;
    else if (push_i && !pop_i && !overflow_o) count_q <= count_q + 1'b1;
    else if (pop_i && !push_i) count_q <= count_q - 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      no_pop_when_empty : assert (!(pop_i && !avail_o));
      within_depth : assert (32'(count_q) <= vta_pkg::TokenDepth);
    end
  end

endmodule
