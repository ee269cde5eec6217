// One lane of the tensor ALU: op(x, y) in five register stages: operands, multiply, add, round, shift. With REQUANT
// there is another one, clip. A relaxed pipeline rounds and shifts in one stage.
//
// x and y are at the inputs in the cycle with enable_i[1], the result is at result_o after the last stage: a stage takes
// what the one before holds at the end of the cycle with its bit of enable_i.
//
// All results leave through one shifter to the right, which is 64 bits wide. SHR shifts x, to the left as {x, 0} to
// the right; QMUL, and PRELU where x is negative, shift the product with its rounding added; all else shifts by 0. One
// multiplier serves MUL, QMUL, PRELU and REQUANT: x (AccWidth bits, in two halves) times the low bits of y. MUL adds the
// product of what is left of y, modulo 2^AccWidth, in the place of the rounding.
//
// With the extension lut a lane has a table, of TableWords words for each part of an element that goes through it. TABLE
// writes x to a word; LUT reads the word that the bits 7:2 of x name, and its byte that the bits 1:0 name.
module vta_alu_lane #(
  // Parts of an element, one after the other, that the lane works on.
  parameter int unsigned Parts = 1,
  localparam int unsigned PartWidth = Parts > 1 ? $clog2(Parts) : 1
) (
  input  logic                              clk_i,
  input  logic [vta_pkg::AluLaneStages:1] enable_i,

  // The operation in the cycles of the first three stages.
  input  vta_pkg::alu_op_e  op_operand_i,
  input  vta_pkg::alu_op_e  op_multiply_i,
  input  vta_pkg::alu_op_e  op_add_i,
  // Multiply cycle: the operation is any but ADD; the bounds of CLIP.
  input  logic              subtract_i,
  input  logic signed [7:0] lo_i,
  input  logic signed [7:0] hi_i,
  // Multiply cycle: the word that TABLE writes, and the part of the element that x is of.
  input  logic [vta_pkg::TableIndexWidth-1:0] word_i,
  input  logic [PartWidth-1:0]                part_i,
  // Round cycle: for an operation that scales its shift, whether that is above 0, and what rounding adds to a negative
  // product, half of the unit that is left after the shift, less one. A product that is not negative gets one more. All
  // 0 for the others.
  input  logic [5:0]        shift_i,
  input  logic              rounds_i,
  input  logic [63:0]       half_less_one_i,
  // Shift cycle, which a relaxed pipeline has as its round cycle: the bits, from the sign of the result on at 0, that are equal to the sign of a number which saturation
  // leaves alone; 0 where none does.
  input  logic [32:0]       sign_bits_i,
  // Shift cycle: the operation is REQUANT, with these bounds. A lane keeps them for its clip cycle.
  input  logic              clips_i,
  input  logic signed [7:0] clip_lo_i,
  input  logic signed [7:0] clip_hi_i,

  // Operands and result. The bias is added to x where the operand cycle is that of REQUANT.
  input  logic                                biases_i,
  input  logic signed [vta_pkg::AccWidth-1:0] bias_i,
  input  logic signed [vta_pkg::AccWidth-1:0] x_i,
  input  logic signed [vta_pkg::AccWidth-1:0] y_i,
  output logic signed [vta_pkg::AccWidth-1:0] result_o
);
  localparam int unsigned Width = vta_pkg::AccWidth;
  localparam int unsigned QmulBits = vta_pkg::QmulMultiplierBits;
  // Bits of the multiplier, sign included.
  localparam int unsigned MulBits = (vta_pkg::ExtQmul && QmulBits > 18) ? QmulBits : 18;
  localparam int unsigned LowBits = 17;                    // of x
  localparam int unsigned RestBits = Width - MulBits + 1;  // of y
  // MUL needs the low bits of its product only.
  localparam int unsigned ProductBits = vta_pkg::ExtQmul ? Width + MulBits : Width;
  localparam int unsigned RoundBits = !vta_pkg::ExtQmul ? Width : ProductBits < 64 ? ProductBits + 1 : 64;
  // Of a rounded product those that may differ from its sign in one that does not fit, and the sign.
  localparam int unsigned OverBits = RoundBits - Width + 1;

  function automatic logic is_requant(vta_pkg::alu_op_e op);
    is_requant = vta_pkg::ExtRequant && op == vta_pkg::AluOpRequant;
  endfunction
  function automatic logic is_scaling(vta_pkg::alu_op_e op);
    is_scaling = vta_pkg::ExtQmul &&
                 (op == vta_pkg::AluOpQmul || (vta_pkg::ExtPrelu && op == vta_pkg::AluOpPrelu) || is_requant(op));
  endfunction

  // ---- Operands --------------------------------------------------------------------------------
  logic signed [Width-1:0]   x_q, y_q;
  logic signed [MulBits-1:0] multiplier_q;
  always_ff @(posedge clk_i) begin
    if (enable_i[1]) begin
      x_q <= vta_pkg::ExtRequant && biases_i ? x_i + bias_i : x_i;
      y_q <= y_i;
      multiplier_q <= {1'b0, y_i[MulBits-2:0]};
      if (is_scaling(op_operand_i)) multiplier_q <= MulBits'($signed(y_i[QmulBits-1:0]));
    end
  end

  // ---- Multiply: partial products, and what comparisons find -----------------------------------
  logic                                    is_mul;
  logic signed [LowBits+MulBits:0]         low_q;
  logic signed [Width-LowBits+MulBits-1:0] high_q;
  logic [RestBits-1:0]                     rest_q;
  logic signed [Width-1:0]                 x2_q, y2_q, sum_q;
  logic                                    less_q, below_q, above_q;
  assign is_mul = op_multiply_i == vta_pkg::AluOpMul;

  // Computed under the enables, not beside them: a simulator then skips what an idle lane would work out.
  always_ff @(posedge clk_i) begin : multiply
    logic [Width+1:0] total;
    logic             in_byte;
    if (enable_i[2] && (is_mul || is_scaling(op_multiply_i))) begin
      low_q <= $signed({1'b0, x_q[LowBits-1:0]}) * multiplier_q;
      high_q <= $signed(x_q[Width-1:LowBits]) * multiplier_q;
    end
    if (enable_i[2]) begin
      rest_q <= x_q[RestBits-1:0] * y_q[Width-1:MulBits-1];
      if (!is_mul) rest_q <= '0;
      // One adder for ADD and comparisons: its lowest bit is the carry in, its highest the sign of x - y.
      total = {x_q[Width-1], x_q, 1'b1} + {{y_q[Width-1], y_q} ^ {(Width + 1){subtract_i}}, subtract_i};
      sum_q <= total[Width:1];
      less_q <= total[Width+1];
      // Outside of a byte's range the sign says on which side of both bounds x is.
      in_byte = x_q[Width-1:7] == '0 || x_q[Width-1:7] == '1;
      below_q <= in_byte ? $signed(x_q[7:0]) < lo_i : x_q[Width-1];
      above_q <= in_byte ? $signed(x_q[7:0]) > hi_i : !x_q[Width-1];
      x2_q <= x_q;
      y2_q <= y_q;
    end
  end

  // ---- Multiply: the table ---------------------------------------------------------------------
  logic signed [Width-1:0] looked_up;  // what the table has for x, in the add cycle
  if (vta_pkg::ExtLut) begin : gen_table
    localparam int unsigned TableWidth = $clog2(Parts * vta_pkg::TableWords);
    logic [Width-1:0]      word;
    logic [7:0]            entry;
    logic [TableWidth-1:0] write_at, read_at;
    assign write_at = TableWidth'({part_i, word_i});
    assign read_at = TableWidth'({part_i, x_q[7:2]});
    vta_ram_1r1w #(
      .Width(Width),
      .Depth(Parts * vta_pkg::TableWords)
    ) u_table (
      .clk_i,
      .we_i(enable_i[2] && op_multiply_i == vta_pkg::AluOpTable),
      .waddr_i(write_at),
      .wdata_i(x_q),
      .re_i(enable_i[2] && op_multiply_i == vta_pkg::AluOpLut),
      .raddr_i(read_at),
      .rdata_o(word)
    );
    assign entry = word[{x2_q[1:0], 3'b000}+:8];
    assign looked_up = Width'($signed(entry));
  end else begin : gen_no_table
    assign looked_up = '0;
  end

  // ---- Add: the product; operations without one are done ---------------------------------------
  logic signed [ProductBits-1:0] product_q;
  logic signed [Width-1:0]       simple_q;
  logic [5:0]                    amount_q;  // of SHR, else 0
  logic                          scaled_q;  // the rounded product is shifted
  logic                          lifts_q;   // {x, 0} is: a shift to the left
  logic [RestBits-1:0]           rest2_q;
  always_ff @(posedge clk_i) begin
    if (enable_i[3]) begin
      product_q <= (ProductBits'(high_q) <<< LowBits) + ProductBits'(low_q);
      rest2_q <= rest_q;
      amount_q <= '0;
      lifts_q <= 1'b0;
      if (op_add_i == vta_pkg::AluOpShr) begin
        // An amount of -n, n from 1 to 32, is {x, 0} by 32 - n to the right, of which the low word is left.
        amount_q <= {1'b0, y2_q[4:0]};
        lifts_q <= y2_q[5];
      end
      scaled_q <= op_add_i == vta_pkg::AluOpMul || is_scaling(op_add_i);
      if (vta_pkg::ExtPrelu && op_add_i == vta_pkg::AluOpPrelu && !x2_q[Width-1]) scaled_q <= 1'b0;
      simple_q <= x2_q;
      unique case (op_add_i)
        vta_pkg::AluOpMin: if (!less_q) simple_q <= y2_q;
        vta_pkg::AluOpMax: if (less_q) simple_q <= y2_q;
        vta_pkg::AluOpAdd: simple_q <= sum_q;
        // The bounds are the immediate's low bytes.
        vta_pkg::AluOpClip: begin
          if (vta_pkg::ExtClip && below_q) simple_q <= Width'($signed(y2_q[7:0]));
          else if (vta_pkg::ExtClip && above_q) simple_q <= Width'($signed(y2_q[15:8]));
        end
        vta_pkg::AluOpLut: if (vta_pkg::ExtLut) simple_q <= looked_up;
        default: ;
      endcase
    end
  end

  // ---- Round: what is shifted ------------------------------------------------------------------
  // The product with its rounding: to nearest, ties away from zero.
  function automatic logic signed [RoundBits-1:0] rounded(logic signed [ProductBits-1:0] product,
                                                          logic signed [RoundBits-1:0] addend, logic rounds);
    // verilator lint_off UNUSEDSIGNAL
    logic [RoundBits:0] total;  // its lowest bit is the carry's
    // verilator lint_on UNUSEDSIGNAL
    // The lowest bits are the carry in: so the product's sign is in front of one bit of the adder.
    total = {RoundBits'(product), 1'b1} + {addend, rounds && !product[ProductBits-1]};
    rounded = total[RoundBits:1];
  endfunction

  localparam int unsigned ShiftStage = vta_pkg::AluRoundsApart ? 5 : 4;
  logic signed [63:0] wide;
  logic [5:0]         shift_by;
  if (vta_pkg::AluRoundsApart) begin : gen_round
    logic signed [63:0] wide_q;
    logic [5:0]         shift_q;
    assign wide = wide_q;
    assign shift_by = shift_q;
    always_ff @(posedge clk_i) begin : round
      logic signed [RoundBits-1:0] addend;
      if (enable_i[4]) begin
        addend = RoundBits'(half_less_one_i) | RoundBits'({rest2_q, {(MulBits - 1){1'b0}}});
        wide_q <= scaled_q ? 64'(rounded(product_q, addend, rounds_i)) :
                  lifts_q ? 64'($signed({simple_q, 32'b0})) : 64'(simple_q);
        shift_q <= scaled_q ? shift_i : amount_q;
      end
    end
  end else begin : gen_no_round
    logic signed [RoundBits-1:0] addend;
    assign addend = RoundBits'(half_less_one_i) | RoundBits'({rest2_q, {(MulBits - 1){1'b0}}});
    assign wide = scaled_q ? 64'(rounded(product_q, addend, rounds_i)) :
                  lifts_q ? 64'($signed({simple_q, 32'b0})) : 64'(simple_q);
    assign shift_by = scaled_q ? shift_i : amount_q;
  end

  // ---- Shift and saturate ----------------------------------------------------------------------
  logic signed [Width-1:0] shifted_q;
  always_ff @(posedge clk_i) begin : shift
    logic [Width-1:0] shifted;
    logic             overflows;
    if (enable_i[ShiftStage]) begin
      shifted = Width'(wide >>> shift_by);
      overflows = ((wide[RoundBits-1:Width-1] ^ {OverBits{wide[RoundBits-1]}}) & sign_bits_i[OverBits-1:0]) != '0;
      shifted_q <= overflows ? {wide[63], {(Width - 1){!wide[63]}}} : shifted;
    end
  end

  // ---- Clip ------------------------------------------------------------------------------------
  if (vta_pkg::ExtRequant) begin : gen_clip
    logic              clips_q;
    logic signed [7:0] clip_lo_q, clip_hi_q;
    always_ff @(posedge clk_i) begin : clip
      logic in_byte;
      clips_q <= clips_i;
      clip_lo_q <= clip_lo_i;
      clip_hi_q <= clip_hi_i;
      if (enable_i[ShiftStage+1]) begin
        in_byte = shifted_q[Width-1:7] == '0 || shifted_q[Width-1:7] == '1;
        result_o <= shifted_q;
        if (clips_q && (in_byte ? $signed(shifted_q[7:0]) < clip_lo_q : shifted_q[Width-1])) begin
          result_o <= Width'(clip_lo_q);
        end else if (clips_q && (in_byte ? $signed(shifted_q[7:0]) > clip_hi_q : !shifted_q[Width-1])) begin
          result_o <= Width'(clip_hi_q);
        end
      end
    end
  end else begin : gen_no_clip
    assign result_o = shifted_q;
  end

  logic unused;
  assign unused = &{1'b0, half_less_one_i, sign_bits_i, low_q, high_q, clips_i, clip_lo_i, clip_hi_i, bias_i, word_i, part_i, looked_up};
endmodule
