// The sums of vta_gemm_sums in a form for simulators, never synthesised: all is computed from the operands in one cycle
// and then waits in registers.
module vta_gemm_sums_fast #(
  parameter int unsigned Stages = 2,
  localparam int unsigned SumWidth = vta_pkg::GemmSumWidth,
  localparam int unsigned Outputs = vta_pkg::Batch * vta_pkg::BlockOut,
  localparam int unsigned Elems = vta_pkg::InpReadElems
) (
  // As those of vta_gemm_sums.
  input  logic                                  clk_i,
  input  logic                                  operand_en_i,
  input  logic                                  product_en_i,
  input  logic                                  bias_en_i,
  input  logic [Stages-1:0]                     sum_en_i,
  input  logic                                  depthwise_i,
  input  logic [Elems-1:0]                      takes_i,
  input  logic [Elems*vta_pkg::InpElemBits-1:0] inp_i,
  input  logic [vta_pkg::WgtElemBits-1:0]       wgt_i,
  output logic [Outputs*SumWidth-1:0]           sums_o
);
  localparam int unsigned RowBits = vta_pkg::BlockIn * vta_pkg::InpWidth;
  localparam int unsigned ColumnBits = vta_pkg::BlockIn * vta_pkg::WgtWidth;

  localparam int unsigned Registers = Stages + 2;  // the sums of the last stage are not kept
  // Of the first register and of the others. The first is not split: each of its outputs would become a variable, and
  // all of them together a chain of concatenations.
  logic [Outputs*SumWidth-1:0] first_q;
  logic [Outputs*SumWidth-1:0] sums_q [2:Registers] /*verilator split_var*/;
  logic [Registers:1]          enable;
  assign enable = Registers'({sum_en_i, bias_en_i, product_en_i, operand_en_i});

  function automatic logic signed [SumWidth-1:0] dot(input logic [RowBits-1:0] row,
                                                     input logic [ColumnBits-1:0] column);
    dot = '0;
    for (int unsigned i = 0; i < vta_pkg::BlockIn; i++) begin
      dot = dot + SumWidth'($signed(row[i*vta_pkg::InpWidth+:vta_pkg::InpWidth])) *
                      SumWidth'($signed(column[i*vta_pkg::WgtWidth+:vta_pkg::WgtWidth]));
    end
  endfunction

  // One block with loops and not a block for each output: simulators keep loops over thousands of outputs as loops.
  if (Elems == 1) begin : gen_plain
    logic unused;
    assign unused = &{1'b0, depthwise_i, takes_i};
    always_ff @(posedge clk_i) begin : multiply
      if (enable[1]) begin
        for (int unsigned b = 0; b < vta_pkg::Batch; b++) begin
          for (int unsigned o = 0; o < vta_pkg::BlockOut; o++) begin
            first_q[(b*vta_pkg::BlockOut+o)*SumWidth+:SumWidth] <=
                dot(inp_i[b*RowBits+:RowBits], wgt_i[o*ColumnBits+:ColumnBits]);
          end
        end
      end
    end
  end else begin : gen_depthwise
    // As vta_gemm_taps and vta_gemm_dot, but nothing to compute while there is no such GEMM.
    always_ff @(posedge clk_i) begin : multiply
      logic [RowBits-1:0] row;
      if (enable[1]) begin
        for (int unsigned b = 0; b < vta_pkg::Batch; b++) begin
          for (int unsigned o = 0; o < vta_pkg::BlockOut; o++) begin
            row = inp_i[b*RowBits+:RowBits];
            if (depthwise_i) begin
              row = '0;
              for (int unsigned t = 0; t < Elems; t++) begin
                for (int unsigned odd = 0; odd < 2; odd++) begin
                  if (takes_i[t]) begin
                    row[(t+odd*vta_pkg::BlockIn/2)*vta_pkg::InpWidth+:vta_pkg::InpWidth] =
                        inp_i[t*vta_pkg::InpElemBits+b*RowBits+(o%vta_pkg::BlockIn/2*2+odd)*vta_pkg::InpWidth+:vta_pkg::InpWidth];
                  end
                end
              end
            end
            first_q[(b*vta_pkg::BlockOut+o)*SumWidth+:SumWidth] <= dot(row, wgt_i[o*ColumnBits+:ColumnBits]);
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (enable[2]) sums_q[2] <= first_q;
  end
  for (genvar i = 3; i <= Registers; i++) begin : gen_wait
    always_ff @(posedge clk_i) begin
      if (enable[i]) sums_q[i] <= sums_q[i-1];
    end
  end
  assign sums_o = sums_q[Registers];
endmodule
