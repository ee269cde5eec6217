// The sums of a GEMM micro-op: of each row of INP with each column of WGT, or in a depthwise GEMM of an output's channel
// in several elements of INP.
//
// Two forms with the same sums in the same cycles: vta_gemm_dot makes them for FPGAs, and with FastSimulation
// vta_gemm_sums_fast, which simulators are several times faster with.
module vta_gemm_sums #(
  // Cycles in which adders work.
  parameter int unsigned Stages = 2,
  localparam int unsigned Lanes = vta_pkg::GemmLanes,
  localparam int unsigned SumWidth = vta_pkg::GemmSumWidth,
  localparam int unsigned Outputs = vta_pkg::Batch * vta_pkg::BlockOut,
  localparam int unsigned Elems = vta_pkg::InpReadElems
) (
  input  logic clk_i,
  // Twice the clock, and a register that changes in each cycle, for double-pumped multipliers.
  input  logic clk2x_i,
  input  logic odd_i,
  // The registers take their inputs at the end of this cycle: operands, products, products with the bias, sums (bit i
  // is that of stage i, of which the last has none).
  input  logic              operand_en_i,
  input  logic              product_en_i,
  input  logic              bias_en_i,
  input  logic [Stages-1:0] sum_en_i,

  // Operands: elements of INP from src on, of which a depthwise GEMM takes those of takes_i, all others the first. The
  // sums: those of a row of INP are neighbours.
  input  logic                                  depthwise_i,
  input  logic [Elems-1:0]                      takes_i,
  input  logic [Elems*vta_pkg::InpElemBits-1:0] inp_i,
  input  logic [vta_pkg::WgtElemBits-1:0]       wgt_i,
  output logic [Outputs*SumWidth-1:0]           sums_o
);
  localparam int unsigned RowBits = vta_pkg::BlockIn * vta_pkg::InpWidth;
  localparam int unsigned ColumnBits = vta_pkg::BlockIn * vta_pkg::WgtWidth;

  // With more inputs than outputs the elements behind the first have channels of no output.
  logic unused;
  assign unused = &{1'b0, clk2x_i, odd_i, depthwise_i, takes_i, inp_i};

  if (vta_pkg::FastSimulation) begin : gen_fast
    vta_gemm_sums_fast #(
      .Stages(Stages)
    ) u_fast (
      .clk_i,
      .operand_en_i,
      .product_en_i,
      .bias_en_i,
      .sum_en_i,
      .depthwise_i,
      .takes_i,
      .inp_i,
      .wgt_i,
      .sums_o
    );
  end else begin : gen_dots
    for (genvar b = 0; b < vta_pkg::Batch; b++) begin : gen_batch
      for (genvar o = 0; o < vta_pkg::BlockOut / Lanes; o++) begin : gen_dot
        // The channels of a depthwise GEMM: those of this output and its neighbour.
        localparam int unsigned Even = Elems > 1 ? o * Lanes % vta_pkg::BlockIn / 2 * 2 : 0;
        localparam int unsigned PairBits = Elems > 1 ? 2 * vta_pkg::InpWidth : vta_pkg::InpWidth;
        logic [Elems*PairBits-1:0] pairs;
        logic [RowBits-1:0]           taps;
        logic [vta_pkg::BlockIn-1:0]  zero;
        for (genvar t = 0; t < Elems; t++) begin : gen_pair
          assign pairs[t*PairBits+:PairBits] =
              inp_i[t*vta_pkg::InpElemBits+b*RowBits+Even*vta_pkg::InpWidth+:PairBits];
        end
        vta_gemm_taps #(
          .Size(vta_pkg::BlockIn),
          .Elems(Elems)
        ) u_taps (
          .takes_i,
          .pairs_i((Elems*2*vta_pkg::InpWidth)'(pairs)),
          .zero_o(zero),
          .taps_o(taps)
        );
        vta_gemm_dot #(
          .Size(vta_pkg::BlockIn),
          .Lanes(Lanes),
          .Stages(Stages)
        ) u_dot (
          .clk_i,
          .clk2x_i,
          .odd_i,
          .operand_en_i,
          .product_en_i,
          .bias_en_i,
          .sum_en_i,
          .depthwise_i,
          .row_i(inp_i[b*RowBits+:RowBits]),
          .zero_i(zero),
          .taps_i(taps),
          .wgt_i(wgt_i[o*Lanes*ColumnBits+:Lanes*ColumnBits]),
          .sum_o(sums_o[(b*vta_pkg::BlockOut+o*Lanes)*SumWidth+:Lanes*SumWidth])
        );
      end
    end
  end
endmodule
