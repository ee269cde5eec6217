// The register between the load unit's DMA and one scratchpad.
//
// GEMM cannot notice it: it begins to read later than that after the transfer. Padding is a reset of the register, so it
// costs no logic in the way of the data, but for the sign bits of the least value. The register needs no enable, which
// would have thousands of bits to reach; a simulator has less to do with one.
module vta_load_write #(
  // Bits of an operand and of an element of the scratchpad, elements written at once, and log2 of the depth.
  parameter int unsigned Width = 8,
  parameter int unsigned ElemBits = 128,
  parameter int unsigned Lanes = 1,
  parameter int unsigned LogDepth = 11
) (
  // Clock; synchronous reset.
  input  logic                                clk_i,
  input  logic                                rst_ni,
  // The operation of the DMA: it writes count_i elements from addr_i on, data or padding of zeros or the least value.
  input  logic                                we_i,
  input  logic                                pad_i,
  input  logic                                pad_min_i,
  input  logic [LogDepth-1:0]                 addr_i,
  input  logic [vta_pkg::LaneCountWidth-1:0]  count_i,
  input  logic [Lanes*ElemBits-1:0]           data_i,
  // The same a cycle later, for the scratchpad; the first element in the low bits.
  output logic                                we_o,
  output logic [LogDepth-1:0]                 addr_o,
  output logic [vta_pkg::LaneCountWidth-1:0]  count_o,
  output logic [Lanes*ElemBits-1:0]           data_o
);

  logic                                we_q;
  logic [LogDepth-1:0]                 addr_q;
  logic [vta_pkg::LaneCountWidth-1:0]  count_q;
  logic [Lanes*ElemBits-1:0]           data_q;
  logic [Width-1:0]                    pad;
  assign pad = {pad_min_i, (Width - 1)'(0)};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) we_q <= 1'b0;
    else we_q <= we_i;
    addr_q <= addr_i;
    count_q <= count_i;
    if (!vta_pkg::FastSimulation || we_i) data_q <= pad_i ? {Lanes * ElemBits / Width{pad}} : data_i;
  end
  assign we_o = we_q;
  assign addr_o = addr_q;
  assign count_o = count_q;
  assign data_o = data_q;

endmodule
