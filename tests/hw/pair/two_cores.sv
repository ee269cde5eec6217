// Two cores of different configuration in one design, a_vta_core and b_vta_core, with a clock and a reset for both.

// The ports of a core whose names begin with `P`.
`define CORE_PORTS(P) \
  output logic P``irq_o, \
  input  logic [11:0] P``s_axil_awaddr_i, \
  input  logic        P``s_axil_awvalid_i, \
  output logic        P``s_axil_awready_o, \
  input  logic [31:0] P``s_axil_wdata_i, \
  input  logic [ 3:0] P``s_axil_wstrb_i, \
  input  logic        P``s_axil_wvalid_i, \
  output logic        P``s_axil_wready_o, \
  output logic [ 1:0] P``s_axil_bresp_o, \
  output logic        P``s_axil_bvalid_o, \
  input  logic        P``s_axil_bready_i, \
  input  logic [11:0] P``s_axil_araddr_i, \
  input  logic        P``s_axil_arvalid_i, \
  output logic        P``s_axil_arready_o, \
  output logic [31:0] P``s_axil_rdata_o, \
  output logic [ 1:0] P``s_axil_rresp_o, \
  output logic        P``s_axil_rvalid_o, \
  input  logic        P``s_axil_rready_i, \
  output logic [P``vta_pkg::AxiPorts*P``vta_pkg::AxiIdWidth-1:0]   P``m_axi_arid_o, \
  output logic [P``vta_pkg::AxiPorts*P``vta_pkg::AxiAddrWidth-1:0] P``m_axi_araddr_o, \
  output logic [P``vta_pkg::AxiPorts*8-1:0]                        P``m_axi_arlen_o, \
  output logic [P``vta_pkg::AxiPorts*3-1:0]                        P``m_axi_arsize_o, \
  output logic [P``vta_pkg::AxiPorts*2-1:0]                        P``m_axi_arburst_o, \
  output logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_arvalid_o, \
  input  logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_arready_i, \
  input  logic [P``vta_pkg::AxiPorts*P``vta_pkg::AxiIdWidth-1:0]   P``m_axi_rid_i, \
  input  logic [P``vta_pkg::AxiPorts*P``vta_pkg::AxiDataWidth-1:0] P``m_axi_rdata_i, \
  input  logic [P``vta_pkg::AxiPorts*2-1:0]                        P``m_axi_rresp_i, \
  input  logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_rlast_i, \
  input  logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_rvalid_i, \
  output logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_rready_o, \
  output logic [P``vta_pkg::AxiPorts*P``vta_pkg::AxiIdWidth-1:0]   P``m_axi_awid_o, \
  output logic [P``vta_pkg::AxiPorts*P``vta_pkg::AxiAddrWidth-1:0] P``m_axi_awaddr_o, \
  output logic [P``vta_pkg::AxiPorts*8-1:0]                        P``m_axi_awlen_o, \
  output logic [P``vta_pkg::AxiPorts*3-1:0]                        P``m_axi_awsize_o, \
  output logic [P``vta_pkg::AxiPorts*2-1:0]                        P``m_axi_awburst_o, \
  output logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_awvalid_o, \
  input  logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_awready_i, \
  output logic [P``vta_pkg::AxiPorts*P``vta_pkg::AxiDataWidth-1:0] P``m_axi_wdata_o, \
  output logic [P``vta_pkg::AxiPorts*P``vta_pkg::AxiBytes-1:0]     P``m_axi_wstrb_o, \
  output logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_wlast_o, \
  output logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_wvalid_o, \
  input  logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_wready_i, \
  input  logic [P``vta_pkg::AxiPorts*P``vta_pkg::AxiIdWidth-1:0]   P``m_axi_bid_i, \
  input  logic [P``vta_pkg::AxiPorts*2-1:0]                        P``m_axi_bresp_i, \
  input  logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_bvalid_i, \
  output logic [P``vta_pkg::AxiPorts-1:0]                          P``m_axi_bready_o, \
  output logic [2:0]                          P``retire_valid_o, \
  output logic [3*P``vta_pkg::NumberWidth-1:0] P``retire_number_o, \
  output logic                                P``running_o

// The core.
`define CORE(P) \
  P``vta_core P``core ( \
    .clk_i, \
    .clk2x_i, \
    .rst_ni, \
    .irq_o(P``irq_o), \
    .s_axil_awaddr_i(P``s_axil_awaddr_i), \
    .s_axil_awvalid_i(P``s_axil_awvalid_i), \
    .s_axil_awready_o(P``s_axil_awready_o), \
    .s_axil_wdata_i(P``s_axil_wdata_i), \
    .s_axil_wstrb_i(P``s_axil_wstrb_i), \
    .s_axil_wvalid_i(P``s_axil_wvalid_i), \
    .s_axil_wready_o(P``s_axil_wready_o), \
    .s_axil_bresp_o(P``s_axil_bresp_o), \
    .s_axil_bvalid_o(P``s_axil_bvalid_o), \
    .s_axil_bready_i(P``s_axil_bready_i), \
    .s_axil_araddr_i(P``s_axil_araddr_i), \
    .s_axil_arvalid_i(P``s_axil_arvalid_i), \
    .s_axil_arready_o(P``s_axil_arready_o), \
    .s_axil_rdata_o(P``s_axil_rdata_o), \
    .s_axil_rresp_o(P``s_axil_rresp_o), \
    .s_axil_rvalid_o(P``s_axil_rvalid_o), \
    .s_axil_rready_i(P``s_axil_rready_i), \
    .m_axi_arid_o(P``m_axi_arid_o), \
    .m_axi_araddr_o(P``m_axi_araddr_o), \
    .m_axi_arlen_o(P``m_axi_arlen_o), \
    .m_axi_arsize_o(P``m_axi_arsize_o), \
    .m_axi_arburst_o(P``m_axi_arburst_o), \
    .m_axi_arvalid_o(P``m_axi_arvalid_o), \
    .m_axi_arready_i(P``m_axi_arready_i), \
    .m_axi_rid_i(P``m_axi_rid_i), \
    .m_axi_rdata_i(P``m_axi_rdata_i), \
    .m_axi_rresp_i(P``m_axi_rresp_i), \
    .m_axi_rlast_i(P``m_axi_rlast_i), \
    .m_axi_rvalid_i(P``m_axi_rvalid_i), \
    .m_axi_rready_o(P``m_axi_rready_o), \
    .m_axi_awid_o(P``m_axi_awid_o), \
    .m_axi_awaddr_o(P``m_axi_awaddr_o), \
    .m_axi_awlen_o(P``m_axi_awlen_o), \
    .m_axi_awsize_o(P``m_axi_awsize_o), \
    .m_axi_awburst_o(P``m_axi_awburst_o), \
    .m_axi_awvalid_o(P``m_axi_awvalid_o), \
    .m_axi_awready_i(P``m_axi_awready_i), \
    .m_axi_wdata_o(P``m_axi_wdata_o), \
    .m_axi_wstrb_o(P``m_axi_wstrb_o), \
    .m_axi_wlast_o(P``m_axi_wlast_o), \
    .m_axi_wvalid_o(P``m_axi_wvalid_o), \
    .m_axi_wready_i(P``m_axi_wready_i), \
    .m_axi_bid_i(P``m_axi_bid_i), \
    .m_axi_bresp_i(P``m_axi_bresp_i), \
    .m_axi_bvalid_i(P``m_axi_bvalid_i), \
    .m_axi_bready_o(P``m_axi_bready_o), \
    .retire_valid_o(P``retire_valid_o), \
    .retire_number_o(P``retire_number_o), \
    .running_o(P``running_o) \
  );

module two_cores (
  input logic clk_i,
  input logic clk2x_i,
  input logic rst_ni,
  `CORE_PORTS(a_),
  `CORE_PORTS(b_)
);

  `CORE(a_)
  `CORE(b_)

endmodule
