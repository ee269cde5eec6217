// The core's side of its memory ports: which burst is read through which port and what comes for whom, and the writes.
//
// Instructions, micro-ops and accumulators are read through port 0, INP through PortInp, WGT through PortWgt. Each port has
// an arbiter of its own (vta_read_port). Writes go through PortStore.
module vta_memory_ports (
  // Clock; synchronous reset; clear_i before a launch; quiet_i: grant nothing.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic quiet_i,

  // The bursts offered, the grants, and the beats that come for them. With one port the first DMA of the load unit moves
  // WGT too.
  input  vta_pkg::burst_t     fetch_burst_i,
  input  vta_pkg::burst_t     inp_burst_i,
  input  vta_pkg::burst_t     wgt_burst_i,
  input  vta_pkg::burst_t     compute_burst_i,
  output logic                fetch_grant_o,
  output logic                inp_grant_o,
  output logic                wgt_grant_o,
  output logic                compute_grant_o,
  output vta_pkg::read_beat_t fetch_beat_o,
  output vta_pkg::read_beat_t inp_beat_o,
  output vta_pkg::read_beat_t wgt_beat_o,
  output vta_pkg::read_beat_t compute_beat_o,

  // The store unit's address and data channels, and its responses.
  input  vta_pkg::axi_addr_t aw_i,
  output logic               awready_o,
  input  vta_pkg::axi_data_t w_i,
  output logic               wready_o,
  output logic               bvalid_o,
  output logic               berror_o,

  // The AXI4 masters, as vta_core says.
  output logic [vta_pkg::AxiPorts*vta_pkg::AxiIdWidth-1:0]   m_axi_arid_o,
  output logic [vta_pkg::AxiPorts*vta_pkg::AxiAddrWidth-1:0] m_axi_araddr_o,
  output logic [vta_pkg::AxiPorts*8-1:0]                     m_axi_arlen_o,
  output logic [vta_pkg::AxiPorts*3-1:0]                     m_axi_arsize_o,
  output logic [vta_pkg::AxiPorts*2-1:0]                     m_axi_arburst_o,
  output logic [vta_pkg::AxiPorts-1:0]                       m_axi_arvalid_o,
  input  logic [vta_pkg::AxiPorts-1:0]                       m_axi_arready_i,
  input  logic [vta_pkg::AxiPorts*vta_pkg::AxiIdWidth-1:0]   m_axi_rid_i,
  input  logic [vta_pkg::AxiPorts*vta_pkg::AxiDataWidth-1:0] m_axi_rdata_i,
  input  logic [vta_pkg::AxiPorts*2-1:0]                     m_axi_rresp_i,
  input  logic [vta_pkg::AxiPorts-1:0]                       m_axi_rlast_i,
  input  logic [vta_pkg::AxiPorts-1:0]                       m_axi_rvalid_i,
  output logic [vta_pkg::AxiPorts-1:0]                       m_axi_rready_o,

  output logic [vta_pkg::AxiPorts*vta_pkg::AxiIdWidth-1:0]   m_axi_awid_o,
  output logic [vta_pkg::AxiPorts*vta_pkg::AxiAddrWidth-1:0] m_axi_awaddr_o,
  output logic [vta_pkg::AxiPorts*8-1:0]                     m_axi_awlen_o,
  output logic [vta_pkg::AxiPorts*3-1:0]                     m_axi_awsize_o,
  output logic [vta_pkg::AxiPorts*2-1:0]                     m_axi_awburst_o,
  output logic [vta_pkg::AxiPorts-1:0]                       m_axi_awvalid_o,
  input  logic [vta_pkg::AxiPorts-1:0]                       m_axi_awready_i,
  output logic [vta_pkg::AxiPorts*vta_pkg::AxiDataWidth-1:0] m_axi_wdata_o,
  output logic [vta_pkg::AxiPorts*vta_pkg::AxiBytes-1:0]     m_axi_wstrb_o,
  output logic [vta_pkg::AxiPorts-1:0]                       m_axi_wlast_o,
  output logic [vta_pkg::AxiPorts-1:0]                       m_axi_wvalid_o,
  input  logic [vta_pkg::AxiPorts-1:0]                       m_axi_wready_i,
  input  logic [vta_pkg::AxiPorts*vta_pkg::AxiIdWidth-1:0]   m_axi_bid_i,
  input  logic [vta_pkg::AxiPorts*2-1:0]                     m_axi_bresp_i,
  input  logic [vta_pkg::AxiPorts-1:0]                       m_axi_bvalid_i,
  output logic [vta_pkg::AxiPorts-1:0]                       m_axi_bready_o
);

  localparam int unsigned AddrWidth = vta_pkg::AxiAddrWidth;
  localparam int unsigned DataWidth = vta_pkg::AxiDataWidth;
  localparam int unsigned IdWidth = vta_pkg::AxiIdWidth;
  localparam int unsigned PortInp = vta_pkg::PortInp;
  localparam int unsigned PortWgt = vta_pkg::PortWgt;
  localparam int unsigned PortStore = vta_pkg::PortStore;

  // ---- Reads -----------------------------------------------------------------------------------
  logic [3*vta_pkg::AxiPorts-1:0] grant;  // of each port: fetch, load, compute
  vta_pkg::burst_t no_burst;
  assign no_burst = '0;

  for (genvar p = 0; p < vta_pkg::AxiPorts; p++) begin : gen_port
    vta_read_port u_port (
      .clk_i,
      .rst_ni,
      .clear_i,
      .quiet_i,
      .fetch_i(p == 0 ? fetch_burst_i : no_burst),
      .load_i(p == PortInp ? inp_burst_i : p == PortWgt ? wgt_burst_i : no_burst),
      .compute_i(p == 0 ? compute_burst_i : no_burst),
      .grant_o(grant[3*p+:3]),
      .arid_o(m_axi_arid_o[p*IdWidth+:IdWidth]),
      .araddr_o(m_axi_araddr_o[p*AddrWidth+:AddrWidth]),
      .arlen_o(m_axi_arlen_o[p*8+:8]),
      .arsize_o(m_axi_arsize_o[p*3+:3]),
      .arburst_o(m_axi_arburst_o[p*2+:2]),
      .arvalid_o(m_axi_arvalid_o[p]),
      .arready_i(m_axi_arready_i[p]),
      .rid_i(m_axi_rid_i[p*IdWidth+:IdWidth]),
      .rvalid_i(m_axi_rvalid_i[p])
    );
    assign m_axi_rready_o[p] = 1'b1;
  end

  // Member by member: a simulator then makes no copies of the data.
  assign fetch_beat_o.valid = m_axi_rvalid_i[0] && m_axi_rid_i[IdWidth-1:0] == vta_pkg::AxiIdFetch;
  assign fetch_beat_o.error = m_axi_rresp_i[1];
  assign fetch_beat_o.last = m_axi_rlast_i[0];
  assign fetch_beat_o.data = m_axi_rdata_i[DataWidth-1:0];
  assign inp_beat_o.valid = m_axi_rvalid_i[PortInp] && m_axi_rid_i[PortInp*IdWidth+:IdWidth] == vta_pkg::AxiIdLoad;
  assign inp_beat_o.error = m_axi_rresp_i[PortInp*2+1];
  assign inp_beat_o.last = m_axi_rlast_i[PortInp];
  assign inp_beat_o.data = m_axi_rdata_i[PortInp*DataWidth+:DataWidth];
  assign wgt_beat_o.valid = m_axi_rvalid_i[PortWgt] && m_axi_rid_i[PortWgt*IdWidth+:IdWidth] == vta_pkg::AxiIdLoad;
  assign wgt_beat_o.error = m_axi_rresp_i[PortWgt*2+1];
  assign wgt_beat_o.last = m_axi_rlast_i[PortWgt];
  assign wgt_beat_o.data = m_axi_rdata_i[PortWgt*DataWidth+:DataWidth];
  assign compute_beat_o.valid = m_axi_rvalid_i[0] && m_axi_rid_i[IdWidth-1:0] == vta_pkg::AxiIdCompute;
  assign compute_beat_o.error = m_axi_rresp_i[1];
  assign compute_beat_o.last = m_axi_rlast_i[0];
  assign compute_beat_o.data = m_axi_rdata_i[DataWidth-1:0];

  assign fetch_grant_o = grant[0];
  assign inp_grant_o = grant[3*PortInp+1];
  assign wgt_grant_o = grant[3*PortWgt+1];
  assign compute_grant_o = grant[2];

  // ---- Writes ----------------------------------------------------------------------------------
  for (genvar p = 0; p < vta_pkg::AxiPorts; p++) begin : gen_write
    assign m_axi_awvalid_o[p] = p == PortStore && aw_i.valid;
    assign m_axi_awid_o[p*IdWidth+:IdWidth] = aw_i.id;
    assign m_axi_awaddr_o[p*AddrWidth+:AddrWidth] = aw_i.addr;
    assign m_axi_awlen_o[p*8+:8] = aw_i.len;
    assign m_axi_awsize_o[p*3+:3] = 3'(vta_pkg::AxiLogBytes);
    assign m_axi_awburst_o[p*2+:2] = 2'b01;
    assign m_axi_wvalid_o[p] = p == PortStore && w_i.valid;
    assign m_axi_wlast_o[p] = w_i.last;
    assign m_axi_wstrb_o[p*vta_pkg::AxiBytes+:vta_pkg::AxiBytes] = w_i.strb;
    assign m_axi_wdata_o[p*DataWidth+:DataWidth] = w_i.data;
    assign m_axi_bready_o[p] = 1'b1;
  end
  assign awready_o = m_axi_awready_i[PortStore];
  assign wready_o = m_axi_wready_i[PortStore];
  assign bvalid_o = m_axi_bvalid_i[PortStore];
  assign berror_o = m_axi_bresp_i[PortStore*2+1];

  logic unused;
  assign unused = &{1'b0, m_axi_awready_i, m_axi_wready_i, m_axi_bvalid_i, m_axi_bresp_i, m_axi_bid_i, m_axi_rdata_i,
                    m_axi_rresp_i, m_axi_rlast_i, m_axi_rid_i, m_axi_rvalid_i, grant};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      responses_where_it_writes : assert ((m_axi_bvalid_i & ~(vta_pkg::AxiPorts'(1) << PortStore)) == '0);
    end
  end

endmodule
