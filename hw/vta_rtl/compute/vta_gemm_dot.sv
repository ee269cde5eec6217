// Dot products of one vector of operands with Lanes (1 or 2) vectors of weights: operands, products, products with a
// bias, then Stages register stages of adders less the last, whose sum is combinational.
//
// Each stage moves with its enable. With two lanes a pair of products comes from one multiplication: (w1 * 2^16 + w0) *
// x has w0 * x in its low half and w1 * x above, less one where w0 * x is negative. The bias makes the low half
// positive, so nothing is borrowed; what it adds to w0 * x turns the sign bit over. All of that, 25 x 8 bits with an
// adder before and one behind it, is one DSP48E1. At twice the clock (vta_gemm_pump) such a block does two of these in a
// cycle, and adds them. What products are made of changes neither the sums nor their cycle.
module vta_gemm_dot #(
  // Elements of a vector, a power of two.
  parameter int unsigned Size  = 16,
  // Vectors of weights: 2 packs two products into a multiplier.
  parameter int unsigned Lanes = 2,
  // Cycles in which adders work: the levels of their tree are spread over them.
  parameter int unsigned Stages = 2,
  localparam int unsigned SumWidth = vta_pkg::GemmSumWidth
) (
  input  logic clk_i,
  // Twice the clock, and a register that changes in each cycle, for double-pumped multipliers.
  input  logic clk2x_i,
  input  logic odd_i,
  // The registers take their inputs at the end of this cycle: operands, products, products with the bias, sums (bit i
  // is that of stage i).
  input  logic              operand_en_i,
  input  logic              product_en_i,
  input  logic              bias_en_i,
  input  logic [Stages-1:0] sum_en_i,

  // Operands, and the sum of each lane; the first element and lane in the low bits. A depthwise GEMM multiplies taps
  // instead of the row, or zero.
  input  logic                                    depthwise_i,
  input  logic [Size*vta_pkg::InpWidth-1:0]       row_i,
  input  logic [Size-1:0]                         zero_i,
  input  logic [Size*vta_pkg::InpWidth-1:0]       taps_i,
  input  logic [Lanes*Size*vta_pkg::WgtWidth-1:0] wgt_i,
  output logic [Lanes*SumWidth-1:0]               sum_o
);
  localparam int unsigned ProductWidth = vta_pkg::InpWidth + vta_pkg::WgtWidth;
  localparam int unsigned Levels = $clog2(Size);
  localparam bit HasTaps = vta_pkg::InpReadElems > 1;
  localparam bit Pumped = Lanes == 2 && Size > 1 && vta_pkg::Multipliers == vta_pkg::MultipliersDoublePumped;
  localparam bit InLuts = Lanes == 1 && vta_pkg::Multipliers == vta_pkg::MultipliersLut;
  // Levels of the adders that are done before the first stage, and what is left to add then.
  localparam int unsigned DoneLevels = Pumped ? 1 : 0;
  localparam int unsigned Leaves = Size >> DoneLevels;
  localparam int unsigned LeafWidth = ProductWidth + DoneLevels;

  // A product without a multiplier, for which synthesis would take a DSP block. A row for each bit of the weight adds x
  // to what is left of the rows before without its lowest bit, which is one of the product.
  function automatic logic signed [ProductWidth-1:0] product_in_luts(logic signed [vta_pkg::InpWidth-1:0] x,
                                                                     logic signed [vta_pkg::WgtWidth-1:0] w);
    logic signed [vta_pkg::InpWidth:0] left, row;
    logic [vta_pkg::WgtWidth-2:0]      low;
    left = '0;
    low = '0;
    for (int unsigned i = 0; i < vta_pkg::WgtWidth; i++) begin
      row = w[i] ? (vta_pkg::InpWidth + 1)'(x) : '0;
      if (i < vta_pkg::WgtWidth - 1) begin
        left = (left >>> 1) + row;
        low[i] = left[0];
      end else begin
        left = (left >>> 1) - row;  // the sign
      end
    end
    product_in_luts = {left, low};
  endfunction

  // Double-pumped multipliers choose behind their registers, where each chooses anyway.
  logic [Size*vta_pkg::InpWidth-1:0] inp;
  for (genvar i = 0; i < Size; i++) begin : gen_input
    logic [vta_pkg::InpWidth-1:0] tap;
    assign tap = zero_i[i] ? '0 : taps_i[i*vta_pkg::InpWidth+:vta_pkg::InpWidth];
    assign inp[i*vta_pkg::InpWidth+:vta_pkg::InpWidth] =
        HasTaps && depthwise_i ? tap : row_i[i*vta_pkg::InpWidth+:vta_pkg::InpWidth];
  end

  // What the first stage adds: those of a lane are neighbours.
  logic signed [LeafWidth-1:0] leaf [Lanes*Leaves] /*verilator split_var*/;

  for (genvar i = 0; i < Leaves; i++) begin : gen_product
    if (Pumped) begin : gen_pumped
      logic [2*LeafWidth-1:0] sums;
      vta_gemm_pump #(
        .IsExact(i == 0)
      ) u_pump (
        .clk_i,
        .clk2x_i,
        .odd_i,
        .operand_en_i,
        .depthwise_i,
        .row_i(row_i[2*i*vta_pkg::InpWidth+:2*vta_pkg::InpWidth]),
        .zero_i(zero_i[2*i+:2]),
        .taps_i(taps_i[2*i*vta_pkg::InpWidth+:2*vta_pkg::InpWidth]),
        .wgt_i({wgt_i[(Size+2*i)*vta_pkg::WgtWidth+:2*vta_pkg::WgtWidth],
                wgt_i[2*i*vta_pkg::WgtWidth+:2*vta_pkg::WgtWidth]}),
        .sums_o(sums)
      );
      assign leaf[i] = sums[LeafWidth-1:0];
      assign leaf[Leaves+i] = sums[2*LeafWidth-1:LeafWidth];
    end else if (Lanes == 2) begin : gen_packed
      localparam int unsigned PairWidth = ProductWidth + vta_pkg::WgtWidth + 1;
      localparam int unsigned BothWidth = 2 * ProductWidth;
      localparam logic signed [BothWidth-1:0] Bias = BothWidth'(1) << (ProductWidth - 1);
      logic signed [vta_pkg::InpWidth-1:0] x, x_q;
      logic signed [vta_pkg::WgtWidth-1:0] w0, w1;
      logic signed [PairWidth-1:0]         pair_q;
      logic signed [BothWidth-1:0]         both_q, biased_q;
      assign x = inp[i*vta_pkg::InpWidth+:vta_pkg::InpWidth];
      assign w0 = wgt_i[i*vta_pkg::WgtWidth+:vta_pkg::WgtWidth];
      assign w1 = wgt_i[(Size+i)*vta_pkg::WgtWidth+:vta_pkg::WgtWidth];
      always_ff @(posedge clk_i) begin
        if (operand_en_i) begin
          x_q <= x;
          pair_q <= (PairWidth'(w1) <<< ProductWidth) + PairWidth'(w0);
        end
        if (product_en_i) both_q <= BothWidth'(pair_q) * BothWidth'(x_q);
        if (bias_en_i) biased_q <= both_q + Bias;
      end
      assign leaf[i] = {!biased_q[ProductWidth-1], biased_q[ProductWidth-2:0]};
      assign leaf[Size+i] = biased_q[BothWidth-1:ProductWidth];
    end else begin : gen_single
      logic signed [vta_pkg::InpWidth-1:0] x_q;
      logic signed [vta_pkg::WgtWidth-1:0] w_q;
      logic signed [ProductWidth-1:0]      product_q, late_q;
      always_ff @(posedge clk_i) begin
        if (operand_en_i) begin
          x_q <= inp[i*vta_pkg::InpWidth+:vta_pkg::InpWidth];
          w_q <= wgt_i[i*vta_pkg::WgtWidth+:vta_pkg::WgtWidth];
        end
        if (product_en_i) begin
          product_q <= InLuts ? product_in_luts(x_q, w_q) : ProductWidth'(x_q) * ProductWidth'(w_q);
        end
        if (bias_en_i) late_q <= product_q;
      end
      assign leaf[i] = late_q;
    end
  end

  // value[s * Size + i]: what stage s adds. It makes the levels from First to Last of the tree, the early stages the
  // more of them; each of its sums is a small tree, of which node 0 is the root and 2n+1 and 2n+2 the children of n.
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic signed [SumWidth-1:0] value [Stages*Size+1] /*verilator split_var*/;

    for (genvar i = 0; i < Leaves; i++) begin : gen_leaf
      assign value[i] = SumWidth'(leaf[l*Leaves+i]);
    end
    for (genvar s = 0; s < Stages; s++) begin : gen_stage
      localparam int unsigned First = s == 0 ? DoneLevels : (s * Levels + Stages - 1) / Stages;
      localparam int unsigned Last = ((s + 1) * Levels + Stages - 1) / Stages;
      localparam int unsigned Terms = 1 << (Last - First);
      localparam int unsigned InWidth = ProductWidth + First;
      localparam int unsigned OutWidth = ProductWidth + Last;

      for (genvar g = 0; g < Size >> Last; g++) begin : gen_sum
        logic signed [OutWidth-1:0] node [2*Terms-1] /*verilator split_var*/;
        for (genvar n = 0; n < Terms - 1; n++) begin : gen_node
          // Of leaves that are one less, all but the first, a node adds one with its carry: then all sums with the
          // first leaf are exact, and the others one less.
          if (Pumped && l == 0) begin : gen_with_one
            assign node[n] = node[2*n+1] - ~node[2*n+2];
          end else begin : gen_plain
            assign node[n] = node[2*n+1] + node[2*n+2];
          end
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
  assign unused = &{1'b0, clk2x_i, odd_i, product_en_i, bias_en_i, sum_en_i, depthwise_i, zero_i, taps_i, inp};
endmodule
