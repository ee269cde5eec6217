// How the lanes of the tensor ALU round, shift and saturate what operations with a scale make, from the instruction's
// shift.
//
// The operation and the amount of its shift are at the inputs in the multiply cycle of the lanes; the outputs are registers, for
// the round cycle and the shift cycle. All are 0 for operations that do not scale.
module vta_alu_rounding (
  input  logic             clk_i,
  input  logic             enable_i,  // in the multiply cycle
  input  vta_pkg::alu_op_e op_i,
  input  logic [5:0]       amount_i,

  // Round cycle: the shift, whether there is one, and half of the unit that it leaves, less one.
  output logic [5:0]  shift_o,
  output logic        rounds_o,
  output logic [63:0] half_less_one_o,
  // Shift cycle, the same in a relaxed pipeline: the bits, from the result's sign on, that are equal to the sign in a number that fits after the shift.
  output logic [32:0] sign_bits_o
);
  localparam int unsigned Width = vta_pkg::AccWidth;
  // A larger shift gives 0 like this one.
  localparam int unsigned MaxShift =
      Width + (vta_pkg::QmulMultiplierBits > 18 ? vta_pkg::QmulMultiplierBits : 18);

  logic       scales, scales_q, scales2_q, add_q, round_q;
  logic [5:0] shift_q;

  assign scales = vta_pkg::ExtQmul && (vta_pkg::AluImmIsShift[op_i] ||
                                       (vta_pkg::ExtRequant && op_i == vta_pkg::AluOpRequant));

  always_ff @(posedge clk_i) begin
    add_q <= enable_i;
    round_q <= add_q;
    if (enable_i) begin
      scales_q <= scales;
      shift_q <= scales ? amount_i : '0;
      if (scales && MaxShift < 63 && amount_i > 6'(MaxShift)) shift_q <= 6'(MaxShift);
    end
    if (add_q) begin
      scales2_q <= scales_q;
      shift_o <= shift_q;
    end
  end
  // Bits of a shift, not of an adder: each is one function of six bits.
  always_ff @(posedge clk_i) begin
    if (add_q) begin
      rounds_o <= shift_q != '0;
      half_less_one_o <= ~(64'(({65{1'b1}} << shift_q) >> 1));
    end
    if (vta_pkg::AluRoundsApart && round_q) sign_bits_o <= scales2_q ? {33{1'b1}} << shift_o : '0;
    if (!vta_pkg::AluRoundsApart && add_q) sign_bits_o <= scales_q ? {33{1'b1}} << shift_q : '0;
  end
endmodule
