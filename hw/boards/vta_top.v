// vta_core under the port names that Vivado's IP packager and Vitis expect. Plain Verilog, because a block design takes
// no SystemVerilog module at its top; the widths therefore are parameters, which must equal those of vta_pkg
// (hw/boards/build sets them from the same configuration; vta_top_check stops elaboration otherwise).
//
// An attribute cannot follow from a parameter, so hw/boards/build writes a copy of this file in which the words between
// at signs have their values. Without them Vivado assumes narrow bursts, 2 outstanding ones and 256 beats, and spends
// hundreds of LUTs and most of the bandwidth on that. With axi.ports above 1 the copy has m_axi_gmem1 and so on, too.
module vta_top #(
  parameter integer C_M_AXI_GMEM_ADDR_WIDTH = 32,
  parameter integer C_M_AXI_GMEM_DATA_WIDTH = 64,
  // 1: the port looks into the processor's caches (ACP, HPC).
  parameter integer C_M_AXI_GMEM_COHERENT = 0,
  // 0: the host programs the core's registers; XRT calls that user managed. 1: XRT starts the kernel and takes its
  // interrupt (vta_ap_ctrl_chain).
  parameter integer C_AP_CTRL_CHAIN = 0
) (
  input  wire ap_clk,
  // Twice the frequency of ap_clk, rising with it; for double-pumped multipliers, else any clock.
  input  wire ap_clk_2,
  input  wire ap_rst_n,
  (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 interrupt INTERRUPT", X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)
  output wire interrupt,
  input  wire [11:0] s_axi_control_awaddr,
  input  wire s_axi_control_awvalid,
  output wire s_axi_control_awready,
  input  wire [31:0] s_axi_control_wdata,
  input  wire [3:0] s_axi_control_wstrb,
  input  wire s_axi_control_wvalid,
  output wire s_axi_control_wready,
  output wire [1:0] s_axi_control_bresp,
  output wire s_axi_control_bvalid,
  input  wire s_axi_control_bready,
  input  wire [11:0] s_axi_control_araddr,
  input  wire s_axi_control_arvalid,
  output wire s_axi_control_arready,
  output wire [31:0] s_axi_control_rdata,
  output wire [1:0] s_axi_control_rresp,
  output wire s_axi_control_rvalid,
  input  wire s_axi_control_rready,
  (* X_INTERFACE_PARAMETER = "SUPPORTS_NARROW_BURST 0, NUM_READ_OUTSTANDING @READS@, NUM_WRITE_OUTSTANDING @WRITES@, MAX_BURST_LENGTH @BEATS@, HAS_BURST 1, READ_WRITE_MODE READ_WRITE" *)
  output wire [1:0] m_axi_gmem_arid,
  output wire [C_M_AXI_GMEM_ADDR_WIDTH-1:0] m_axi_gmem_araddr,
  output wire [7:0] m_axi_gmem_arlen,
  output wire [2:0] m_axi_gmem_arsize,
  output wire [1:0] m_axi_gmem_arburst,
  output wire m_axi_gmem_arvalid,
  input  wire m_axi_gmem_arready,
  output wire [1:0] m_axi_gmem_awid,
  output wire [C_M_AXI_GMEM_ADDR_WIDTH-1:0] m_axi_gmem_awaddr,
  output wire [7:0] m_axi_gmem_awlen,
  output wire [2:0] m_axi_gmem_awsize,
  output wire [1:0] m_axi_gmem_awburst,
  output wire m_axi_gmem_awvalid,
  input  wire m_axi_gmem_awready,
  input  wire [1:0] m_axi_gmem_rid,
  input  wire [C_M_AXI_GMEM_DATA_WIDTH-1:0] m_axi_gmem_rdata,
  input  wire [1:0] m_axi_gmem_rresp,
  input  wire m_axi_gmem_rlast,
  input  wire m_axi_gmem_rvalid,
  output wire m_axi_gmem_rready,
  output wire [C_M_AXI_GMEM_DATA_WIDTH-1:0] m_axi_gmem_wdata,
  output wire [C_M_AXI_GMEM_DATA_WIDTH/8-1:0] m_axi_gmem_wstrb,
  output wire m_axi_gmem_wlast,
  output wire m_axi_gmem_wvalid,
  input  wire m_axi_gmem_wready,
  input  wire [1:0] m_axi_gmem_bid,
  input  wire [1:0] m_axi_gmem_bresp,
  input  wire m_axi_gmem_bvalid,
  output wire m_axi_gmem_bready,
  output wire m_axi_gmem_arlock,
  output wire [3:0] m_axi_gmem_arcache,
  output wire [2:0] m_axi_gmem_arprot,
  output wire [3:0] m_axi_gmem_arqos,
  output wire m_axi_gmem_awlock,
  output wire [3:0] m_axi_gmem_awcache,
  output wire [2:0] m_axi_gmem_awprot,
  output wire [3:0] m_axi_gmem_awqos
);

  vta_top_check #(
    .AddrWidth   (C_M_AXI_GMEM_ADDR_WIDTH),
    .DataWidth   (C_M_AXI_GMEM_DATA_WIDTH),
    .Coherent    (C_M_AXI_GMEM_COHERENT),
    .ApCtrlChain (C_AP_CTRL_CHAIN)
  ) u_check ();

  // Normal memory: non-cacheable and bufferable, so that interconnects may merge and split; through a coherent port
  // write-back with allocation, which is what the ports of both families look caches up for. Data access, unprivileged;
  // non-secure, as Linux maps its memory.
  localparam [3:0] Cache = C_M_AXI_GMEM_COHERENT != 0 ? 4'b1111 : 4'b0011;
  localparam [2:0] Prot = C_M_AXI_GMEM_COHERENT != 0 ? 3'b010 : 3'b000;
  assign m_axi_gmem_arlock = 1'b0;
  assign m_axi_gmem_arcache = Cache;
  assign m_axi_gmem_arprot = Prot;
  assign m_axi_gmem_arqos = 4'b0000;
  assign m_axi_gmem_awlock = 1'b0;
  assign m_axi_gmem_awcache = Cache;
  assign m_axi_gmem_awprot = Prot;
  assign m_axi_gmem_awqos = 4'b0000;

  // The core's registers.
  wire core_irq;
  wire [11:0] core_awaddr;
  wire core_awvalid;
  wire core_awready;
  wire [31:0] core_wdata;
  wire [3:0] core_wstrb;
  wire core_wvalid;
  wire core_wready;
  wire [1:0] core_bresp;
  wire core_bvalid;
  wire core_bready;
  wire [11:0] core_araddr;
  wire core_arvalid;
  wire core_arready;
  wire [31:0] core_rdata;
  wire [1:0] core_rresp;
  wire core_rvalid;
  wire core_rready;

  generate
    if (C_AP_CTRL_CHAIN != 0) begin : gen_ap_ctrl_chain
      vta_ap_ctrl_chain u_kernel (
        .clk_i            (ap_clk),
        .rst_ni           (ap_rst_n),
        .irq_o            (interrupt),
        .s_axil_awaddr_i  (s_axi_control_awaddr),
        .s_axil_awvalid_i (s_axi_control_awvalid),
        .s_axil_awready_o (s_axi_control_awready),
        .s_axil_wdata_i   (s_axi_control_wdata),
        .s_axil_wstrb_i   (s_axi_control_wstrb),
        .s_axil_wvalid_i  (s_axi_control_wvalid),
        .s_axil_wready_o  (s_axi_control_wready),
        .s_axil_bresp_o   (s_axi_control_bresp),
        .s_axil_bvalid_o  (s_axi_control_bvalid),
        .s_axil_bready_i  (s_axi_control_bready),
        .s_axil_araddr_i  (s_axi_control_araddr),
        .s_axil_arvalid_i (s_axi_control_arvalid),
        .s_axil_arready_o (s_axi_control_arready),
        .s_axil_rdata_o   (s_axi_control_rdata),
        .s_axil_rresp_o   (s_axi_control_rresp),
        .s_axil_rvalid_o  (s_axi_control_rvalid),
        .s_axil_rready_i  (s_axi_control_rready),
        .irq_i            (core_irq),
        .m_axil_awaddr_o  (core_awaddr),
        .m_axil_awvalid_o (core_awvalid),
        .m_axil_awready_i (core_awready),
        .m_axil_wdata_o   (core_wdata),
        .m_axil_wstrb_o   (core_wstrb),
        .m_axil_wvalid_o  (core_wvalid),
        .m_axil_wready_i  (core_wready),
        .m_axil_bresp_i   (core_bresp),
        .m_axil_bvalid_i  (core_bvalid),
        .m_axil_bready_o  (core_bready),
        .m_axil_araddr_o  (core_araddr),
        .m_axil_arvalid_o (core_arvalid),
        .m_axil_arready_i (core_arready),
        .m_axil_rdata_i   (core_rdata),
        .m_axil_rresp_i   (core_rresp),
        .m_axil_rvalid_i  (core_rvalid),
        .m_axil_rready_o  (core_rready)
      );
    end else begin : gen_user_managed
      // Vitis wants arguments of 64 bits; the register map has their halves apart.
      vta_argument_window u_write_window (.addr_i(s_axi_control_awaddr), .addr_o(core_awaddr));
      vta_argument_window u_read_window (.addr_i(s_axi_control_araddr), .addr_o(core_araddr));
      assign interrupt = core_irq;
      assign core_awvalid = s_axi_control_awvalid;
      assign s_axi_control_awready = core_awready;
      assign core_wdata = s_axi_control_wdata;
      assign core_wstrb = s_axi_control_wstrb;
      assign core_wvalid = s_axi_control_wvalid;
      assign s_axi_control_wready = core_wready;
      assign s_axi_control_bresp = core_bresp;
      assign s_axi_control_bvalid = core_bvalid;
      assign core_bready = s_axi_control_bready;
      assign core_arvalid = s_axi_control_arvalid;
      assign s_axi_control_arready = core_arready;
      assign s_axi_control_rdata = core_rdata;
      assign s_axi_control_rresp = core_rresp;
      assign s_axi_control_rvalid = core_rvalid;
      assign core_rready = s_axi_control_rready;
    end
  endgenerate

  vta_core u_core (
    .clk_i            (ap_clk),
    .clk2x_i          (ap_clk_2),
    .rst_ni           (ap_rst_n),
    .irq_o            (core_irq),
    .s_axil_awaddr_i  (core_awaddr),
    .s_axil_awvalid_i (core_awvalid),
    .s_axil_awready_o (core_awready),
    .s_axil_wdata_i   (core_wdata),
    .s_axil_wstrb_i   (core_wstrb),
    .s_axil_wvalid_i  (core_wvalid),
    .s_axil_wready_o  (core_wready),
    .s_axil_bresp_o   (core_bresp),
    .s_axil_bvalid_o  (core_bvalid),
    .s_axil_bready_i  (core_bready),
    .s_axil_araddr_i  (core_araddr),
    .s_axil_arvalid_i (core_arvalid),
    .s_axil_arready_o (core_arready),
    .s_axil_rdata_o   (core_rdata),
    .s_axil_rresp_o   (core_rresp),
    .s_axil_rvalid_o  (core_rvalid),
    .s_axil_rready_i  (core_rready),
    .m_axi_arid_o     (m_axi_gmem_arid),
    .m_axi_araddr_o   (m_axi_gmem_araddr),
    .m_axi_arlen_o    (m_axi_gmem_arlen),
    .m_axi_arsize_o   (m_axi_gmem_arsize),
    .m_axi_arburst_o  (m_axi_gmem_arburst),
    .m_axi_arvalid_o  (m_axi_gmem_arvalid),
    .m_axi_arready_i  (m_axi_gmem_arready),
    .m_axi_awid_o     (m_axi_gmem_awid),
    .m_axi_awaddr_o   (m_axi_gmem_awaddr),
    .m_axi_awlen_o    (m_axi_gmem_awlen),
    .m_axi_awsize_o   (m_axi_gmem_awsize),
    .m_axi_awburst_o  (m_axi_gmem_awburst),
    .m_axi_awvalid_o  (m_axi_gmem_awvalid),
    .m_axi_awready_i  (m_axi_gmem_awready),
    .m_axi_rid_i      (m_axi_gmem_rid),
    .m_axi_rdata_i    (m_axi_gmem_rdata),
    .m_axi_rresp_i    (m_axi_gmem_rresp),
    .m_axi_rlast_i    (m_axi_gmem_rlast),
    .m_axi_rvalid_i   (m_axi_gmem_rvalid),
    .m_axi_rready_o   (m_axi_gmem_rready),
    .m_axi_wdata_o    (m_axi_gmem_wdata),
    .m_axi_wstrb_o    (m_axi_gmem_wstrb),
    .m_axi_wlast_o    (m_axi_gmem_wlast),
    .m_axi_wvalid_o   (m_axi_gmem_wvalid),
    .m_axi_wready_i   (m_axi_gmem_wready),
    .m_axi_bid_i      (m_axi_gmem_bid),
    .m_axi_bresp_i    (m_axi_gmem_bresp),
    .m_axi_bvalid_i   (m_axi_gmem_bvalid),
    .m_axi_bready_o   (m_axi_gmem_bready),
    .retire_valid_o   (),
    .retire_number_o  (),
    .running_o        ()
  );

endmodule
