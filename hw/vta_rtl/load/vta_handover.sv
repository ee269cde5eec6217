// The reading side of a hand-over: a LOAD of INP_FROM_OUT takes its elements from OUT, in order, with no DRAM between.
// An element of OUT is one of INP, or several.
//
// It takes the place of the read channel for the read DMA's writing side: an element is read a cycle, held until it is
// written, and the next one is read in that cycle (docs/timing.md, "Read DMA"). Its transfers have been checked against
// the depth of OUT.
module vta_handover (
  // Clock; synchronous reset; clear_i before a launch.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  // The oldest hand-over with data that has started and has not been taken here.
  input  logic              cmd_valid_i,
  input  vta_pkg::mem_cmd_t cmd_i,
  output logic              cmd_pop_o,

  // Read of OUT: data one cycle after the enable, held until the next enable.
  output logic                            out_re_o,
  output logic [vta_pkg::OutLogDepth-1:0] out_raddr_o,
  input  logic [vta_pkg::OutElemBits-1:0] out_rdata_i,

  // There is an element; it is the last one of its row; it is written in this cycle.
  output logic                            valid_o,
  output logic [vta_pkg::InpElemBits-1:0] data_o,
  output logic                            row_end_o,
  input  logic                            consume_i
);

  localparam int unsigned LogParts = vta_pkg::LogHandParts;
  localparam int unsigned AddrWidth = vta_pkg::HandAddrWidth;

  logic active_q;
  logic [15:0] x_left_q;
  logic [15:0] y_left_q;
  logic row_last_q;   // it is the last element of its row; its row is the last one
  logic rows_last_q;
  logic [15:0] x_size_q;
  logic [AddrWidth-1:0] x_stride_q;
  logic [AddrWidth-1:0] addr_q;
  logic [AddrWidth-1:0] row_addr_q;  // of the first element of the next row
  logic valid_q;
  logic row_end_q;
  logic read;

  assign read = active_q && (!valid_q || consume_i);
  assign cmd_pop_o = cmd_valid_i && (!active_q || (read && row_last_q && rows_last_q));
  assign out_re_o = read;
  assign out_raddr_o = addr_q[LogParts+:vta_pkg::OutLogDepth];
  assign valid_o = valid_q;
  assign row_end_o = row_end_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) active_q <= 1'b0;
    else if (cmd_pop_o) active_q <= 1'b1;
    else if (read && row_last_q && rows_last_q) active_q <= 1'b0;

    if (!rst_ni || clear_i) valid_q <= 1'b0;
    else if (read) valid_q <= 1'b1;
    else if (consume_i) valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (read) row_end_q <= row_last_q;
    if (cmd_pop_o) begin
      x_left_q <= cmd_i.x_size;
      row_last_q <= cmd_i.x_size == 16'd1;
      y_left_q <= cmd_i.y_size;
      rows_last_q <= cmd_i.y_size == 16'd1;
      x_size_q <= cmd_i.x_size;
      x_stride_q <= AddrWidth'(cmd_i.x_stride);
      addr_q <= AddrWidth'(cmd_i.dram_base);
      row_addr_q <= AddrWidth'(cmd_i.dram_base) + AddrWidth'(cmd_i.x_stride);
    end else if (read) begin
      addr_q <= addr_q + 1'b1;
      x_left_q <= x_left_q - 1'b1;
      row_last_q <= x_left_q == 16'd2;
      if (row_last_q) begin
        x_left_q <= x_size_q;
        row_last_q <= x_size_q == 16'd1;
        y_left_q <= y_left_q - 1'b1;
        rows_last_q <= y_left_q == 16'd2;
        addr_q <= row_addr_q;
        row_addr_q <= row_addr_q + x_stride_q;
      end
    end
  end

  if (LogParts == 0) begin : gen_whole
    assign data_o = out_rdata_i[vta_pkg::InpElemBits-1:0];
  end else begin : gen_parts
    logic [LogParts-1:0] part_q;
    always_ff @(posedge clk_i) begin
      if (read) part_q <= addr_q[LogParts-1:0];
    end
    assign data_o = out_rdata_i[part_q*vta_pkg::InpElemBits+:vta_pkg::InpElemBits];
  end

  logic unused;
  assign unused = &{1'b0, cmd_i};

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      row_ends_as_counted : assert (!active_q || row_last_q == (x_left_q == 16'd1));
      transfer_ends_as_counted : assert (!active_q || rows_last_q == (y_left_q == 16'd1));
    end
  end

endmodule
