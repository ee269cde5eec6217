// A memory of elements that takes up to `Lanes` consecutive elements in one write, at any address, and reads one.
//
// Banks by the low address bits; each bank is a RAM of its own. Read data comes one cycle after re_i and stays until
// the next re_i. A read in the cycle of a write to the same element gives the old contents.
module vta_lane_ram #(
  // Bits of an element, and elements.
  parameter int unsigned ElemBits = 8,
  parameter int unsigned Depth = 2,
  // Elements of the widest write: a power of two, at most Depth / 2.
  parameter int unsigned Lanes = 1,
  localparam int unsigned AddrWidth = $clog2(Depth)
) (
  input  logic                               clk_i,
  // Write: wcount_i elements, 1 to Lanes, from waddr_i on; the first is in the low bits of the data.
  input  logic                               we_i,
  input  logic [AddrWidth-1:0]               waddr_i,
  input  logic [vta_pkg::LaneCountWidth-1:0] wcount_i,
  input  logic [Lanes*ElemBits-1:0]          wdata_i,
  // Read of one element.
  input  logic                               re_i,
  input  logic [AddrWidth-1:0]               raddr_i,
  output logic [ElemBits-1:0]                rdata_o
);

  if (Lanes == 1) begin : gen_plain
    logic unused;
    assign unused = &{1'b0, wcount_i};
    vta_ram_1r1w #(
      .Width(ElemBits),
      .Depth(Depth)
    ) u_ram (
      .clk_i,
      .we_i,
      .waddr_i,
      .wdata_i,
      .re_i,
      .raddr_i,
      .rdata_o
    );
  end else begin : gen_banks
    localparam int unsigned LaneWidth = $clog2(Lanes);
    localparam int unsigned RowWidth = AddrWidth - LaneWidth;

    logic [Lanes*ElemBits-1:0] bank_rdata;
    logic [LaneWidth-1:0] read_lane_q;

    for (genvar b = 0; b < Lanes; b++) begin : gen_bank
      logic [LaneWidth-1:0] lane;  // which element of the write belongs here
      logic [LaneWidth:0] at;  // its place from the first element's row on: the carry is the next row
      logic [RowWidth-1:0] row;
      assign lane = LaneWidth'(b) - waddr_i[LaneWidth-1:0];
      assign at = {1'b0, waddr_i[LaneWidth-1:0]} + {1'b0, lane};
      assign row = waddr_i[AddrWidth-1:LaneWidth] + RowWidth'(at[LaneWidth]);
      logic unused;
      assign unused = &{1'b0, at};

      vta_ram_1r1w #(
        .Width(ElemBits),
        .Depth(Depth / Lanes)
      ) u_ram (
        .clk_i,
        .we_i(we_i && vta_pkg::LaneCountWidth'(lane) < wcount_i),
        .waddr_i(row),
        .wdata_i(wdata_i[32'(lane)*ElemBits+:ElemBits]),
        .re_i(re_i && raddr_i[LaneWidth-1:0] == LaneWidth'(b)),
        .raddr_i(raddr_i[AddrWidth-1:LaneWidth]),
        .rdata_o(bank_rdata[b*ElemBits+:ElemBits])
      );
    end

    always_ff @(posedge clk_i) begin
      if (re_i) read_lane_q <= raddr_i[LaneWidth-1:0];
    end

    assign rdata_o = bank_rdata[32'(read_lane_q)*ElemBits+:ElemBits];
  end

endmodule
