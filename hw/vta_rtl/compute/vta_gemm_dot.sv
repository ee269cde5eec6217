// Dot products of one vector of operands with Lanes (1 or 2) vectors of weights, in three pipeline stages: products,
// sums of groups of eight, sum.
//
// Each stage moves with its enable; sum_o is the register of the last. With two lanes a pair of products comes from one
// multiplication: (w1 * 2^16 + w0) * x has w0 * x in its low half and w1 * x, less one where w0 * x is negative, above.
// The multiplication is 25 x 8 bits: one DSP48E1.
module vta_gemm_dot #(
  // Elements of a vector, a power of two.
  parameter int unsigned Size  = 16,
  // Vectors of weights: 2 packs two products into a multiplier.
  parameter int unsigned Lanes = 2
) (
  input  logic clk_i,
  // The stages take their inputs at the end of this cycle.
  input  logic product_en_i,
  input  logic group_en_i,
  input  logic sum_en_i,

  // Operands, and the sum of each lane, sign-extended; the first element and lane in the low bits.
  input  logic [Size*vta_pkg::InpWidth-1:0]       inp_i,
  input  logic [Lanes*Size*vta_pkg::WgtWidth-1:0] wgt_i,
  output logic [Lanes*vta_pkg::AccWidth-1:0]      sum_o
);
  localparam int unsigned GroupSize = Size < 8 ? Size : 8;
  localparam int unsigned Groups = Size / GroupSize;
  // With one lane all widths are AccWidth: simulators that compute on 32-bit words are fastest with that. Both forms
  // give the same sums.
  localparam bit          Exact = Lanes > 1;
  localparam int unsigned ProductWidth = Exact ? vta_pkg::InpWidth + vta_pkg::WgtWidth : vta_pkg::AccWidth;
  localparam int unsigned GroupWidth = Exact ? ProductWidth + $clog2(GroupSize) : vta_pkg::AccWidth;
  localparam int unsigned SumWidth = Exact ? ProductWidth + $clog2(Size) : vta_pkg::AccWidth;

  // All products: those of a lane are neighbours.
  logic signed [ProductWidth-1:0] product [Lanes*Size] /*verilator split_var*/;

  for (genvar i = 0; i < Size; i++) begin : gen_product
    logic signed [vta_pkg::InpWidth-1:0] x;
    logic signed [vta_pkg::WgtWidth-1:0] w0;
    assign x = inp_i[i*vta_pkg::InpWidth+:vta_pkg::InpWidth];
    assign w0 = wgt_i[i*vta_pkg::WgtWidth+:vta_pkg::WgtWidth];
    if (Lanes == 2) begin : gen_packed
      localparam int unsigned PairWidth = ProductWidth + vta_pkg::WgtWidth + 1;
      logic signed [vta_pkg::WgtWidth-1:0] w1;
      logic signed [PairWidth-1:0]         pair;
      logic signed [2*ProductWidth-1:0]    product_q;
      assign w1 = wgt_i[(Size+i)*vta_pkg::WgtWidth+:vta_pkg::WgtWidth];
      assign pair = (PairWidth'(w1) <<< ProductWidth) + PairWidth'(w0);
      always_ff @(posedge clk_i) begin
        if (product_en_i) product_q <= (2*ProductWidth)'(pair) * (2*ProductWidth)'(x);
      end
      assign product[i] = product_q[ProductWidth-1:0];
      assign product[Size+i] = product_q[2*ProductWidth-1:ProductWidth] + ProductWidth'(product_q[ProductWidth-1]);
    end else begin : gen_single
      logic [ProductWidth-1:0] product_q;
      always_ff @(posedge clk_i) begin
        // Modulo 2^ProductWidth it does not matter that the factors are unsigned once they are extended.
        if (product_en_i) product_q <= ProductWidth'($unsigned(ProductWidth'(x)) * $unsigned(ProductWidth'(w0)));
      end
      assign product[i] = $signed(product_q);
    end
  end

  // Trees of two-input adders: node 0 is the root, the children of n are 2n+1 and 2n+2.
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic signed [GroupWidth-1:0] group_q [Groups] /*verilator split_var*/;
    logic signed [SumWidth-1:0]   sum_node [2*Groups-1] /*verilator split_var*/;
    logic signed [SumWidth-1:0]   sum_q;

    for (genvar g = 0; g < Groups; g++) begin : gen_group
      logic signed [GroupWidth-1:0] node [2*GroupSize-1] /*verilator split_var*/;
      for (genvar n = 0; n < GroupSize - 1; n++) begin : gen_node
        assign node[n] = node[2*n+1] + node[2*n+2];
      end
      for (genvar i = 0; i < GroupSize; i++) begin : gen_leaf
        assign node[GroupSize-1+i] = GroupWidth'(product[l*Size+g*GroupSize+i]);
      end
      always_ff @(posedge clk_i) begin
        if (group_en_i) group_q[g] <= node[0];
      end
      assign sum_node[Groups-1+g] = SumWidth'(group_q[g]);
    end

    for (genvar n = 0; n < Groups - 1; n++) begin : gen_sum
      assign sum_node[n] = sum_node[2*n+1] + sum_node[2*n+2];
    end
    always_ff @(posedge clk_i) begin
      if (sum_en_i) sum_q <= sum_node[0];
    end
    assign sum_o[l*vta_pkg::AccWidth+:vta_pkg::AccWidth] = vta_pkg::AccWidth'(sum_q);
  end
endmodule
