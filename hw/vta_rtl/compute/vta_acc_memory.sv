// ACC and its mirror OUT: banks by the low address bits, each with one read and one write port, and the one arbitration
// that gives banks to ACC loads, ALU and GEMM, in this order of priority.
//
// An access in cycle a owns its banks for that cycle: it reads in a (data in a+1) and writes in a + AccLatency, or does
// not; since that distance is the same for all, owning the bank in a is enough for both ports. Loads are always
// granted, in the cycle after they ask; they write AccLatency later too. OUT has its own read port for the store unit, and
// with extension handover there is a second OUT with one for the load unit.
module vta_acc_memory #(
  // log2 of the banks.
  parameter int unsigned LogBanks = vta_pkg::AccLogBanks,
  localparam int unsigned Banks = 1 << LogBanks,
  // The engines get the elements of both banks where there are two, and choose: their LUTs have room for that choice.
  localparam int unsigned Reads = LogBanks == 1 ? Banks : 1
) (
  // Clock; synchronous reset; clear_i before a launch: the contents stay.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  // Loads: an element that has its access in the next cycle, and is written AccLatency after that.
  input  logic                            load_req_i,
  input  logic [vta_pkg::AccLogDepth-1:0] load_addr_i,
  input  logic [vta_pkg::AccElemBits-1:0] load_data_i,

  // ALU: one read or both, granted together, with their banks, one-hot, and those of both; the elements of Reads banks for
  // each, the first in the low bits; its writes.
  input  logic [Banks-1:0]                alu_banks_i,
  input  logic [Banks-1:0]                alu_dst_banks_i,
  input  logic [vta_pkg::AccLogDepth-1:0] alu_dst_addr_i,
  input  logic [Banks-1:0]                alu_src_banks_i,
  input  logic [vta_pkg::AccLogDepth-1:0] alu_src_addr_i,
  output logic                            alu_gnt_o,
  output logic [Reads*vta_pkg::AccElemBits-1:0] alu_dst_rdata_o,
  output logic [Reads*vta_pkg::AccElemBits-1:0] alu_src_rdata_o,
  input  logic                            alu_we_i,
  input  logic [vta_pkg::AccLogDepth-1:0] alu_waddr_i,
  input  logic [vta_pkg::AccElemBits-1:0] alu_wdata_i,

  // GEMM: a read, with the elements of Reads banks; its writes.
  input  logic                            gemm_req_i,
  input  logic [vta_pkg::AccLogDepth-1:0] gemm_addr_i,
  output logic                            gemm_gnt_o,
  output logic [Reads*vta_pkg::AccElemBits-1:0] gemm_rdata_o,
  input  logic                            gemm_we_i,
  input  logic [vta_pkg::AccLogDepth-1:0] gemm_waddr_i,
  input  logic [vta_pkg::AccElemBits-1:0] gemm_wdata_i,

  // The store unit's read of OUT: data one cycle after the enable, held until the next enable.
  input  logic                            out_re_i,
  input  logic [vta_pkg::OutLogDepth-1:0] out_raddr_i,
  output logic [vta_pkg::OutElemBits-1:0] out_rdata_o,
  // The load unit's, for hand-overs: likewise, and at the same time.
  input  logic                            hand_re_i,
  input  logic [vta_pkg::OutLogDepth-1:0] hand_raddr_i,
  output logic [vta_pkg::OutElemBits-1:0] hand_rdata_o
);
  localparam int unsigned AccAw = vta_pkg::AccLogDepth;
  localparam int unsigned AccBits = vta_pkg::AccElemBits;
  localparam int unsigned OutBits = vta_pkg::OutElemBits;
  localparam int unsigned Lanes = vta_pkg::Batch * vta_pkg::BlockOut;
  // Two rows at least: where the banks have one element each, the upper row is never used.
  localparam int unsigned Rows = vta_pkg::AccDepth > Banks ? vta_pkg::AccDepth / Banks : 2;
  localparam int unsigned RowWidth = $clog2(Rows);

  function automatic logic [RowWidth-1:0] row_of(input logic [AccAw-1:0] addr);
    row_of = RowWidth'(addr >> LogBanks);
  endfunction

  // ---- Loads wait until their write ------------------------------------------------------------
  // An element comes in cycle w, owns its bank in w+1 and is written in w + 1 + AccLatency. Until then it is kept in a
  // memory that is written in every cycle, whether there is one or not.
  localparam int unsigned Wait = vta_pkg::AccLatency + 1;
  localparam int unsigned LogKept = $clog2(Wait);
  logic [AccBits-1:0] kept_data_q [1<<LogKept];
  logic [AccAw-1:0]   kept_addr_q [1<<LogKept];
  logic [LogKept-1:0] now_q, write_q;      // where the element of this cycle goes, and that to be written is
  logic [Wait-1:1]    load_valid_q;        // index i: i cycles after the element came
  logic [Banks-1:0]   load_banks_q;        // after 1 cycle, one-hot
  logic [AccAw-1:0]   load_addr, load_waddr_q;
  logic [Banks-1:0]   load_writes_q;
  logic [AccBits-1:0] load_wdata;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      now_q <= '0;
      write_q <= '0;
      load_valid_q <= '0;
      load_banks_q <= '0;
    end else begin
      now_q <= now_q + 1'b1;
      write_q <= now_q + 1'b1 - LogKept'(Wait);
      load_valid_q <= {load_valid_q[Wait-2:1], load_req_i};
      load_banks_q <= Banks'(load_req_i) << load_addr_i[LogBanks-1:0];
    end
  end
  always_ff @(posedge clk_i) begin
    kept_data_q[now_q] <= load_data_i;
    kept_addr_q[now_q] <= load_addr_i;
  end
  // The place is there a cycle before the element.
  assign load_addr = kept_addr_q[write_q + 1'b1];
  always_ff @(posedge clk_i) begin
    load_waddr_q <= load_addr;
    if (!rst_ni || clear_i) load_writes_q <= '0;
    else load_writes_q <= Banks'(load_valid_q[Wait-1]) << load_addr[LogBanks-1:0];
  end
  assign load_wdata = kept_data_q[write_q];

  // ---- Arbitration -----------------------------------------------------------------------------
  // Banks, one-hot. GEMM gets none that the ALU asks for, even if that does not get it either: so neither the grant nor
  // the address of a bank waits for the ALU's grant.
  logic [Banks-1:0] dst_banks, src_banks, gemm_banks;
  assign dst_banks = alu_dst_banks_i;
  assign src_banks = alu_src_banks_i;
  assign gemm_banks = Banks'(gemm_req_i) << gemm_addr_i[LogBanks-1:0];

  assign alu_gnt_o = (alu_banks_i & load_banks_q) == '0;
  assign gemm_gnt_o = (gemm_banks & (load_banks_q | alu_banks_i)) == '0;

  // ---- Banks -----------------------------------------------------------------------------------
  logic [AccBits-1:0] acc_rdata [Banks];
  logic [OutBits-1:0] out_rdata [Banks];
  logic [OutBits-1:0] hand_rdata [Banks];

  logic [Banks-1:0] gemm_writes, alu_writes, writes;
  assign gemm_writes = Banks'(gemm_we_i) << gemm_waddr_i[LogBanks-1:0];
  assign alu_writes = Banks'(alu_we_i) << alu_waddr_i[LogBanks-1:0];
  assign writes = load_writes_q | gemm_writes | alu_writes;

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [RowWidth-1:0] raddr, waddr;
    logic [AccBits-1:0]  wdata;
    logic [OutBits-1:0]  out_wdata;

    assign raddr = row_of(dst_banks[b] ? alu_dst_addr_i : src_banks[b] ? alu_src_addr_i : gemm_addr_i);
    assign waddr = row_of(load_writes_q[b] ? load_waddr_q : gemm_writes[b] ? gemm_waddr_i : alu_waddr_i);
    assign wdata = load_writes_q[b] ? load_wdata : gemm_writes[b] ? gemm_wdata_i : alu_wdata_i;
    for (genvar l = 0; l < Lanes; l++) begin : gen_mirror
      assign out_wdata[l*vta_pkg::OutWidth+:vta_pkg::OutWidth] = wdata[l*vta_pkg::AccWidth+:vta_pkg::OutWidth];
    end

    vta_ram_1r1w #(
      .Width(AccBits),
      .Depth(Rows),
      .Style(vta_pkg::AccRam)
    ) u_acc (
      .clk_i,
      .we_i(writes[b]),
      .waddr_i(waddr),
      .wdata_i(wdata),
      .re_i(dst_banks[b] || src_banks[b] || gemm_banks[b]),
      .raddr_i(raddr),
      .rdata_o(acc_rdata[b])
    );
    vta_ram_1r1w #(
      .Width(OutBits),
      .Depth(Rows),
      .Style(vta_pkg::AccRam)
    ) u_out (
      .clk_i,
      .we_i(writes[b]),
      .waddr_i(waddr),
      .wdata_i(out_wdata),
      .re_i(out_re_i),  // all banks: what is read is chosen afterwards
      .raddr_i(row_of(out_raddr_i)),
      .rdata_o(out_rdata[b])
    );
    if (vta_pkg::ExtHandover) begin : gen_for_load
      vta_ram_1r1w #(
        .Width(OutBits),
        .Depth(Rows),
        .Style(vta_pkg::AccRam)
      ) u_out (
        .clk_i,
        .we_i(writes[b]),
        .waddr_i(waddr),
        .wdata_i(out_wdata),
        .re_i(hand_re_i),
        .raddr_i(row_of(hand_raddr_i)),
        .rdata_o(hand_rdata[b])
      );
    end
  end

  // One owner of a bank in a cycle, so one read and one write.
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      one_write : assert ((load_writes_q & gemm_writes) == '0 && ((load_writes_q | gemm_writes) & alu_writes) == '0);
      both_banks : assert (alu_banks_i == (dst_banks | src_banks));
      one_read : assert (!gemm_gnt_o || ((dst_banks | src_banks) & gemm_banks) == '0);
    end
  end

  logic [LogBanks-1:0] out_bank_q;
  always_ff @(posedge clk_i) begin
    if (out_re_i) out_bank_q <= out_raddr_i[LogBanks-1:0];
  end
  assign out_rdata_o = out_rdata[out_bank_q];
  if (vta_pkg::ExtHandover) begin : gen_handover
    logic [LogBanks-1:0] hand_bank_q;
    always_ff @(posedge clk_i) begin
      if (hand_re_i) hand_bank_q <= hand_raddr_i[LogBanks-1:0];
    end
    assign hand_rdata_o = hand_rdata[hand_bank_q];
  end else begin : gen_no_handover
    for (genvar b = 0; b < Banks; b++) begin : gen_none
      assign hand_rdata[b] = OutBits'(0);
    end
    assign hand_rdata_o = hand_rdata[0];
    logic unused_hand;
    assign unused_hand = &{1'b0, hand_re_i, hand_raddr_i};
  end
  if (Reads == 2) begin : gen_both
    assign alu_dst_rdata_o = {acc_rdata[1], acc_rdata[0]};
    assign alu_src_rdata_o = {acc_rdata[1], acc_rdata[0]};
    assign gemm_rdata_o = {acc_rdata[1], acc_rdata[0]};
  end else begin : gen_chosen
    logic [LogBanks-1:0] dst_bank_q, src_bank_q, gemm_bank_q;
    always_ff @(posedge clk_i) begin
      dst_bank_q <= alu_dst_addr_i[LogBanks-1:0];
      src_bank_q <= alu_src_addr_i[LogBanks-1:0];
      gemm_bank_q <= gemm_addr_i[LogBanks-1:0];
    end
    assign alu_dst_rdata_o = acc_rdata[dst_bank_q];
    assign alu_src_rdata_o = acc_rdata[src_bank_q];
    assign gemm_rdata_o = acc_rdata[gemm_bank_q];
  end
endmodule
