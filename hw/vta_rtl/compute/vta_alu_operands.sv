// The operands of the ALU's lanes: what the ALU reads of ACC, whole with one pass, else in parts from the low bits up, one
// a cycle.
//
// The element of src is kept, so that a micro-op with the same one need not read it again, and so is the bias of REQUANT.
// ACC with two banks gives the elements of both. These are kept as they are, and the bank is chosen with the part: that
// takes two LUTs a bit of a part instead of one before every register.
//
// An access in cycle a has its elements in a+1. Their first part is at the outputs in a+1 with one pass, in a+2 with more.
module vta_alu_operands #(
  // log2 of the banks of ACC.
  parameter int unsigned  LogBanks  = vta_pkg::AccLogBanks,
  localparam int unsigned Reads     = LogBanks == 1 ? 2 : 1,
  localparam int unsigned ElemBits  = vta_pkg::AccElemBits,
  localparam int unsigned Passes    = vta_pkg::AluPasses,
  localparam int unsigned PassWidth = Passes > 1 ? $clog2(Passes) : 1,
  localparam int unsigned PartBits  = ElemBits / Passes
) (
  input logic clk_i,

  // The access of this cycle, if there is one: of dst; of src, alone or with dst; of the pair of REQUANT. The banks of dst
  // and src, where there are two. An access of dst with src_kept_i has its src from one before.
  input logic dst_read_i,
  input logic src_read_i,
  input logic pair_read_i,
  input logic dst_odd_i,
  input logic src_odd_i,
  input logic src_kept_i,
  // The elements of the access in the cycle before, of Reads banks, the first in the low bits.
  input logic [Reads*ElemBits-1:0] dst_rdata_i,
  input logic [Reads*ElemBits-1:0] src_rdata_i,

  output logic [PartBits-1:0]  dst_o,
  output logic [PartBits-1:0]  src_o,
  output logic [PartBits-1:0]  bias_o,
  // The part that is in the lanes' second cycle; the shift of REQUANT in the src that is kept.
  output logic [PassWidth-1:0] pass_o,
  output logic [5:0]           shift_o
);
  localparam int unsigned Last = (Reads - 1) * ElemBits;  // first bit of the last bank's element

  // ---- What is kept ----------------------------------------------------------------------------
  logic                      src_read_q, pair_read_q;
  logic [Reads*ElemBits-1:0] kept_q;
  logic [ElemBits-1:0]       bias_q;

  always_ff @(posedge clk_i) begin
    src_read_q <= src_read_i;
    pair_read_q <= pair_read_i;
    if (src_read_q) kept_q <= src_rdata_i;
    // The pair's second element, of the odd bank.
    if (pair_read_q) bias_q <= dst_rdata_i[Last+:ElemBits];
  end
  // The pair's first element is of the even bank.
  assign shift_o = kept_q[vta_pkg::RequantShiftLsb+:6];

  // ---- Where the operands are ------------------------------------------------------------------
  logic src_comes, src_comes_q;  // src comes from ACC in the next cycle, in this one; else it is kept
  logic last_odd_q;              // the bank of the last access of src
  logic src_odd_q, dst_odd_q;    // the banks of src and dst of this cycle

  assign src_comes = (Passes == 1 || dst_read_i) && !src_kept_i;
  always_ff @(posedge clk_i) begin
    if (src_read_i) last_odd_q <= src_odd_i;
    src_comes_q <= src_comes;
    src_odd_q <= Reads == 2 && (src_comes ? src_odd_i : last_odd_q);
    if (Passes == 1 || dst_read_i) dst_odd_q <= Reads == 2 && dst_odd_i;
  end

  if (Passes == 1) begin : gen_whole
    always_comb begin
      unique case ({src_comes_q, src_odd_q})
        2'b00: src_o = kept_q[ElemBits-1:0];
        2'b01: src_o = kept_q[Last+:ElemBits];
        2'b10: src_o = src_rdata_i[ElemBits-1:0];
        default: src_o = src_rdata_i[Last+:ElemBits];
      endcase
    end
    assign dst_o = dst_odd_q ? dst_rdata_i[Last+:ElemBits] : dst_rdata_i[ElemBits-1:0];
    assign bias_o = bias_q;
    assign pass_o = '0;
  end else begin : gen_parts
    // The part that is chosen in this cycle; those in the lanes' first two cycles.
    logic [PassWidth-1:0]      pass_q, pass_first_q, pass_second_q;
    logic                      dst_comes_q;
    logic                      none_read_q;  // its opposite, for a wide enable alone
    logic [Reads*ElemBits-1:0] rest_q;       // dst, of which the first part is not used
    logic [PartBits-1:0]       rest_even, rest_odd, kept_even, kept_odd;

    // Of what is kept, a part by its number.
    assign rest_even = pass_q == '0 ? '0 : rest_q[32'(pass_q)*PartBits+:PartBits];
    assign rest_odd = pass_q == '0 ? '0 : rest_q[Last+32'(pass_q)*PartBits+:PartBits];
    assign kept_even = kept_q[32'(pass_q)*PartBits+:PartBits];
    assign kept_odd = kept_q[Last+32'(pass_q)*PartBits+:PartBits];
    assign pass_o = pass_second_q;

    always_ff @(posedge clk_i) begin
      pass_q <= dst_read_i ? '0 : pass_q + 1'b1;
      pass_first_q <= pass_q;
      pass_second_q <= pass_first_q;
      dst_comes_q <= dst_read_i;
      none_read_q <= !dst_read_i;
      if (!none_read_q) rest_q <= dst_rdata_i;

      unique case ({dst_comes_q, dst_odd_q})
        2'b00: dst_o <= rest_even;
        2'b01: dst_o <= rest_odd;
        2'b10: dst_o <= dst_rdata_i[PartBits-1:0];
        default: dst_o <= dst_rdata_i[Last+:PartBits];
      endcase
      unique case ({src_comes_q, src_odd_q})
        2'b00: src_o <= kept_even;
        2'b01: src_o <= kept_odd;
        2'b10: src_o <= src_rdata_i[PartBits-1:0];
        default: src_o <= src_rdata_i[Last+:PartBits];
      endcase
      bias_o <= bias_q[32'(pass_q)*PartBits+:PartBits];
    end
  end
endmodule
