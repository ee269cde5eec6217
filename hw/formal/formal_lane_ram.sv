// A memory of lanes whose depth is no power of two: one element, chosen freely, keeps what was written to it last, and
// reads see it at its place, in rows that end at the last element, too.
module formal_lane_ram (
  input logic                               clk_i,
  input logic                               we_i,
  input logic [3:0]                         waddr_i,
  input logic [vta_pkg::LaneCountWidth-1:0] wcount_i,
  input logic [3:0]                         wdata_i,
  input logic                               re_i,
  input logic                               rmany_i,
  input logic [3:0]                         raddr_i
);
  localparam int unsigned ElemBits = 2;
  localparam int unsigned Depth = 12;
  localparam int unsigned Lanes = 2;
  localparam int unsigned ReadElems = 3;

  logic [ReadElems*ElemBits-1:0] rdata;

  vta_lane_ram #(
    .ElemBits(ElemBits),
    .Depth(Depth),
    .Lanes(Lanes),
    .ReadElems(ReadElems),
    .Banks(4)
  ) dut (
    .clk_i,
    .we_i,
    .waddr_i,
    .wcount_i,
    .wdata_i,
    .re_i,
    .rmany_i,
    .raddr_i,
    .rdata_o(rdata)
  );

  (* anyconst *) logic [3:0] elem;

  logic written_q = 1'b0;
  logic [ElemBits-1:0] value_q = '0;
  // The last read: whether it was of the element, when that had been written, and its place and value.
  logic seen_q = 1'b0;
  logic [3:0] place_q = '0;
  logic [ElemBits-1:0] seen_value_q = '0;
  logic [4:0] write_place, read_place;
  logic writes, reads;

  assign write_place = 5'(elem) - 5'(waddr_i);
  assign read_place = 5'(elem) - 5'(raddr_i);
  assign writes = we_i && write_place < 5'(wcount_i);
  assign reads = read_place < (rmany_i ? 5'(ReadElems) : 5'd1);

  always_ff @(posedge clk_i) begin
    if (writes) begin
      written_q <= 1'b1;
      value_q <= wdata_i[32'(write_place)*ElemBits+:ElemBits];
    end
    if (re_i) begin
      seen_q <= reads && written_q;
      place_q <= read_place[3:0];
      seen_value_q <= value_q;
    end
  end

  always_comb begin
    assume (32'(elem) < Depth);
    assume (32'(raddr_i) < Depth);
    assume (32'(wcount_i) >= 1 && 32'(wcount_i) <= Lanes);
    assume (32'(waddr_i) + 32'(wcount_i) <= Depth);
    if (seen_q) begin
      last_written : assert (rdata[32'(place_q)*ElemBits+:ElemBits] == seen_value_q);
    end
    cover (seen_q && elem == 4'(Depth - 1) && place_q == 4'd2 && seen_value_q == 2'd3);
  end
endmodule
