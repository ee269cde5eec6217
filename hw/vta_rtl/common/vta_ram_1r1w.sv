// A memory with one read and one write port, as block RAMs offer it.
//
// Read data comes one cycle after re_i and stays until the next re_i. A read in the cycle of a write to the same
// address gives the old contents.
module vta_ram_1r1w #(
  // Bits of a word, and words.
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 2,
  // What it is made of: a value of the attribute ram_style. Simulators do not look at it.
  // verilator lint_off UNUSEDPARAM
  parameter Style = "auto",
  // verilator lint_on UNUSEDPARAM
  localparam int unsigned AddrWidth = $clog2(Depth)
) (
  input  logic                 clk_i,
  // Write port.
  input  logic                 we_i,
  input  logic [AddrWidth-1:0] waddr_i,
  input  logic [Width-1:0]     wdata_i,
  // Read port.
  input  logic                 re_i,
  input  logic [AddrWidth-1:0] raddr_i,
  output logic [Width-1:0]     rdata_o
);

  (* ram_style = Style *)
  logic [Width-1:0] mem_q[Depth];
  logic [Width-1:0] rdata_q;

  always_ff @(posedge clk_i) begin
    if (we_i) mem_q[waddr_i] <= wdata_i;
  end

  always_ff @(posedge clk_i) begin
    if (re_i) rdata_q <= mem_q[raddr_i];
  end

  assign rdata_o = rdata_q;

endmodule
