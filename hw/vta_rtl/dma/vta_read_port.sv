// The read address channel of one memory port: the arbiter of its requesters under the names of AXI.
module vta_read_port (
  // Clock; synchronous reset; clear_i before a launch; quiet_i: grant nothing.
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            clear_i,
  input  logic            quiet_i,

  // The bursts offered, and which is granted: bit 0 fetch, 1 load, 2 compute.
  input  vta_pkg::burst_t fetch_i,
  input  vta_pkg::burst_t load_i,
  input  vta_pkg::burst_t compute_i,
  output logic [2:0]      grant_o,

  // AR channel.
  output logic [vta_pkg::AxiIdWidth-1:0]   arid_o,
  output logic [vta_pkg::AxiAddrWidth-1:0] araddr_o,
  output logic [7:0]                       arlen_o,
  output logic [2:0]                       arsize_o,
  output logic [1:0]                       arburst_o,
  output logic                             arvalid_o,
  input  logic                             arready_i,

  // Of the R channel, for the check that ids are known.
  input  logic [vta_pkg::AxiIdWidth-1:0]   rid_i,
  input  logic                             rvalid_i
);

  vta_pkg::axi_addr_t ar;

  vta_read_arbiter u_arbiter (
    .clk_i,
    .rst_ni,
    .clear_i,
    .quiet_i,
    .fetch_i,
    .load_i,
    .compute_i,
    .grant_o,
    .ar_o(ar),
    .arready_i
  );

  assign arvalid_o = ar.valid;
  assign arid_o = ar.id;
  assign araddr_o = ar.addr;
  assign arlen_o = ar.len;
  assign arsize_o = 3'(vta_pkg::AxiLogBytes);
  assign arburst_o = 2'b01;

  logic unused;
  assign unused = &{1'b0, rid_i, rvalid_i};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      known_read_id : assert (!(rvalid_i && rid_i == 2'd3));
    end
  end

endmodule
