// Products of one input with the weights of the outputs that share it, all there are: those of vta_gemm_dot with the
// multipliers of the package equal the language's. A simulation that drives itself; it takes 2^(bits of all operands)
// cycles.
module formal_product;
  localparam int unsigned Lanes = vta_pkg::GemmLanes;
  localparam int unsigned InpWidth = vta_pkg::InpWidth;
  localparam int unsigned WgtWidth = vta_pkg::WgtWidth;
  localparam int unsigned SumWidth = vta_pkg::GemmSumWidth;
  localparam int unsigned Bits = InpWidth + Lanes * WgtWidth;
  localparam int unsigned Cycles = 4;  // from the operands to the sum of the last stage

  logic clk = 1'b0;
  always #1 clk = !clk;

  // The operands of this cycle and of those before.
  logic [Bits:0] count_q = '0;
  logic [Bits-1:0] past_q [Cycles];
  logic [Cycles:0] valid_q = '0;  // bit i: operands came i cycles ago
  logic [Lanes*SumWidth-1:0] sum;

  vta_gemm_dot #(
    .Size(1),
    .Lanes(Lanes),
    .Stages(2)
  ) dut (
    .clk_i(clk),
    .clk2x_i(1'b0),
    .odd_i(1'b0),
    .operand_en_i(1'b1),
    .product_en_i(1'b1),
    .bias_en_i(1'b1),
    .sum_en_i(2'b11),
    .depthwise_i(1'b0),
    .row_i(count_q[InpWidth-1:0]),
    .zero_i(1'b0),
    .taps_i('0),
    .wgt_i(count_q[Bits-1:InpWidth]),
    .sum_o(sum)
  );

  logic over;
  assign over = count_q[Bits] && count_q[Cycles-1:0] == '1;

  always_ff @(posedge clk) begin
    count_q <= count_q + 1'b1;
    past_q[0] <= count_q[Bits-1:0];
    for (int unsigned i = 1; i < Cycles; i++) past_q[i] <= past_q[i-1];
    valid_q <= {valid_q[Cycles-1:0], 1'b1};
    if (over) $finish;
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic signed [InpWidth-1:0] x;
    logic signed [WgtWidth-1:0] w;
    logic signed [SumWidth-1:0] product;
    logic seen_q = 1'b0;  // the largest product, of the two least operands
    assign x = past_q[Cycles-1][InpWidth-1:0];
    assign w = past_q[Cycles-1][InpWidth+l*WgtWidth+:WgtWidth];
    assign product = SumWidth'(x) * SumWidth'(w);
    always_ff @(posedge clk) begin
      equal : assert (!valid_q[Cycles-1] || $signed(sum[l*SumWidth+:SumWidth]) == product);
      if (valid_q[Cycles-1] && product == SumWidth'(1) << (InpWidth + WgtWidth - 2)) seen_q <= 1'b1;
      largest_is_seen : assert (!over || seen_q);
    end
  end
endmodule
