// ACC and its mirror OUT: banks by the low address bits, each with one read and one write port, and the one
// arbitration that gives banks to ACC loads, ALU and GEMM, in this order of priority.
//
// An access in cycle a owns its banks for that cycle: it reads in a (data in a+1) and writes in a + AccLatency, or does not;
// since that distance is the same for all, owning the bank in a is enough for both ports. Loads are always granted; their
// data is written in a + AccLatency too. OUT has its own read port for the store unit.
module vta_acc_memory #(
  parameter int unsigned LogBanks = 2
) (
  input logic clk_i,
  input logic rst_ni,
  input logic clear_i,

  input logic                            load_req_i,
  input logic [vta_pkg::AccLogDepth-1:0] load_addr_i,
  input logic [vta_pkg::AccElemBits-1:0] load_data_i,

  input  logic                            alu_dst_req_i,
  input  logic [vta_pkg::AccLogDepth-1:0] alu_dst_addr_i,
  input  logic                            alu_src_req_i,
  input  logic [vta_pkg::AccLogDepth-1:0] alu_src_addr_i,
  output logic                            alu_gnt_o,
  output logic [vta_pkg::AccElemBits-1:0] alu_dst_rdata_o,
  output logic [vta_pkg::AccElemBits-1:0] alu_src_rdata_o,
  input  logic                            alu_we_i,
  input  logic [vta_pkg::AccLogDepth-1:0] alu_waddr_i,
  input  logic [vta_pkg::AccElemBits-1:0] alu_wdata_i,

  input  logic                            gemm_req_i,
  input  logic [vta_pkg::AccLogDepth-1:0] gemm_addr_i,
  output logic                            gemm_gnt_o,
  output logic [vta_pkg::AccElemBits-1:0] gemm_rdata_o,
  input  logic                            gemm_we_i,
  input  logic [vta_pkg::AccLogDepth-1:0] gemm_waddr_i,
  input  logic [vta_pkg::AccElemBits-1:0] gemm_wdata_i,

  input  logic                            out_re_i,
  input  logic [vta_pkg::OutLogDepth-1:0] out_raddr_i,
  output logic [vta_pkg::OutElemBits-1:0] out_rdata_o
);
  localparam int unsigned AccAw = vta_pkg::AccLogDepth;
  localparam int unsigned AccBits = vta_pkg::AccElemBits;
  localparam int unsigned OutBits = vta_pkg::OutElemBits;
  localparam int unsigned Lanes = vta_pkg::Batch * vta_pkg::BlockOut;
  localparam int unsigned Banks = 1 << LogBanks;
  // Two rows at least: with depth 2 or 4 the banks have one, and the upper row is never used.
  localparam int unsigned Rows = AccAw > LogBanks ? 1 << (AccAw - LogBanks) : 2;
  localparam int unsigned RowWidth = $clog2(Rows);

  // The rest of the address is the row.
  // verilator lint_off UNUSEDSIGNAL
  function automatic logic [LogBanks-1:0] bank_of(input logic [AccAw-1:0] addr);
    bank_of = addr[LogBanks-1:0];
  endfunction
  // verilator lint_on UNUSEDSIGNAL
  function automatic logic [RowWidth-1:0] row_of(input logic [AccAw-1:0] addr);
    row_of = RowWidth'(addr >> LogBanks);
  endfunction

  // ---- Arbitration -----------------------------------------------------------------------------
  function automatic logic meets(input logic req, input logic [AccAw-1:0] addr, input logic other_req,
                                 input logic [AccAw-1:0] other);
    meets = req && other_req && bank_of(addr) == bank_of(other);
  endfunction

  assign alu_gnt_o = !meets(alu_dst_req_i, alu_dst_addr_i, load_req_i, load_addr_i) &&
                     !meets(alu_src_req_i, alu_src_addr_i, load_req_i, load_addr_i);
  assign gemm_gnt_o = !meets(gemm_req_i, gemm_addr_i, load_req_i, load_addr_i) &&
                      !meets(gemm_req_i, gemm_addr_i, alu_dst_req_i && alu_gnt_o, alu_dst_addr_i) &&
                      !meets(gemm_req_i, gemm_addr_i, alu_src_req_i && alu_gnt_o, alu_src_addr_i);

  // ---- Loads wait until their write ------------------------------------------------------------
  localparam int unsigned Latency = vta_pkg::AccLatency;
  localparam int unsigned SlotWidth = $clog2(Latency);
  logic [AccBits-1:0]   load_data_q [Latency];
  logic [AccAw-1:0]     load_addr_q [Latency];
  logic [Latency-1:0]   load_valid_q;
  logic [SlotWidth-1:0] slot_q;  // of this cycle: of the access that is written, then of the new one
  logic                 load_we;
  logic [AccAw-1:0]     load_waddr;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      slot_q <= '0;
      load_valid_q <= '0;
    end else begin
      slot_q <= slot_q == SlotWidth'(Latency - 1) ? '0 : slot_q + 1'b1;
      load_valid_q[slot_q] <= load_req_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (load_req_i) begin
      load_data_q[slot_q] <= load_data_i;
      load_addr_q[slot_q] <= load_addr_i;
    end
  end
  assign load_we = load_valid_q[slot_q];
  assign load_waddr = load_addr_q[slot_q];

  // ---- Banks -----------------------------------------------------------------------------------
  logic [AccBits-1:0] acc_rdata [Banks];
  logic [OutBits-1:0] out_rdata [Banks];

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic                re, we, load_here, gemm_here, alu_dst_here, alu_src_here, alu_here, gemm_reads;
    logic [RowWidth-1:0] raddr, waddr;
    logic [AccBits-1:0]  wdata;
    logic [OutBits-1:0]  out_wdata;

    assign alu_dst_here = alu_dst_req_i && alu_gnt_o && bank_of(alu_dst_addr_i) == LogBanks'(b);
    assign alu_src_here = alu_src_req_i && alu_gnt_o && bank_of(alu_src_addr_i) == LogBanks'(b);
    assign gemm_reads = gemm_req_i && gemm_gnt_o && bank_of(gemm_addr_i) == LogBanks'(b);
    assign re = alu_dst_here || alu_src_here || gemm_reads;
    assign raddr = row_of(alu_dst_here ? alu_dst_addr_i : alu_src_here ? alu_src_addr_i : gemm_addr_i);

    assign load_here = load_we && bank_of(load_waddr) == LogBanks'(b);
    assign gemm_here = gemm_we_i && bank_of(gemm_waddr_i) == LogBanks'(b);
    assign alu_here = alu_we_i && bank_of(alu_waddr_i) == LogBanks'(b);
    assign we = load_here || gemm_here || alu_here;
    assign waddr = row_of(load_here ? load_waddr : gemm_here ? gemm_waddr_i : alu_waddr_i);
    assign wdata = load_here ? load_data_q[slot_q] : gemm_here ? gemm_wdata_i : alu_wdata_i;
    for (genvar l = 0; l < Lanes; l++) begin : gen_mirror
      assign out_wdata[l*vta_pkg::OutWidth+:vta_pkg::OutWidth] = wdata[l*vta_pkg::AccWidth+:vta_pkg::OutWidth];
    end

    vta_ram_1r1w #(
      .Width(AccBits),
      .Depth(Rows)
    ) u_acc (
      .clk_i,
      .we_i(we),
      .waddr_i(waddr),
      .wdata_i(wdata),
      .re_i(re),
      .raddr_i(raddr),
      .rdata_o(acc_rdata[b])
    );
    vta_ram_1r1w #(
      .Width(OutBits),
      .Depth(Rows)
    ) u_out (
      .clk_i,
      .we_i(we),
      .waddr_i(waddr),
      .wdata_i(out_wdata),
      .re_i(out_re_i && bank_of(out_raddr_i) == LogBanks'(b)),
      .raddr_i(row_of(out_raddr_i)),
      .rdata_o(out_rdata[b])
    );

    // One owner of a bank in a cycle, so one read and one write.
    always_ff @(posedge clk_i) begin
      if (rst_ni && !clear_i) begin
        assert (!(load_here && gemm_here) && !(load_here && alu_here) && !(gemm_here && alu_here));
        assert (!((alu_dst_here || alu_src_here) && gemm_reads));
      end
    end
  end

  logic [LogBanks-1:0] dst_bank_q, src_bank_q, gemm_bank_q, out_bank_q;
  always_ff @(posedge clk_i) begin
    dst_bank_q <= bank_of(alu_dst_addr_i);
    src_bank_q <= bank_of(alu_src_addr_i);
    gemm_bank_q <= bank_of(gemm_addr_i);
    if (out_re_i) out_bank_q <= bank_of(out_raddr_i);
  end
  assign alu_dst_rdata_o = acc_rdata[dst_bank_q];
  assign alu_src_rdata_o = acc_rdata[src_bank_q];
  assign gemm_rdata_o = acc_rdata[gemm_bank_q];
  assign out_rdata_o = out_rdata[out_bank_q];
endmodule
