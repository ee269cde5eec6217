// The reading side of hand-overs: every element of a transfer is read once, in order, at its place in OUT; the one that
// was read stays until it is taken, with whether it ends its row; and nothing waits without a reason.
module formal_handover (
  input logic              clk_i,
  input logic              clear_i,
  input logic              cmd_valid_i,
  input vta_pkg::mem_cmd_t cmd_i,
  input logic              consume_i,
  input logic [vta_pkg::OutElemBits-1:0] word_i  // what OUT has where it is read
);
  localparam int unsigned LogParts = vta_pkg::LogHandParts;
  localparam int unsigned Bits = vta_pkg::InpElemBits;

  logic rst_n_q = 1'b0;
  logic pop, out_re, valid, row_end;
  logic [vta_pkg::OutLogDepth-1:0] out_raddr;

  logic [vta_pkg::OutElemBits-1:0] word_q;
  logic [Bits-1:0] data;

  always_ff @(posedge clk_i) begin
    rst_n_q <= 1'b1;
    if (out_re) word_q <= word_i;
  end

  vta_handover dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i,
    .cmd_valid_i,
    .cmd_i,
    .cmd_pop_o(pop),
    .out_re_o(out_re),
    .out_raddr_o(out_raddr),
    .out_rdata_i(word_q),
    .valid_o(valid),
    .data_o(data),
    .row_end_o(row_end),
    .consume_i
  );

  // The transfer that was taken last, and the element of it that is read next.
  logic active_q = 1'b0;
  vta_pkg::mem_cmd_t cmd_q = '0;
  logic [15:0] x_q = '0, y_q = '0;
  logic row_last, last;
  logic [15:0] place;
  logic [15:0] held_place_q;
  logic [vta_pkg::OutElemBits-1:0] held_word;
  // The element that was read and not taken.
  logic held_q = 1'b0;
  logic held_end_q = 1'b0;
  logic joined_q = 1'b0;  // a transfer was taken in the cycle in which the one before ended

  assign row_last = x_q + 1'b1 == cmd_q.x_size;
  assign last = row_last && y_q + 1'b1 == cmd_q.y_size;
  assign place = cmd_q.dram_base[15:0] + y_q * cmd_q.x_stride + x_q;

  always_ff @(posedge clk_i) begin
    if (pop) begin
      cmd_q <= cmd_i;
      x_q <= '0;
      y_q <= '0;
      joined_q <= active_q;
    end else if (out_re) begin
      x_q <= row_last ? '0 : x_q + 1'b1;
      if (row_last) y_q <= y_q + 1'b1;
    end
    if (out_re) begin
      held_end_q <= row_last;
      held_place_q <= place;
    end
    if (!rst_n_q || clear_i) begin
      active_q <= 1'b0;
      held_q <= 1'b0;
    end else begin
      active_q <= pop || (active_q && !(out_re && last));
      held_q <= out_re || (held_q && !consume_i);
    end
  end

  // The element at its place, brought to the low bits.
  assign held_word = word_q >> 32'(held_place_q & 16'((1 << LogParts) - 1)) * Bits;

  always_comb begin
    // Small transfers with data.
    assume (cmd_i.x_size != '0 && cmd_i.x_size < 16'd4 && cmd_i.y_size != '0 && cmd_i.y_size < 16'd4);
    assume (cmd_i.x_stride < 16'd8 && cmd_i.dram_base < 32'd8);
    if (rst_n_q) begin
      reads_of_a_transfer : assert (!out_re || active_q);
      at_its_place : assert (!out_re || out_raddr == place[LogParts+:vta_pkg::OutLogDepth]);
      its_part : assert (!valid || data == held_word[Bits-1:0]);
      held_until_taken : assert (valid == held_q && (!out_re || !held_q || consume_i));
      ends_its_row : assert (!valid || row_end == held_end_q);
      reads_when_it_can : assert (out_re == (active_q && (!held_q || consume_i)));
      takes_when_it_can : assert (pop == (cmd_valid_i && (!active_q || (out_re && last))));
      cover (joined_q && out_re && y_q == 16'd1 && x_q == 16'd1);
      cover (valid && row_end && !consume_i && active_q);
    end
  end
endmodule
