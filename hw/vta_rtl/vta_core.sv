// The accelerator: fetch, load, compute and store with their scratchpads, token queues and registers.
//
// One clock, one synchronous reset (active low). Software talks through s_axil (registers: docs/isa.md), the core
// reads instructions, operands and micro-ops and writes results through m_axi. The timing contract is
// docs/timing.md. All parameters are in the generated package vta_pkg.
module vta_core (
  input  logic clk_i,
  input  logic rst_ni,
  // High while an enabled interrupt is pending.
  output logic irq_o,

  // AXI4-Lite slave, 32-bit data: the control registers. One write and one read at a time; no byte strobes below
  // a word (a write with any strobe clear is answered with SLVERR and changes nothing).
  input  logic [11:0] s_axil_awaddr_i,
  input  logic        s_axil_awvalid_i,
  output logic        s_axil_awready_o,
  input  logic [31:0] s_axil_wdata_i,
  input  logic [ 3:0] s_axil_wstrb_i,
  input  logic        s_axil_wvalid_i,
  output logic        s_axil_wready_o,
  output logic [ 1:0] s_axil_bresp_o,
  output logic        s_axil_bvalid_o,
  input  logic        s_axil_bready_i,
  input  logic [11:0] s_axil_araddr_i,
  input  logic        s_axil_arvalid_i,
  output logic        s_axil_arready_o,
  output logic [31:0] s_axil_rdata_o,
  output logic [ 1:0] s_axil_rresp_o,
  output logic        s_axil_rvalid_o,
  input  logic        s_axil_rready_i,

  // AXI4 master, read side: INCR bursts of full-width beats, at most MaxBurstBeats, never across 4 KiB.
  // RREADY and BREADY are constantly high. Ids: AxiIdFetch, AxiIdLoad, AxiIdCompute; writes AxiIdStore.
  output logic [vta_pkg::AxiIdWidth-1:0]   m_axi_arid_o,
  output logic [vta_pkg::AxiAddrWidth-1:0] m_axi_araddr_o,
  output logic [7:0]                       m_axi_arlen_o,
  output logic [2:0]                       m_axi_arsize_o,
  output logic [1:0]                       m_axi_arburst_o,
  output logic                             m_axi_arvalid_o,
  input  logic                             m_axi_arready_i,
  input  logic [vta_pkg::AxiIdWidth-1:0]   m_axi_rid_i,
  input  logic [vta_pkg::AxiDataWidth-1:0] m_axi_rdata_i,
  input  logic [1:0]                       m_axi_rresp_i,
  input  logic                             m_axi_rlast_i,
  input  logic                             m_axi_rvalid_i,
  output logic                             m_axi_rready_o,

  // AXI4 master, write side.
  output logic [vta_pkg::AxiIdWidth-1:0]   m_axi_awid_o,
  output logic [vta_pkg::AxiAddrWidth-1:0] m_axi_awaddr_o,
  output logic [7:0]                       m_axi_awlen_o,
  output logic [2:0]                       m_axi_awsize_o,
  output logic [1:0]                       m_axi_awburst_o,
  output logic                             m_axi_awvalid_o,
  input  logic                             m_axi_awready_i,
  output logic [vta_pkg::AxiDataWidth-1:0] m_axi_wdata_o,
  output logic [vta_pkg::AxiBytes-1:0]     m_axi_wstrb_o,
  output logic                             m_axi_wlast_o,
  output logic                             m_axi_wvalid_o,
  input  logic                             m_axi_wready_i,
  input  logic [vta_pkg::AxiIdWidth-1:0]   m_axi_bid_i,
  input  logic [1:0]                       m_axi_bresp_i,
  input  logic                             m_axi_bvalid_i,
  output logic                             m_axi_bready_o,

  // Observation, for simulation: the instructions that retire in this cycle, bit and word 0 load, 1 compute,
  // 2 store. Effects of a retired instruction on scratchpads are there after the cycle's clock edge.
  output logic [2:0]                              retire_valid_o,
  output logic [2:0][vta_pkg::NumberWidth-1:0]    retire_number_o,
  // A launch is running (from cycle 0 until done).
  output logic                                    running_o
);

endmodule
