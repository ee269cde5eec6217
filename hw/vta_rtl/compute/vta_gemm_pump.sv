// Two inputs times two weights each in one DSP block at twice the clock: the sums of two products for two outputs.
//
// Operands are registers of clk_i. Of these the DSP block takes the first input with its two weights in the first half
// of a cycle, the second input in the second half, and adds the two results up. (w1 * 2^16 + w0) * x has w0 * x in its
// low half and w1 * x above, less one where w0 * x is negative; the bias makes the low half positive, as in
// vta_gemm_dot. Two products w0 * x are 2^15 at most and more than -2^15: with a bias of 2^15 - 1 their sum, which takes
// 17 bits, is in the low half's 16, less one. The weights' sum in parentheses is there before the operands' registers,
// where w1 loses one if w0 is negative: an adder of the DSP block would take too much of half a cycle. Operands that are
// taken at the end of cycle 1 give sums from the middle of cycle 4 to the middle of cycle 5. All paths from and to
// registers of clk2x_i have half a cycle.
module vta_gemm_pump #(
  // Whether the sum for output 0 is exact; else it is one less, which costs no adder here.
  parameter bit IsExact = 1'b1,
  localparam int unsigned ProductWidth = vta_pkg::InpWidth + vta_pkg::WgtWidth
) (
  // Clock; a clock of twice its frequency that rises with it; odd_i is a register of clk_i that changes in each cycle.
  input  logic clk_i,
  input  logic clk2x_i,
  input  logic odd_i,

  // Operands are taken at the end of this cycle; the first in the low bits, of the weights first those of output 0.
  input  logic                             operand_en_i,
  // With depthwise_i the inputs are taps, or zero.
  input  logic                             depthwise_i,
  input  logic [2*vta_pkg::InpWidth-1:0]   row_i,
  input  logic [1:0]                       zero_i,
  input  logic [2*vta_pkg::InpWidth-1:0]   taps_i,
  input  logic [2*2*vta_pkg::WgtWidth-1:0] wgt_i,
  // The sums for the outputs 0 and 1, of which the first may be one less.
  output logic [2*(ProductWidth+1)-1:0]    sums_o
);
  localparam int unsigned PairWidth = ProductWidth + vta_pkg::WgtWidth + 1;
  localparam int unsigned BothWidth = 2 * ProductWidth;
  localparam int unsigned TotalWidth = BothWidth + 1;
  localparam logic signed [TotalWidth-1:0] Bias = (TotalWidth'(1) << (ProductWidth - 1)) - TotalWidth'(1);

  logic signed [vta_pkg::InpWidth-1:0] x_q [2];
  logic signed [vta_pkg::WgtWidth-1:0] low_weight_q [2];
  logic signed [vta_pkg::WgtWidth:0]   high_weight_q [2];
  for (genvar i = 0; i < 2; i++) begin : gen_operand
    logic signed [vta_pkg::WgtWidth-1:0] w0, w1;
    assign w0 = wgt_i[i*vta_pkg::WgtWidth+:vta_pkg::WgtWidth];
    assign w1 = wgt_i[(2+i)*vta_pkg::WgtWidth+:vta_pkg::WgtWidth];
    always_ff @(posedge clk_i) begin
      if (operand_en_i) begin
        x_q[i] <= row_i[i*vta_pkg::InpWidth+:vta_pkg::InpWidth];
        low_weight_q[i] <= w0;
        high_weight_q[i] <= (vta_pkg::WgtWidth + 1)'(w1) - {{vta_pkg::WgtWidth{1'b0}}, w0[vta_pkg::WgtWidth-1]};
      end
    end
  end

  // Which half of a cycle it is. Every DSP block has its own registers, because all bits of its operands depend on them,
  // and one that nothing but its adder reads.
  logic seen_q, second_q, first_q, adds_first_q;
  always_ff @(posedge clk2x_i) begin
    seen_q <= odd_i;
    second_q <= odd_i != seen_q;
    first_q <= odd_i == seen_q;
    adds_first_q <= second_q;
  end

  // A register for taps of its own makes the choice between the four inputs one for each bit, behind the registers.
  logic signed [vta_pkg::InpWidth-1:0] chosen [2];
  if (vta_pkg::InpReadElems > 1) begin : gen_taps
    logic signed [vta_pkg::InpWidth-1:0] tap_q [2];
    logic                                depthwise_q;
    always_ff @(posedge clk_i) begin
      if (operand_en_i) depthwise_q <= depthwise_i;
      // The next operands' reset costs nothing: these are needed for one cycle only.
      for (int unsigned i = 0; i < 2; i++) begin
        if (zero_i[i]) tap_q[i] <= '0;
        else if (operand_en_i) tap_q[i] <= taps_i[i*vta_pkg::InpWidth+:vta_pkg::InpWidth];
      end
    end
    for (genvar i = 0; i < 2; i++) begin : gen_tap
      assign chosen[i] = depthwise_q ? tap_q[i] : x_q[i];
    end
  end else begin : gen_rows
    assign chosen[0] = x_q[0];
    assign chosen[1] = x_q[1];
    logic unused;
    assign unused = &{1'b0, depthwise_i, zero_i, taps_i};
  end

  logic signed [vta_pkg::InpWidth-1:0] x, pumped_x_q;
  logic signed [vta_pkg::WgtWidth-1:0] low_weight;
  logic signed [vta_pkg::WgtWidth:0]   high_weight;
  logic signed [PairWidth-1:0]         pair_q;
  logic signed [BothWidth-1:0]         both_q;
  logic signed [TotalWidth-1:0]        total_q;
  assign x = second_q ? chosen[1] : chosen[0];
  assign low_weight = second_q ? low_weight_q[1] : low_weight_q[0];
  assign high_weight = second_q ? high_weight_q[1] : high_weight_q[0];
  always_ff @(posedge clk2x_i) begin
    pumped_x_q <= x;
    pair_q <= {high_weight, ProductWidth'(low_weight)};
    both_q <= BothWidth'(pair_q) * BothWidth'(pumped_x_q);
    total_q <= TotalWidth'(both_q) + (adds_first_q ? Bias : total_q);
  end

  // The sum of both inputs' products is there in the first half of the next cycle only.
  logic signed [ProductWidth-1:0] low;
  logic signed [ProductWidth:0]   sum0_q, sum1_q;
  assign low = {!total_q[ProductWidth-1], total_q[ProductWidth-2:0]};
  always_ff @(posedge clk2x_i) begin
    if (first_q) begin
      sum0_q <= (ProductWidth + 1)'(low) + (ProductWidth + 1)'(IsExact);
      sum1_q <= total_q[TotalWidth-1:ProductWidth];
    end
  end
  assign sums_o = {sum1_q, sum0_q};
endmodule
