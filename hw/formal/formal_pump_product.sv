// The multiplier of vta_gemm_pump, with all operands that there are in either half of a cycle, each with another one in
// the other half: what the DSP block multiplies is both products of an input, and the sums are those of both inputs. A
// simulation that drives itself. formal_pump_sums has all pairs of products.
module formal_pump_product;
  localparam int unsigned InpWidth = vta_pkg::InpWidth;
  localparam int unsigned WgtWidth = vta_pkg::WgtWidth;
  localparam int unsigned ProductWidth = InpWidth + WgtWidth;
  localparam int unsigned BothWidth = 2 * ProductWidth;
  localparam int unsigned Bits = InpWidth + 2 * WgtWidth;  // of an input and its weights
  localparam int unsigned Cycles = 3;                      // from the operands to their sums

  // Both clocks rise together. The second half of a cycle is told between the edges.
  logic clk = 1'b0;
  logic clk2x = 1'b0;
  logic second = 1'b0;
  always begin
    #1 clk = 1'b1;
    clk2x = 1'b1;
    #1 clk2x = 1'b0;
    second = 1'b0;
    #1 clk = 1'b0;
    clk2x = 1'b1;
    #1 clk2x = 1'b0;
    second = 1'b1;
  end

  logic odd_q = 1'b0;
  logic [Bits:0] count_q = '0;
  logic [Bits-1:0] other;  // the operands of the second half: all of them, too
  logic [2*Bits-1:0] past_q [Cycles];
  logic [Cycles:0] valid_q = '0;  // bit i: operands came i + 1 cycles ago
  logic [2*(ProductWidth+1)-1:0] sums;
  assign other = {count_q[0+:Bits-5], count_q[Bits-5+:5]} ^ Bits'(29);

  vta_gemm_pump #(
    .IsExact(1'b0)
  ) dut (
    .clk_i(clk),
    .clk2x_i(clk2x),
    .odd_i(odd_q),
    .operand_en_i(1'b1),
    .depthwise_i(1'b0),
    .row_i({other[InpWidth-1:0], count_q[InpWidth-1:0]}),
    .zero_i(2'b00),
    .taps_i('0),
    .wgt_i({other[InpWidth+WgtWidth+:WgtWidth], count_q[InpWidth+WgtWidth+:WgtWidth],
            other[InpWidth+:WgtWidth], count_q[InpWidth+:WgtWidth]}),
    .sums_o(sums)
  );

  logic over;
  assign over = count_q[Bits] && count_q[Cycles:0] == '1;

  always_ff @(posedge clk) begin
    odd_q <= !odd_q;
    count_q <= count_q + 1'b1;
    past_q[0] <= {other, count_q[Bits-1:0]};
    for (int unsigned i = 1; i < Cycles; i++) past_q[i] <= past_q[i-1];
    valid_q <= {valid_q[Cycles-1:0], 1'b1};
    if (over) $finish;
  end

  function automatic logic signed [BothWidth-1:0] product_of(logic [Bits-1:0] operands, int unsigned weight);
    product_of = BothWidth'($signed(operands[InpWidth-1:0])) *
                 BothWidth'($signed(operands[InpWidth+weight*WgtWidth+:WgtWidth]));
  endfunction

  // What is multiplied, and its result a cycle of the fast clock later.
  logic signed [BothWidth-1:0] wanted, wanted_q, both_q;
  logic [Bits-1:0] operands;
  assign operands = second ? past_q[0][2*Bits-1:Bits] : past_q[0][Bits-1:0];
  assign wanted = (product_of(operands, 1) <<< ProductWidth) + product_of(operands, 0);
  always_ff @(posedge clk2x) begin
    wanted_q <= wanted;
    both_q <= wanted_q;
    products : assert (!valid_q[2] || dut.both_q == both_q);
  end

  for (genvar w = 0; w < 2; w++) begin : gen_output
    logic signed [ProductWidth:0] sum;
    logic seen_q = 1'b0;  // the largest product
    assign sum = sums[w*(ProductWidth+1)+:ProductWidth+1];
    always_ff @(posedge clk) begin
      if (product_of(past_q[0][Bits-1:0], w) == BothWidth'(1) << (ProductWidth - 2)) seen_q <= 1'b1;
      largest_is_seen : assert (!over || seen_q);
      sum_of_both : assert (!valid_q[Cycles-1] ||
          BothWidth'(sum) == product_of(past_q[Cycles-1][Bits-1:0], w) +
                             product_of(past_q[Cycles-1][2*Bits-1:Bits], w) - BothWidth'(w == 0));
    end
  end
endmodule
