// The adders of vta_gemm_pump behind its multiplier, which is cut away: what it gives is any two products in one number,
// as formal_pump_product has them, the first in the first half of a cycle and the second in the second half. The sums of
// both are those of the outputs, the first less one unless IsExact.
module formal_pump_sums (
  // What is multiplied in this half of a cycle: the products for the outputs 1 and 0.
  input logic signed [vta_pkg::InpWidth+vta_pkg::WgtWidth-1:0] high_i,
  input logic signed [vta_pkg::InpWidth+vta_pkg::WgtWidth-1:0] low_i
);
  localparam int unsigned ProductWidth = vta_pkg::InpWidth + vta_pkg::WgtWidth;
  localparam int unsigned BothWidth = 2 * ProductWidth;
  localparam logic signed [ProductWidth-1:0] Most = ProductWidth'(1) << (ProductWidth - 2);

  (* hierconn *) wire signed [BothWidth-1:0] \dut.both_q ;
  (* hierconn *) wire signed [BothWidth-1:0] \exact.both_q ;

  // A step of the proof is a half of a cycle of clk2x: both clocks rise together in the first step.
  (* gclk *) logic step;
  logic [1:0] phase_q = '0;
  logic clk, clk2x;
  always_ff @(posedge step) phase_q <= phase_q + 1'b1;
  assign clk = !phase_q[1];
  assign clk2x = !phase_q[0];

  logic odd_q = 1'b0;
  logic [2*(ProductWidth+1)-1:0] sums, exact_sums;
  always_ff @(posedge clk) odd_q <= !odd_q;

  vta_gemm_pump #(
    .IsExact(1'b0)
  ) dut (
    .clk_i(clk),
    .clk2x_i(clk2x),
    .odd_i(odd_q),
    .operand_en_i(1'b1),
    .depthwise_i(1'b0),
    .row_i('0),
    .zero_i(2'b00),
    .taps_i('0),
    .wgt_i('0),
    .sums_o(sums)
  );
  vta_gemm_pump #(
    .IsExact(1'b1)
  ) exact (
    .clk_i(clk),
    .clk2x_i(clk2x),
    .odd_i(odd_q),
    .operand_en_i(1'b1),
    .depthwise_i(1'b0),
    .row_i('0),
    .zero_i(2'b00),
    .taps_i('0),
    .wgt_i('0),
    .sums_o(exact_sums)
  );

  // The products of the first half, then the sums of both halves, then those in the cycle in which they are there.
  logic [4:0] cycles_q = 5'd1;  // one more bit each cycle, from the beginning on
  logic signed [ProductWidth-1:0] first_high_q, first_low_q;
  logic signed [ProductWidth:0] high_sum_q, low_sum_q, high_q, low_q;
  logic valid_q = 1'b0;
  logic ends;  // this edge of clk2x is the end of a cycle
  assign ends = phase_q == 2'd3;

  always_ff @(posedge clk2x) begin
    if (ends) begin
      cycles_q <= {cycles_q[3:0], 1'b1};
      high_sum_q <= (ProductWidth + 1)'(first_high_q) + (ProductWidth + 1)'(high_i);
      low_sum_q <= (ProductWidth + 1)'(first_low_q) + (ProductWidth + 1)'(low_i);
    end else begin
      first_high_q <= high_i;
      first_low_q <= low_i;
      high_q <= high_sum_q;
      low_q <= low_sum_q;
      valid_q <= cycles_q[4];
    end
  end

  logic signed [ProductWidth:0] sum0, sum1, exact_sum0, exact_sum1;
  assign {sum1, sum0} = sums;
  assign {exact_sum1, exact_sum0} = exact_sums;

  always_comb begin
    assume (high_i <= Most && high_i > -Most && low_i <= Most && low_i > -Most);
    assume (\dut.both_q == \exact.both_q );
    assume (\dut.both_q == (BothWidth'(high_i) <<< ProductWidth) + BothWidth'(low_i));
    if (valid_q) begin
      assert (sum1 == high_q && exact_sum1 == high_q);
      assert (sum0 == low_q - 1'b1 && exact_sum0 == low_q);
      cover (high_q == -17'sd32000 && low_q == 17'sd32768);
    end
  end
endmodule
