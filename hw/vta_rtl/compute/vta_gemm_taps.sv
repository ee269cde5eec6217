// The inputs of the multipliers of two neighbouring outputs: a row of one element of INP, or for a depthwise GEMM the
// two channels of these outputs from several elements.
//
// Combinational. Multiplier i takes channel i of the first element. In a depthwise GEMM the multipliers of the lower
// half take the even channel, those of the upper half the odd one, one from each element; the others get zero.
module vta_gemm_taps #(
  // Multipliers of an output, a power of two.
  parameter int unsigned Size  = 16,
  // Elements, at most Size / 2 if there are several.
  parameter int unsigned Elems = 1
) (
  // A depthwise GEMM, and the elements that it takes.
  input  logic             depthwise_i,
  input  logic [Elems-1:0] takes_i,
  // The row of the first element; of each element the even and the odd channel.
  input  logic [Size*vta_pkg::InpWidth-1:0]    row_i,
  input  logic [Elems*2*vta_pkg::InpWidth-1:0] pairs_i,
  output logic [Size*vta_pkg::InpWidth-1:0]    inp_o
);
  localparam int unsigned Width = vta_pkg::InpWidth;

  if (Elems == 1) begin : gen_plain
    assign inp_o = row_i;
    logic unused;
    assign unused = &{1'b0, depthwise_i, takes_i, pairs_i};
  end else begin : gen_taps
    localparam int unsigned Half = Size / 2;
    for (genvar i = 0; i < Size; i++) begin : gen_input
      localparam int unsigned Tap = i % Half;
      localparam int unsigned Odd = i / Half;
      logic [Width-1:0] from_tap;
      if (Tap < Elems) begin : gen_tap
        assign from_tap = takes_i[Tap] ? pairs_i[(2*Tap+Odd)*Width+:Width] : '0;
      end else begin : gen_none
        assign from_tap = '0;
      end
      assign inp_o[i*Width+:Width] = depthwise_i ? from_tap : row_i[i*Width+:Width];
    end
  end
endmodule
