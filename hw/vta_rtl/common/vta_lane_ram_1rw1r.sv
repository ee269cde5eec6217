// vta_lane_ram with a second read port: port A writes up to `Lanes` consecutive elements or reads one, port B reads
// one.
//
// Timing and rules are those of vta_ram_1rw1r.
module vta_lane_ram_1rw1r #(
  // Bits of an element, and elements: as many for each lane.
  parameter int unsigned ElemBits = 8,
  parameter int unsigned Depth = 2,
  // Elements of the widest write: a power of two, at most Depth / 2.
  parameter int unsigned Lanes = 1,
  localparam int unsigned AddrWidth = $clog2(Depth)
) (
  input  logic                               clk_i,
  // Port A: a write of a_wcount_i elements, 1 to Lanes, the first in the low bits of the data; or a read of one.
  input  logic                               a_we_i,
  input  logic                               a_re_i,
  input  logic [AddrWidth-1:0]               a_addr_i,
  input  logic [vta_pkg::LaneCountWidth-1:0] a_wcount_i,
  input  logic [Lanes*ElemBits-1:0]          a_wdata_i,
  output logic [ElemBits-1:0]                a_rdata_o,
  // Port B: a read.
  input  logic                               b_re_i,
  input  logic [AddrWidth-1:0]               b_addr_i,
  output logic [ElemBits-1:0]                b_rdata_o
);

  if (Lanes == 1) begin : gen_plain
    logic unused;
    assign unused = &{1'b0, a_wcount_i};
    vta_ram_1rw1r #(
      .Width(ElemBits),
      .Depth(Depth)
    ) u_ram (
      .clk_i,
      .a_we_i,
      .a_re_i,
      .a_addr_i,
      .a_wdata_i,
      .a_rdata_o,
      .b_re_i,
      .b_addr_i,
      .b_rdata_o
    );
  end else begin : gen_banks
    localparam int unsigned LaneWidth = $clog2(Lanes);
    localparam int unsigned RowWidth = AddrWidth - LaneWidth;

    logic [Lanes*ElemBits-1:0] a_bank_rdata;
    logic [Lanes*ElemBits-1:0] b_bank_rdata;
    logic [LaneWidth-1:0] a_lane_q;
    logic [LaneWidth-1:0] b_lane_q;

    for (genvar b = 0; b < Lanes; b++) begin : gen_bank
      logic [LaneWidth-1:0] lane;  // which element of the write belongs here
      logic [LaneWidth:0] at;  // its place from the first element's row on: the carry is the next row
      logic [RowWidth-1:0] row;
      assign lane = LaneWidth'(b) - a_addr_i[LaneWidth-1:0];
      assign at = {1'b0, a_addr_i[LaneWidth-1:0]} + {1'b0, lane};
      assign row = a_addr_i[AddrWidth-1:LaneWidth] + RowWidth'(a_we_i && at[LaneWidth]);
      logic unused;
      assign unused = &{1'b0, at};

      vta_ram_1rw1r #(
        .Width(ElemBits),
        .Depth(Depth / Lanes)
      ) u_ram (
        .clk_i,
        .a_we_i(a_we_i && vta_pkg::LaneCountWidth'(lane) < a_wcount_i),
        .a_re_i(a_re_i && !a_we_i && a_addr_i[LaneWidth-1:0] == LaneWidth'(b)),
        .a_addr_i(row),
        .a_wdata_i(a_wdata_i[32'(lane)*ElemBits+:ElemBits]),
        .a_rdata_o(a_bank_rdata[b*ElemBits+:ElemBits]),
        .b_re_i(b_re_i && b_addr_i[LaneWidth-1:0] == LaneWidth'(b)),
        .b_addr_i(b_addr_i[AddrWidth-1:LaneWidth]),
        .b_rdata_o(b_bank_rdata[b*ElemBits+:ElemBits])
      );
    end

    always_ff @(posedge clk_i) begin
      if (a_re_i && !a_we_i) a_lane_q <= a_addr_i[LaneWidth-1:0];
      if (b_re_i) b_lane_q <= b_addr_i[LaneWidth-1:0];
    end

    assign a_rdata_o = a_bank_rdata[32'(a_lane_q)*ElemBits+:ElemBits];
    assign b_rdata_o = b_bank_rdata[32'(b_lane_q)*ElemBits+:ElemBits];
  end

endmodule
