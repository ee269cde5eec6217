// A token queue against a count of its own: no token is lost or invented, never more than TokenDepth are there.
module formal_tokens (
  input logic clk_i,
  input logic clear_i,
  input logic push_i,
  input logic pop_i
);
  localparam int unsigned Width = $clog2(vta_pkg::TokenDepth + 1);

  logic rst_n_q = 1'b0;
  logic avail;
  logic overflow;
  (* hierconn *) wire [Width-1:0] \dut.u_count.count ;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_tokens dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i,
    .push_i,
    .pop_i,
    .avail_o(avail),
    .overflow_o(overflow)
  );

  // Pushes that were accepted less pops, in a counter that would show a depth exceeded.
  logic [7:0] tokens_q = '0;

  always_ff @(posedge clk_i) begin
    if (!rst_n_q || clear_i) tokens_q <= '0;
    else tokens_q <= tokens_q + 8'(push_i && !overflow) - 8'(pop_i);
  end

  always_comb begin
    assume (!pop_i || avail);
    if (rst_n_q) begin
      assert (avail == (tokens_q != '0));
      assert (32'(tokens_q) <= vta_pkg::TokenDepth);
      assert (overflow == (push_i && !pop_i && 32'(tokens_q) == vta_pkg::TokenDepth));
      assert (tokens_q == 8'(\dut.u_count.count ));  // for the induction
      cover (32'(tokens_q) == vta_pkg::TokenDepth && push_i && pop_i);
      cover (overflow);
    end
  end
endmodule
