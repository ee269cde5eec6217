// A memory with two ports, as true dual-port block RAMs offer it: port A reads or writes, port B reads.
//
// Read data comes one cycle after the enable and stays until the port's next read. A read by port B in the cycle of a
// write to the same address gives the old contents.
module vta_ram_1rw1r #(
  // Bits of a word, and words.
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 2,
  localparam int unsigned AddrWidth = $clog2(Depth)
) (
  input  logic                 clk_i,
  // Port A: a write or a read, never both in a cycle.
  input  logic                 a_we_i,
  input  logic                 a_re_i,
  input  logic [AddrWidth-1:0] a_addr_i,
  input  logic [Width-1:0]     a_wdata_i,
  output logic [Width-1:0]     a_rdata_o,
  // Port B: a read.
  input  logic                 b_re_i,
  input  logic [AddrWidth-1:0] b_addr_i,
  output logic [Width-1:0]     b_rdata_o
);

  logic [Width-1:0] mem_q[Depth];
  logic [Width-1:0] a_rdata_q, b_rdata_q;

  always_ff @(posedge clk_i) begin
    if (a_we_i) mem_q[a_addr_i] <= a_wdata_i;
    else if (a_re_i) a_rdata_q <= mem_q[a_addr_i];
  end

  always_ff @(posedge clk_i) begin
    if (b_re_i) b_rdata_q <= mem_q[b_addr_i];
  end

  assign a_rdata_o = a_rdata_q;
  assign b_rdata_o = b_rdata_q;

endmodule
