// Two inputs times two weights each in one DSP block at twice the clock: the sums of two products for two outputs.
//
// Operands are registers of clk_i. Of these the DSP block takes the first input with its two weights in the first half
// of a cycle, the second input in the second half. (w1 * 2^16 + w0) * x has w0 * x in its low half and w1 * x above, less
// one where w0 * x is negative; the bias makes the low half positive, as in vta_gemm_dot. The sum in parentheses is
// there before the operands' registers, where w1 loses one if w0 is negative: an adder of the DSP block would take too
// much of half a cycle. Operands that are taken at the end of cycle 1 give sums from the middle of cycle 4 to the middle
// of cycle 5. All paths from and to registers of clk2x_i have half a cycle.
module vta_gemm_pump #(
  localparam int unsigned ProductWidth = vta_pkg::InpWidth + vta_pkg::WgtWidth
) (
  // Clock; a clock of twice its frequency that rises with it; odd_i is a register of clk_i that changes in each cycle.
  input  logic clk_i,
  input  logic clk2x_i,
  input  logic odd_i,

  // Operands are taken at the end of this cycle; the first in the low bits, of the weights first those of output 0.
  input  logic                             operand_en_i,
  input  logic [2*vta_pkg::InpWidth-1:0]   inp_i,
  input  logic [2*2*vta_pkg::WgtWidth-1:0] wgt_i,
  // The sums for the outputs 0 and 1.
  output logic [2*(ProductWidth+1)-1:0]    sums_o
);
  localparam int unsigned PairWidth = ProductWidth + vta_pkg::WgtWidth + 1;
  localparam int unsigned BothWidth = 2 * ProductWidth;
  localparam logic signed [BothWidth-1:0] Bias = BothWidth'(1) << (ProductWidth - 1);

  logic signed [vta_pkg::InpWidth-1:0] x_q [2];
  logic signed [vta_pkg::WgtWidth-1:0] low_weight_q [2];
  logic signed [vta_pkg::WgtWidth:0]   high_weight_q [2];
  for (genvar i = 0; i < 2; i++) begin : gen_operand
    logic signed [vta_pkg::WgtWidth-1:0] w0, w1;
    assign w0 = wgt_i[i*vta_pkg::WgtWidth+:vta_pkg::WgtWidth];
    assign w1 = wgt_i[(2+i)*vta_pkg::WgtWidth+:vta_pkg::WgtWidth];
    always_ff @(posedge clk_i) begin
      if (operand_en_i) begin
        x_q[i] <= inp_i[i*vta_pkg::InpWidth+:vta_pkg::InpWidth];
        low_weight_q[i] <= w0;
        high_weight_q[i] <= (vta_pkg::WgtWidth + 1)'(w1) - {{vta_pkg::WgtWidth{1'b0}}, w0[vta_pkg::WgtWidth-1]};
      end
    end
  end

  // Which half of a cycle it is. Every DSP block has its own register, because all bits of its operands depend on it.
  logic seen_q, second_q;
  always_ff @(posedge clk2x_i) begin
    seen_q <= odd_i;
    second_q <= odd_i != seen_q;
  end

  logic signed [vta_pkg::InpWidth-1:0] x, pumped_x_q;
  logic signed [vta_pkg::WgtWidth-1:0] low_weight;
  logic signed [vta_pkg::WgtWidth:0]   high_weight;
  logic signed [PairWidth-1:0]         pair_q;
  logic signed [BothWidth-1:0]         both_q, biased_q, first_q;
  assign x = second_q ? x_q[1] : x_q[0];
  assign low_weight = second_q ? low_weight_q[1] : low_weight_q[0];
  assign high_weight = second_q ? high_weight_q[1] : high_weight_q[0];
  always_ff @(posedge clk2x_i) begin
    pumped_x_q <= x;
    pair_q <= {high_weight, ProductWidth'(low_weight)};
    both_q <= BothWidth'(pair_q) * BothWidth'(pumped_x_q);
    biased_q <= both_q + Bias;
    first_q <= biased_q;
  end

  // The products of both inputs, the first of which has waited for the second.
  logic signed [ProductWidth-1:0] low [2];
  logic signed [ProductWidth-1:0] high [2];
  assign low[0] = {!first_q[ProductWidth-1], first_q[ProductWidth-2:0]};
  assign low[1] = {!biased_q[ProductWidth-1], biased_q[ProductWidth-2:0]};
  assign high[0] = first_q[BothWidth-1:ProductWidth];
  assign high[1] = biased_q[BothWidth-1:ProductWidth];
  logic signed [ProductWidth:0] sum0_q, sum1_q;
  always_ff @(posedge clk2x_i) begin
    if (!second_q) begin
      sum0_q <= (ProductWidth + 1)'(low[0]) + (ProductWidth + 1)'(low[1]);
      sum1_q <= (ProductWidth + 1)'(high[0]) + (ProductWidth + 1)'(high[1]);
    end
  end
  assign sums_o = {sum1_q, sum0_q};
endmodule
