// One lane of the tensor ALU: op(x, y) in three register stages after the cycle with operand_en_i, in which x and y are
// at the inputs.
//
// The stages move with their enables; result_o is combinational after the last register. One multiplier serves MUL,
// QMUL and PRELU, which is QMUL where x is negative: x (32 bits, in two halves) times the low bits of y. MUL adds the
// product of what is left of y, modulo 2^32.
module vta_alu_lane (
  input  logic             clk_i,

  // The stages take their inputs at the end of this cycle.
  input  logic             operand_en_i,
  input  logic             operate_en_i,
  input  logic             round_en_i,
  // The operation in the operand cycle, and those in the stages after it.
  input  vta_pkg::alu_op_e op_operand_i,
  input  vta_pkg::alu_op_e op_operate_i,
  input  vta_pkg::alu_op_e op_round_i,
  input  vta_pkg::alu_op_e op_result_i,
  // Parts of the immediate: the shift of QMUL and PRELU, in the round cycle; CLIP's bounds, in the operate cycle.
  input  logic [5:0]        shift_i,
  input  logic signed [7:0] lo_i,
  input  logic signed [7:0] hi_i,

  // Operands and result.
  input  logic signed [vta_pkg::AccWidth-1:0] x_i,
  input  logic signed [vta_pkg::AccWidth-1:0] y_i,
  output logic signed [vta_pkg::AccWidth-1:0] result_o
);
  localparam int unsigned Width = vta_pkg::AccWidth;
  localparam int unsigned QmulBits = vta_pkg::QmulMultiplierBits;
  // Bits of the multiplier, sign included.
  localparam int unsigned MulBits = (vta_pkg::ExtQmul && QmulBits > 18) ? QmulBits : 18;
  localparam int unsigned LowBits = 17;                   // of x
  localparam int unsigned RestBits = Width - MulBits + 1;  // of y
  localparam int unsigned ProductBits = Width + MulBits;
  localparam int unsigned RoundBits = (Width + MulBits + 1) > 64 ? 64 : Width + MulBits + 1;

  function automatic logic is_scaling(vta_pkg::alu_op_e op);
    is_scaling = op == vta_pkg::AluOpQmul || (vta_pkg::ExtPrelu && op == vta_pkg::AluOpPrelu);
  endfunction

  // ---- Operands: partial products --------------------------------------------------------------
  logic                                    is_mul, is_qmul;
  logic signed [MulBits-1:0]               multiplier;
  logic signed [Width-1:0]                 x_q, y_q;
  logic signed [LowBits+MulBits:0]         low_q;
  logic signed [Width-LowBits+MulBits-1:0] high_q;
  logic [RestBits-1:0]                     rest_q;

  assign is_mul = op_operand_i == vta_pkg::AluOpMul;
  assign is_qmul = vta_pkg::ExtQmul && is_scaling(op_operand_i);
  if (vta_pkg::ExtQmul) begin : gen_qmul_multiplier
    assign multiplier = is_qmul ? MulBits'($signed(y_i[QmulBits-1:0])) : {1'b0, y_i[MulBits-2:0]};
  end else begin : gen_mul_multiplier
    assign multiplier = {1'b0, y_i[MulBits-2:0]};
  end

  always_ff @(posedge clk_i) begin
    if (operand_en_i) begin
      x_q <= x_i;
      y_q <= y_i;
      if (is_mul || is_qmul) begin
        low_q <= $signed({1'b0, x_i[LowBits-1:0]}) * multiplier;
        high_q <= $signed(x_i[Width-1:LowBits]) * multiplier;
        rest_q <= x_i[RestBits-1:0] * y_i[Width-1:MulBits-1];
      end
    end
  end

  // ---- Operation -------------------------------------------------------------------------------
  // Computed under the enables, not beside them: a simulator then skips what an idle lane would work out.
  logic signed [ProductBits-1:0] product_q;
  logic signed [Width-1:0]       simple_q;

  always_ff @(posedge clk_i) begin : operate
    logic signed [ProductBits-1:0] product;
    logic signed [5:0]             amount;
    logic [5:0]                    left;
    if (operate_en_i) begin
      product = (ProductBits'(high_q) <<< LowBits) + ProductBits'(low_q);
      amount = y_q[5:0];
      left = 6'(-amount);  // 1 to 32 where the amount is negative
      unique case (op_operate_i)
        vta_pkg::AluOpMin: simple_q <= x_q < y_q ? x_q : y_q;
        vta_pkg::AluOpMax: simple_q <= x_q > y_q ? x_q : y_q;
        vta_pkg::AluOpAdd: simple_q <= x_q + y_q;
        vta_pkg::AluOpShr: simple_q <= amount[5] ? x_q << left : x_q >>> amount[4:0];
        vta_pkg::AluOpMul: simple_q <= product[Width-1:0] + {rest_q, {(MulBits - 1){1'b0}}};
        vta_pkg::AluOpClip: begin
          if (vta_pkg::ExtClip && x_q < Width'(lo_i)) simple_q <= Width'(lo_i);
          else if (vta_pkg::ExtClip && x_q > Width'(hi_i)) simple_q <= Width'(hi_i);
          else simple_q <= x_q;
        end
        default: simple_q <= x_q;
      endcase
      if (vta_pkg::ExtQmul && is_scaling(op_operate_i)) product_q <= product;
    end
  end

  // ---- Rounding and saturation of QMUL and PRELU ---------------------------------------------------------
  logic signed [Width-1:0] simple2_q;
  always_ff @(posedge clk_i) begin
    if (round_en_i) simple2_q <= simple_q;
  end

  if (vta_pkg::ExtQmul) begin : gen_qmul
    localparam int unsigned MaxShift = Width + MulBits;  // a larger shift gives 0 like this one
    logic signed [RoundBits-1:0] rounded_q;
    logic                        fits;
    logic                        keeps_x;  // which is in simple2_q

    assign keeps_x = vta_pkg::ExtPrelu && op_result_i == vta_pkg::AluOpPrelu && !simple2_q[Width-1];
    always_ff @(posedge clk_i) begin : round
      logic [5:0]                  shift;
      logic signed [RoundBits-1:0] half, sum;
      if (round_en_i && is_scaling(op_round_i)) begin
        shift = shift_i;
        if (MaxShift < vta_pkg::AluMaxShift && shift_i > 6'(MaxShift)) shift = 6'(MaxShift);
        half = shift == '0 ? '0 : RoundBits'(1) << (shift - 6'd1);
        // To nearest, ties away from zero.
        sum = RoundBits'(product_q) + half - $signed(RoundBits'(shift != '0 && product_q[ProductBits-1]));
        rounded_q <= sum >>> shift;
      end
    end
    always_comb begin
      fits = rounded_q[RoundBits-1:Width-1] == '0 || rounded_q[RoundBits-1:Width-1] == '1;
      result_o = simple2_q;
      if (is_scaling(op_result_i) && !keeps_x) begin
        result_o = fits ? rounded_q[Width-1:0] : {rounded_q[RoundBits-1], {(Width - 1){!rounded_q[RoundBits-1]}}};
      end
    end
  end else begin : gen_no_qmul
    logic unused;
    assign unused = &{1'b0, product_q, shift_i, op_round_i, op_result_i};
    assign result_o = simple2_q;
  end
endmodule
