// The load unit with the scratchpads that it fills, INP and WGT. Holds no logic of its own.
module vta_load_unit (
  input logic clk_i,
  input logic rst_ni,
  input logic clear_i,
  input logic halt_i,

  input  logic          cmd_valid_i,
  input  vta_pkg::cmd_t cmd_i,
  output logic          cmd_pop_o,

  // compute->load tokens, load->compute tokens.
  input  logic next_avail_i,
  output logic pop_next_o,
  output logic push_next_o,

  input logic [vta_pkg::AxiAddrWidth-1:0] inp_base_i,
  input logic [vta_pkg::AxiAddrWidth-1:0] wgt_base_i,

  output logic                              req_o,
  output logic [vta_pkg::AxiAddrWidth-1:0]  req_addr_o,
  output logic [vta_pkg::BurstLenWidth-1:0] req_beats_o,
  input  logic                              grant_i,
  input  logic                              rvalid_i,
  input  logic [vta_pkg::AxiDataWidth-1:0]  rdata_i,
  input  logic                              rerror_i,
  input  logic                              rlast_i,
  output logic                              bus_busy_o,

  // Reads of the scratchpads: data one cycle after the enable, held until the next.
  input  logic                            inp_re_i,
  input  logic [vta_pkg::InpLogDepth-1:0] inp_raddr_i,
  output logic [vta_pkg::InpElemBits-1:0] inp_rdata_o,
  input  logic                            wgt_re_i,
  input  logic [vta_pkg::WgtLogDepth-1:0] wgt_raddr_i,
  output logic [vta_pkg::WgtElemBits-1:0] wgt_rdata_o,

  output logic                            retire_valid_o,
  output logic [vta_pkg::NumberWidth-1:0] retire_number_o,
  output vta_pkg::fault_t                 fault_o,
  output logic                            idle_o,           // nothing in flight
  output logic                            waiting_token_o,  // a head that lacks a token
  output vta_pkg::unit_events_t           events_o,
  output logic [16:0]                     read_bytes_o      // of data, in this cycle
);

  logic inp_we;
  logic [vta_pkg::InpLogDepth-1:0] inp_waddr;
  logic [vta_pkg::InpLanes*vta_pkg::InpElemBits-1:0] inp_wdata;
  logic wgt_we;
  logic [vta_pkg::WgtLogDepth-1:0] wgt_waddr;
  logic [vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0] wgt_wdata;
  logic [vta_pkg::LaneCountWidth-1:0] wcount;

  vta_load u_load (
    .clk_i,
    .rst_ni,
    .clear_i,
    .halt_i,
    .cmd_valid_i,
    .cmd_i,
    .cmd_pop_o,
    .next_avail_i,
    .pop_next_o,
    .push_next_o,
    .inp_base_i,
    .wgt_base_i,
    .req_o,
    .req_addr_o,
    .req_beats_o,
    .grant_i,
    .rvalid_i,
    .rdata_i,
    .rerror_i,
    .rlast_i,
    .bus_busy_o,
    .inp_we_o(inp_we),
    .inp_waddr_o(inp_waddr),
    .inp_wdata_o(inp_wdata),
    .wgt_we_o(wgt_we),
    .wgt_waddr_o(wgt_waddr),
    .wgt_wdata_o(wgt_wdata),
    .wcount_o(wcount),
    .retire_valid_o,
    .retire_number_o,
    .fault_o,
    .idle_o,
    .waiting_token_o,
    .events_o,
    .read_bytes_o
  );

  vta_lane_ram #(
    .ElemBits(vta_pkg::InpElemBits),
    .Depth(vta_pkg::InpDepth),
    .Lanes(vta_pkg::InpLanes)
  ) u_inp (
    .clk_i,
    .we_i(inp_we),
    .waddr_i(inp_waddr),
    .wcount_i(wcount),
    .wdata_i(inp_wdata),
    .re_i(inp_re_i),
    .raddr_i(inp_raddr_i),
    .rdata_o(inp_rdata_o)
  );

  vta_lane_ram #(
    .ElemBits(vta_pkg::WgtElemBits),
    .Depth(vta_pkg::WgtDepth),
    .Lanes(vta_pkg::WgtLanes)
  ) u_wgt (
    .clk_i,
    .we_i(wgt_we),
    .waddr_i(wgt_waddr),
    .wcount_i(wcount),
    .wdata_i(wgt_wdata),
    .re_i(wgt_re_i),
    .raddr_i(wgt_raddr_i),
    .rdata_o(wgt_rdata_o)
  );

endmodule
