// The operands of the ALU's lanes: each part of dst, src and the bias of REQUANT is that of the elements that the access
// had, or of the src and the pair that were read last before it, in its cycle. Elements are free in every cycle.
module formal_alu_operands #(
  parameter int unsigned LogBanks = 1
) (
  input logic                            clk_i,
  input logic                            dst_read_i,
  input logic                            src_read_i,
  input logic                            pair_read_i,
  input logic                            dst_odd_i,
  input logic                            src_odd_i,
  input logic                            src_kept_i,
  input logic                            uses_src_i,  // not an immediate
  input logic [vta_pkg::AccElemBits-1:0] even_i,      // with one read for each of them: of dst
  input logic [vta_pkg::AccElemBits-1:0] odd_i        // of src
);
  localparam int unsigned Reads = LogBanks == 1 ? 2 : 1;
  localparam int unsigned ElemBits = vta_pkg::AccElemBits;
  localparam int unsigned Passes = vta_pkg::AluPasses;
  localparam int unsigned PartBits = ElemBits / Passes;
  localparam int unsigned PassWidth = Passes > 1 ? $clog2(Passes) : 1;

  logic [PartBits-1:0]  dst, src, bias;
  logic [PassWidth-1:0] pass;
  logic [5:0]           shift;

  vta_alu_operands #(
    .LogBanks(LogBanks)
  ) dut (
    .clk_i,
    .dst_read_i,
    .src_read_i,
    .pair_read_i,
    .dst_odd_i,
    .src_odd_i,
    .src_kept_i,
    .dst_rdata_i(Reads == 2 ? (Reads * ElemBits)'({odd_i, even_i}) : (Reads * ElemBits)'(even_i)),
    .src_rdata_i(Reads == 2 ? (Reads * ElemBits)'({odd_i, even_i}) : (Reads * ElemBits)'(odd_i)),
    .dst_o(dst),
    .src_o(src),
    .bias_o(bias),
    .pass_o(pass),
    .shift_o(shift)
  );

  // The access of the cycle before, and its elements, which come in this one.
  logic dst_q = 1'b0, src_q = 1'b0, pair_q = 1'b0, dst_odd_q = 1'b0, src_odd_q = 1'b0, uses_src_q = 1'b0;
  logic [ElemBits-1:0] dst_now, src_now;
  // What was read last, if it was.
  logic                src_there_q = 1'b0, bias_there_q = 1'b0, is_pair_q = 1'b0;
  logic [ElemBits-1:0] src_last_q = '0, bias_last_q = '0;
  // The element that goes through the lanes: cycles since its access, and its operands.
  logic [3:0]          since_q = '1;
  logic                src_known_q = 1'b0, bias_known_q = 1'b0;
  logic [ElemBits-1:0] work_dst_q = '0, work_src_q = '0, work_bias_q = '0;

  assign dst_now = Reads == 2 && dst_odd_q ? odd_i : even_i;
  assign src_now = Reads == 1 || src_odd_q ? odd_i : even_i;

  always_ff @(posedge clk_i) begin
    dst_q <= dst_read_i;
    src_q <= src_read_i;
    pair_q <= pair_read_i;
    dst_odd_q <= dst_odd_i;
    src_odd_q <= src_odd_i;
    uses_src_q <= uses_src_i;
    if (src_q) begin
      src_there_q <= 1'b1;
      src_last_q <= src_now;
      is_pair_q <= pair_q;
    end
    if (pair_q) begin
      bias_there_q <= 1'b1;
      bias_last_q <= Reads == 2 ? odd_i : even_i;
    end
    since_q <= dst_read_i ? 4'd1 : since_q == '1 ? since_q : since_q + 1'b1;
    if (dst_q) begin
      work_dst_q <= dst_now;
      work_src_q <= src_q ? src_now : src_last_q;
      work_bias_q <= bias_last_q;
      src_known_q <= uses_src_q;
      bias_known_q <= bias_there_q;
    end
  end

  always_comb begin
    // One element after the other, as vta_alu lets them in; src alone may come a cycle sooner than dst.
    assume (!dst_read_i || 32'(since_q) >= Passes);
    assume (!src_read_i || dst_read_i || 32'(since_q) + 32'd1 >= Passes);
    assume (!pair_read_i || (src_read_i && !dst_read_i && !src_odd_i));
    assume (!dst_read_i || !uses_src_i || src_read_i == !src_kept_i);
    assume (!dst_read_i || !src_read_i || uses_src_i);
    // What is kept was read.
    assume (!dst_read_i || !uses_src_i || src_read_i || src_q || src_there_q);
    if (is_pair_q) assert (shift == src_last_q[vta_pkg::RequantShiftLsb+:6]);
  end

  if (Passes == 1) begin : gen_whole
    always_comb begin
      if (dst_q) assert (dst == dst_now);
      if (dst_q && uses_src_q) assert (src == (src_q ? src_now : src_last_q));
      if (dst_q && bias_there_q) assert (bias == bias_last_q);
      cover (dst_q && uses_src_q && !src_q && src_last_q != src_now);
    end
  end else begin : gen_parts
    logic [3:0] since_work_q = '1;  // cycles since the operands are known
    logic [3:0] part_q = '1;        // the part in the lanes' second cycle
    always_ff @(posedge clk_i) begin
      since_work_q <= dst_q ? 4'd0 : since_work_q == '1 ? since_work_q : since_work_q + 1'b1;
      part_q <= since_work_q;
    end
    always_comb begin
      if (32'(since_work_q) < Passes) begin
        assert (dst == work_dst_q[32'(since_work_q)*PartBits+:PartBits]);
        if (src_known_q) assert (src == work_src_q[32'(since_work_q)*PartBits+:PartBits]);
        if (bias_known_q) assert (bias == work_bias_q[32'(since_work_q)*PartBits+:PartBits]);
      end
      if (32'(part_q) < Passes) assert (pass == PassWidth'(part_q));
      // src of the next element is read while the last part of this one is chosen.
      cover (32'(since_work_q) == Passes - 1 && src_known_q && src_q && src_now != work_src_q);
      cover (32'(since_work_q) == Passes - 1 && bias_known_q && is_pair_q && !src_q && dst_q);
    end
  end
endmodule
