// A memory of elements that takes up to `Lanes` consecutive elements in one write, at any address, and reads
// `ReadElems`, mostly one.
//
// Banks by the low address bits; each bank is a RAM of its own. Read data comes one cycle after re_i and stays until
// the next re_i. A read in the cycle of a write to the same element gives the old contents. Elements past the end have
// unknown contents.
module vta_lane_ram #(
  // Bits of an element, and elements: as many in each RAM.
  parameter int unsigned ElemBits = 8,
  parameter int unsigned Depth = 2,
  // Elements of the widest write: a power of two, at most Depth / 2.
  parameter int unsigned Lanes = 1,
  // Elements of a read, and RAMs: a power of two, at least both Lanes and ReadElems, at most Depth / 2.
  parameter int unsigned ReadElems = 1,
  parameter int unsigned Banks = Lanes,
  // What it is made of: a value of the attribute ram_style.
  parameter Style = "auto",
  localparam int unsigned AddrWidth = $clog2(Depth)
) (
  input  logic                               clk_i,
  // Write: wcount_i elements, 1 to Lanes, from waddr_i on; the first is in the low bits of the data.
  input  logic                               we_i,
  input  logic [AddrWidth-1:0]               waddr_i,
  input  logic [vta_pkg::LaneCountWidth-1:0] wcount_i,
  input  logic [Lanes*ElemBits-1:0]          wdata_i,
  // Read of one element, or with rmany_i of ReadElems; the first is in the low bits. Of the others a read of one
  // element says nothing.
  input  logic                               re_i,
  input  logic                               rmany_i,
  input  logic [AddrWidth-1:0]               raddr_i,
  output logic [ReadElems*ElemBits-1:0]      rdata_o
);

  if (Banks == 1) begin : gen_plain
    logic unused;
    assign unused = &{1'b0, wcount_i, rmany_i};
    vta_ram_1r1w #(
      .Width(ElemBits),
      .Depth(Depth),
      .Style(Style)
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
    localparam int unsigned BankWidth = $clog2(Banks);
    localparam int unsigned RowWidth = AddrWidth - BankWidth;

    logic [Banks*ElemBits-1:0] bank_rdata;
    logic [BankWidth-1:0] read_bank_q;

    // The rows of the first element and, for banks below its own, the next ones.
    logic [RowWidth-1:0] write_row, write_next, read_row, read_next;
    assign write_row = waddr_i[AddrWidth-1:BankWidth];
    assign write_next = write_row + 1'b1;
    assign read_row = raddr_i[AddrWidth-1:BankWidth];
    assign read_next = read_row + 1'b1;

    for (genvar b = 0; b < Banks; b++) begin : gen_bank
      logic [BankWidth-1:0] lane, elem;  // which element of the write, and of the read, belongs here
      logic [ElemBits-1:0] wdata;
      logic reads;
      assign lane = BankWidth'(b) - waddr_i[BankWidth-1:0];
      assign elem = BankWidth'(b) - raddr_i[BankWidth-1:0];
      assign reads = elem == '0 || (ReadElems > 1 && rmany_i && 32'(elem) < ReadElems);
      if (Lanes == 1) begin : gen_one_lane
        assign wdata = wdata_i;
      end else begin : gen_lanes
        assign wdata = wdata_i[32'(lane[$clog2(Lanes)-1:0])*ElemBits+:ElemBits];
      end
      logic unused;
      assign unused = &{1'b0, rmany_i};

      vta_ram_1r1w #(
        .Width(ElemBits),
        .Depth(Depth / Banks),
        .Style(Style)
      ) u_ram (
        .clk_i,
        .we_i(we_i && vta_pkg::LaneCountWidth'(lane) < wcount_i),
        .waddr_i(b < 32'(waddr_i[BankWidth-1:0]) ? write_next : write_row),
        .wdata_i(wdata),
        .re_i(re_i && reads),
        .raddr_i(b < 32'(raddr_i[BankWidth-1:0]) ? read_next : read_row),
        .rdata_o(bank_rdata[b*ElemBits+:ElemBits])
      );
    end

    always_ff @(posedge clk_i) begin
      if (re_i) read_bank_q <= raddr_i[BankWidth-1:0];
    end

    for (genvar e = 0; e < ReadElems; e++) begin : gen_elem
      logic [BankWidth-1:0] bank;
      assign bank = read_bank_q + BankWidth'(e);
      assign rdata_o[e*ElemBits+:ElemBits] = bank_rdata[32'(bank)*ElemBits+:ElemBits];
    end
  end

endmodule
