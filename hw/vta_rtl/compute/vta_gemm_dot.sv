// Dot products of one vector of operands with Lanes (1 or 2) vectors of weights: operands, products, products with a
// bias, then Stages register stages of adders less the last, whose sum is combinational.
//
// Each stage moves with its enable. With two lanes a pair of products comes from one multiplication: (w1 * 2^16 + w0) *
// x has w0 * x in its low half and w1 * x above, less one where w0 * x is negative. The bias makes the low half
// positive, so nothing is borrowed; what it adds to w0 * x turns the sign bit over. All of that, 25 x 8 bits with an
// adder before and one behind it, is one DSP48E1.
module vta_gemm_dot #(
  // Elements of a vector, a power of two.
  parameter int unsigned Size  = 16,
  // Vectors of weights: 2 packs two products into a multiplier.
  parameter int unsigned Lanes = 2,
  // Cycles in which adders work: the levels of their tree are spread over them.
  parameter int unsigned Stages = 2,
  // With one lane all widths are AccWidth: simulators that compute on 32-bit words are fastest with that. Both forms
  // give the same sums.
  localparam bit          Exact = Lanes > 1,
  localparam int unsigned SumWidth = Exact ? vta_pkg::InpWidth + vta_pkg::WgtWidth + $clog2(Size) : vta_pkg::AccWidth
) (
  input  logic clk_i,
  // The registers take their inputs at the end of this cycle: operands, products, products with the bias, sums (bit i
  // is that of stage i).
  input  logic              operand_en_i,
  input  logic              product_en_i,
  input  logic              bias_en_i,
  input  logic [Stages-1:0] sum_en_i,

  // Operands, and the sum of each lane; the first element and lane in the low bits.
  input  logic [Size*vta_pkg::InpWidth-1:0]       inp_i,
  input  logic [Lanes*Size*vta_pkg::WgtWidth-1:0] wgt_i,
  output logic [Lanes*SumWidth-1:0]               sum_o
);
  localparam int unsigned ProductWidth = Exact ? vta_pkg::InpWidth + vta_pkg::WgtWidth : vta_pkg::AccWidth;
  localparam int unsigned Levels = $clog2(Size);

  // All products: those of a lane are neighbours.
  logic signed [ProductWidth-1:0] product [Lanes*Size] /*verilator split_var*/;

  for (genvar i = 0; i < Size; i++) begin : gen_product
    logic signed [vta_pkg::InpWidth-1:0] x;
    logic signed [vta_pkg::WgtWidth-1:0] w0;
    assign x = inp_i[i*vta_pkg::InpWidth+:vta_pkg::InpWidth];
    assign w0 = wgt_i[i*vta_pkg::WgtWidth+:vta_pkg::WgtWidth];
    if (Lanes == 2) begin : gen_packed
      localparam int unsigned PairWidth = ProductWidth + vta_pkg::WgtWidth + 1;
      localparam int unsigned BothWidth = 2 * ProductWidth;
      localparam logic signed [BothWidth-1:0] Bias = BothWidth'(1) << (ProductWidth - 1);
      logic signed [vta_pkg::WgtWidth-1:0] w1;
      logic signed [vta_pkg::InpWidth-1:0] x_q;
      logic signed [PairWidth-1:0]         pair_q;
      logic signed [BothWidth-1:0]         both_q, biased_q;
      assign w1 = wgt_i[(Size+i)*vta_pkg::WgtWidth+:vta_pkg::WgtWidth];
      always_ff @(posedge clk_i) begin
        if (operand_en_i) begin
          x_q <= x;
          pair_q <= (PairWidth'(w1) <<< ProductWidth) + PairWidth'(w0);
        end
        if (product_en_i) both_q <= BothWidth'(pair_q) * BothWidth'(x_q);
        if (bias_en_i) biased_q <= both_q + Bias;
      end
      assign product[i] = {!biased_q[ProductWidth-1], biased_q[ProductWidth-2:0]};
      assign product[Size+i] = biased_q[BothWidth-1:ProductWidth];
    end else begin : gen_single
      logic signed [vta_pkg::InpWidth-1:0] x_q;
      logic signed [vta_pkg::WgtWidth-1:0] w0_q;
      logic [ProductWidth-1:0]             product_q, late_q;
      always_ff @(posedge clk_i) begin
        if (operand_en_i) begin
          x_q <= x;
          w0_q <= w0;
        end
        // Modulo 2^ProductWidth it does not matter that the factors are unsigned once they are extended.
        if (product_en_i) product_q <= ProductWidth'($unsigned(ProductWidth'(x_q)) * $unsigned(ProductWidth'(w0_q)));
        if (bias_en_i) late_q <= product_q;
      end
      assign product[i] = $signed(late_q);
    end
  end

  // value[s * Size + i]: what stage s adds. It makes the levels from First to Last of the tree, the early stages the
  // more of them; each of its sums is a small tree, of which node 0 is the root and 2n+1 and 2n+2 the children of n.
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic signed [SumWidth-1:0] value [(Stages+1)*Size] /*verilator split_var*/;

    for (genvar i = 0; i < Size; i++) begin : gen_leaf
      assign value[i] = SumWidth'(product[l*Size+i]);
    end
    for (genvar s = 0; s < Stages; s++) begin : gen_stage
      localparam int unsigned First = (s * Levels + Stages - 1) / Stages;
      localparam int unsigned Last = ((s + 1) * Levels + Stages - 1) / Stages;
      localparam int unsigned Terms = 1 << (Last - First);
      localparam int unsigned InWidth = Exact ? ProductWidth + First : SumWidth;
      localparam int unsigned OutWidth = Exact ? ProductWidth + Last : SumWidth;

      for (genvar g = 0; g < Size >> Last; g++) begin : gen_sum
        logic signed [OutWidth-1:0] node [2*Terms-1] /*verilator split_var*/;
        for (genvar n = 0; n < Terms - 1; n++) begin : gen_node
          assign node[n] = node[2*n+1] + node[2*n+2];
        end
        for (genvar i = 0; i < Terms; i++) begin : gen_term
          assign node[Terms-1+i] = OutWidth'($signed(value[s*Size+g*Terms+i][InWidth-1:0]));
        end
        if (s == Stages - 1) begin : gen_last
          assign value[(s+1)*Size+g] = SumWidth'(node[0]);
        end else begin : gen_register
          logic signed [OutWidth-1:0] sum_q;
          always_ff @(posedge clk_i) begin
            if (sum_en_i[s]) sum_q <= node[0];
          end
          assign value[(s+1)*Size+g] = SumWidth'(sum_q);
        end
      end
    end
    assign sum_o[l*SumWidth+:SumWidth] = value[Stages*Size];
  end

  logic unused;
  assign unused = &{1'b0, sum_en_i};
endmodule
