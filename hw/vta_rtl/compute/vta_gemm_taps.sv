// What the multipliers of two neighbouring outputs take in a depthwise GEMM: the two channels of these outputs from
// several elements of INP, in the place of a row of one element.
//
// Combinational. The multipliers of the lower half take the even channel, those of the upper half the odd one, one from
// each element; the others, and those whose element is not taken, multiply by zero.
module vta_gemm_taps #(
  // Multipliers of an output, a power of two.
  parameter int unsigned Size  = 16,
  // Elements, at most Size / 2 if there are several. With one there is no depthwise GEMM.
  parameter int unsigned Elems = 1
) (
  // The elements that are taken; of each the even and the odd channel.
  input  logic [Elems-1:0]                     takes_i,
  input  logic [Elems*2*vta_pkg::InpWidth-1:0] pairs_i,
  // What each multiplier takes, and whether it is to take zero instead.
  output logic [Size-1:0]                      zero_o,
  output logic [Size*vta_pkg::InpWidth-1:0]    taps_o
);
  localparam int unsigned Width = vta_pkg::InpWidth;

  if (Elems == 1) begin : gen_none
    assign zero_o = '1;
    assign taps_o = '0;
    logic unused;
    assign unused = &{1'b0, takes_i, pairs_i};
  end else begin : gen_taps
    localparam int unsigned Half = Size / 2;
    for (genvar i = 0; i < Size; i++) begin : gen_input
      localparam int unsigned Tap = i % Half;
      localparam int unsigned Odd = i / Half;
      if (Tap < Elems) begin : gen_tap
        assign zero_o[i] = !takes_i[Tap];
        assign taps_o[i*Width+:Width] = pairs_i[(2*Tap+Odd)*Width+:Width];
      end else begin : gen_zero
        assign zero_o[i] = 1'b1;
        assign taps_o[i*Width+:Width] = '0;
      end
    end
  end
endmodule
