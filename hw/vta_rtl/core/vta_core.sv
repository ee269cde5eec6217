// The accelerator: fetch, load, compute and store with their scratchpads, token queues and registers.
//
// One clock and, for double-pumped multipliers, one of twice its frequency; one synchronous reset (active low). Software talks through s_axil (registers: docs/isa.md), the core
// reads instructions, operands and micro-ops and writes results through m_axi. The timing contract is
// docs/timing.md. All parameters are in the generated package vta_pkg.
module vta_core (
  input  logic clk_i,
  // Twice the frequency of clk_i, rising with it; read by double-pumped multipliers only (gemm.multipliers).
  input  logic clk2x_i,
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

  // AXI4 masters, AxiPorts of them, the first in the low bits. Read side: INCR bursts of full-width beats, at most
  // MaxBurstBeats, never across 4 KiB. RREADY and BREADY are constantly high. Ids: AxiIdFetch, AxiIdLoad, AxiIdCompute;
  // writes AxiIdStore. INP is read through port PortInp, WGT through PortWgt, all else through port 0; writes go through
  // PortStore.
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

  // AXI4 masters, write side.
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
  output logic [vta_pkg::AxiPorts-1:0]                       m_axi_bready_o,

  // Observation, for simulation: the instructions that retire in this cycle, bit and word 0 load, 1 compute,
  // 2 store. Effects of a retired instruction on scratchpads are there after the cycle's clock edge.
  output logic [2:0]                       retire_valid_o,
  output logic [3*vta_pkg::NumberWidth-1:0] retire_number_o,
  // A launch is running (from cycle 0 until done).
  output logic                                    running_o
);

  localparam int unsigned AddrWidth = vta_pkg::AxiAddrWidth;
  localparam int unsigned NumberWidth = vta_pkg::NumberWidth;

  vta_config_check u_config_check ();

  // Launch and end.
  logic launch;
  logic bad_launch;
  logic control_ready;
  logic soft_reset;
  logic draining;
  logic clear;
  logic start;
  logic halt;
  logic quiet;
  logic go;  // its opposite, for what the longest paths go through
  logic ended;
  logic done;
  vta_pkg::fault_t fault;
  logic [31:0] insn_count;
  logic [vta_pkg::AxiAddrWidth-1:0] insn_addr;
  logic [AddrWidth-1:0] uop_base, inp_base, wgt_base, acc_base, out_base;
  logic [5:0] counter_index;
  logic [63:0] counter_value;

  vta_regs u_regs (
    .clk_i,
    .rst_ni,
    .awaddr_i(s_axil_awaddr_i),
    .awvalid_i(s_axil_awvalid_i),
    .awready_o(s_axil_awready_o),
    .wdata_i(s_axil_wdata_i),
    .wstrb_i(s_axil_wstrb_i),
    .wvalid_i(s_axil_wvalid_i),
    .wready_o(s_axil_wready_o),
    .bresp_o(s_axil_bresp_o),
    .bvalid_o(s_axil_bvalid_o),
    .bready_i(s_axil_bready_i),
    .araddr_i(s_axil_araddr_i),
    .arvalid_i(s_axil_arvalid_i),
    .arready_o(s_axil_arready_o),
    .rdata_o(s_axil_rdata_o),
    .rresp_o(s_axil_rresp_o),
    .rvalid_o(s_axil_rvalid_o),
    .rready_i(s_axil_rready_i),
    .irq_o,
    .launch_o(launch),
    .bad_launch_o(bad_launch),
    .ready_i(control_ready),
    .reset_o(soft_reset),
    .running_i(running_o),
    .draining_i(draining),
    .ended_i(ended),
    .done_i(done),
    .fault_i(fault),
    .insn_count_o(insn_count),
    .insn_addr_o(insn_addr),
    .uop_base_o(uop_base),
    .inp_base_o(inp_base),
    .wgt_base_o(wgt_base),
    .acc_base_o(acc_base),
    .out_base_o(out_base),
    .counter_index_o(counter_index),
    .counter_i(counter_value)
  );

  // Read channels: an arbiter for each port. Bits of read_busy: 0 fetch, 1 load, 2 compute.
  localparam int unsigned DataWidth = vta_pkg::AxiDataWidth;
  localparam int unsigned IdWidth = vta_pkg::AxiIdWidth;
  localparam int unsigned PortInp = vta_pkg::PortInp;
  localparam int unsigned PortWgt = vta_pkg::PortWgt;
  vta_pkg::burst_t fetch_burst, inp_burst, wgt_burst, compute_burst;
  vta_pkg::read_beat_t fetch_beat, inp_beat, wgt_beat, compute_beat;
  logic [3*vta_pkg::AxiPorts-1:0] grant;  // of each port: fetch, load, compute
  logic [2:0] read_busy;

  vta_pkg::burst_t no_burst;
  assign no_burst = '0;

  for (genvar p = 0; p < vta_pkg::AxiPorts; p++) begin : gen_port
    vta_read_port u_port (
      .clk_i,
      .rst_ni,
      .clear_i(clear),
      .quiet_i(quiet),
      .fetch_i(p == 0 ? fetch_burst : no_burst),
      // With one port the first DMA of load moves WGT too.
      .load_i(p == PortInp ? inp_burst : p == PortWgt ? wgt_burst : no_burst),
      .compute_i(p == 0 ? compute_burst : no_burst),
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
  assign fetch_beat.valid = m_axi_rvalid_i[0] && m_axi_rid_i[IdWidth-1:0] == vta_pkg::AxiIdFetch;
  assign fetch_beat.error = m_axi_rresp_i[1];
  assign fetch_beat.last = m_axi_rlast_i[0];
  assign fetch_beat.data = m_axi_rdata_i[DataWidth-1:0];
  assign inp_beat.valid = m_axi_rvalid_i[PortInp] && m_axi_rid_i[PortInp*IdWidth+:IdWidth] == vta_pkg::AxiIdLoad;
  assign inp_beat.error = m_axi_rresp_i[PortInp*2+1];
  assign inp_beat.last = m_axi_rlast_i[PortInp];
  assign inp_beat.data = m_axi_rdata_i[PortInp*DataWidth+:DataWidth];
  assign wgt_beat.valid = m_axi_rvalid_i[PortWgt] && m_axi_rid_i[PortWgt*IdWidth+:IdWidth] == vta_pkg::AxiIdLoad;
  assign wgt_beat.error = m_axi_rresp_i[PortWgt*2+1];
  assign wgt_beat.last = m_axi_rlast_i[PortWgt];
  assign wgt_beat.data = m_axi_rdata_i[PortWgt*DataWidth+:DataWidth];
  assign compute_beat.valid = m_axi_rvalid_i[0] && m_axi_rid_i[IdWidth-1:0] == vta_pkg::AxiIdCompute;
  assign compute_beat.error = m_axi_rresp_i[1];
  assign compute_beat.last = m_axi_rlast_i[0];
  assign compute_beat.data = m_axi_rdata_i[DataWidth-1:0];

  // Command queues (0 load, 1 compute, 2 store) and tokens (see vta_queues).
  logic [2:0] queue_room;
  logic [2:0] queue_push;
  logic [2:0] queue_empty;  // nothing behind the head
  logic [2:0] head_valid;
  logic [2:0] head_pop;
  vta_pkg::cmd_t load_head, compute_head, store_head, fetched;
  logic [3:0] token_push, token_pop, token_avail, token_overflow;

  vta_queues u_queues (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .push_i(queue_push),
    .cmd_i(fetched),
    .room_o(queue_room),
    .head_valid_o(head_valid),
    .load_head_o(load_head),
    .compute_head_o(compute_head),
    .store_head_o(store_head),
    .pop_i(head_pop),
    .behind_empty_o(queue_empty),
    .token_push_i(token_push),
    .token_pop_i(token_pop),
    .token_avail_o(token_avail),
    .token_overflow_o(token_overflow)
  );

  // Fetch.
  logic fetch_blocked;
  logic fetch_ended;
  vta_pkg::fault_t fetch_fault;
  logic [vta_pkg::NumberWidth-1:0] fetched_count;
  vta_pkg::unit_events_t fetch_events, load_events, compute_events, store_events;

  vta_fetch u_fetch (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .halt_i(halt),
    .start_i(start),
    .addr_i(insn_addr),
    .count_i(insn_count),
    .burst_o(fetch_burst),
    .grant_i(grant[0]),
    .beat_i(fetch_beat),
    .bus_busy_o(read_busy[0]),
    .room_i(queue_room),
    .push_o(queue_push),
    .cmd_o(fetched),
    .blocked_o(fetch_blocked),
    .ended_o(fetch_ended),
    .fault_o(fetch_fault),
    .next_number_o(fetched_count),
    .events_o(fetch_events)
  );

  // Load.
  logic inp_re;
  logic inp_rmany;
  logic [vta_pkg::InpLogDepth-1:0] inp_raddr;
  logic [vta_pkg::InpReadElems*vta_pkg::InpElemBits-1:0] inp_rdata;
  logic wgt_re;
  logic [vta_pkg::WgtLogDepth-1:0] wgt_raddr;
  logic [vta_pkg::WgtElemBits-1:0] wgt_rdata;
  vta_pkg::fault_t load_fault, dma_fault, compute_fault, store_fault;
  logic load_idle;
  logic store_idle;
  logic compute_idle;
  logic [2:0] waiting_token;
  logic [4*17-1:0] read_bytes;
  logic [16:0] write_bytes;

  logic inp_we;
  logic [vta_pkg::InpLogDepth-1:0] inp_waddr;
  logic [vta_pkg::InpLanes*vta_pkg::InpElemBits-1:0] inp_wdata;
  logic wgt_we;
  logic [vta_pkg::WgtLogDepth-1:0] wgt_waddr;
  logic [vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0] wgt_wdata;
  logic [vta_pkg::LaneCountWidth-1:0] inp_wcount, wgt_wcount;
  logic hand_re;  // of OUT, by load
  logic [vta_pkg::OutLogDepth-1:0] hand_raddr;
  logic [vta_pkg::OutElemBits-1:0] hand_rdata;

  vta_load u_load (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .halt_i(halt),
    .cmd_valid_i(head_valid[0]),
    .cmd_i(load_head),
    .cmd_pop_o(head_pop[0]),
    .next_avail_i(token_avail[1]),
    .pop_next_o(token_pop[1]),
    .push_next_o(token_push[0]),
    .inp_base_i(inp_base),
    .wgt_base_i(wgt_base),
    .burst_o(inp_burst),
    .grant_i(grant[3*PortInp+1]),
    .beat_i(inp_beat),
    .wgt_burst_o(wgt_burst),
    .wgt_grant_i(grant[3*PortWgt+1]),
    .wgt_beat_i(wgt_beat),
    .bus_busy_o(read_busy[1]),
    .out_re_o(hand_re),
    .out_raddr_o(hand_raddr),
    .out_rdata_i(hand_rdata),
    .inp_we_o(inp_we),
    .inp_waddr_o(inp_waddr),
    .inp_wcount_o(inp_wcount),
    .inp_wdata_o(inp_wdata),
    .wgt_we_o(wgt_we),
    .wgt_waddr_o(wgt_waddr),
    .wgt_wcount_o(wgt_wcount),
    .wgt_wdata_o(wgt_wdata),
    .retire_valid_o(retire_valid_o[0]),
    .retire_number_o(retire_number_o[0*NumberWidth+:NumberWidth]),
    .fault_o(load_fault),
    .idle_o(load_idle),
    .waiting_token_o(waiting_token[0]),
    .events_o(load_events),
    .read_bytes_o(read_bytes[1*17+:17])
  );

  vta_lane_ram #(
    .ElemBits(vta_pkg::InpElemBits),
    .Depth(vta_pkg::InpDepth),
    .Lanes(vta_pkg::InpLanes),
    .ReadElems(vta_pkg::InpReadElems),
    .Banks(vta_pkg::InpBanks),
    .Style(vta_pkg::InpRam)
  ) u_inp (
    .clk_i,
    .we_i(inp_we),
    .waddr_i(inp_waddr),
    .wcount_i(inp_wcount),
    .wdata_i(inp_wdata),
    .re_i(inp_re),
    .rmany_i(inp_rmany),
    .raddr_i(inp_raddr),
    .rdata_o(inp_rdata)
  );

  vta_lane_ram #(
    .ElemBits(vta_pkg::WgtElemBits),
    .Depth(vta_pkg::WgtDepth),
    .Lanes(vta_pkg::WgtLanes),
    .Style(vta_pkg::WgtRam)
  ) u_wgt (
    .clk_i,
    .we_i(wgt_we),
    .waddr_i(wgt_waddr),
    .wcount_i(wgt_wcount),
    .wdata_i(wgt_wdata),
    .re_i(wgt_re),
    .rmany_i(1'b0),
    .raddr_i(wgt_raddr),
    .rdata_o(wgt_rdata)
  );

  // Compute.
  logic out_re;
  logic [vta_pkg::OutLogDepth-1:0] out_raddr;
  logic [vta_pkg::OutElemBits-1:0] out_rdata;
  logic others_idle;
  logic finish;
  logic [vta_pkg::NumberWidth-1:0] compute_number;
  logic compute_waits_others;
  logic compute_empty;
  logic gemm_uop;
  logic alu_uop;

  assign others_idle = load_idle && !head_valid[0] && queue_empty[0] && store_idle && !head_valid[2] && queue_empty[2];

  logic dma_valid;
  logic dma_ready;
  vta_pkg::mem_cmd_t dma_cmd;
  logic dma_is_uop;
  logic dma_is_acc8;
  logic dma_done;
  logic uop_we;
  logic [vta_pkg::UopLogDepth-1:0] uop_waddr;
  logic [vta_pkg::LaneCountWidth-1:0] uop_wcount;
  logic [vta_pkg::UopLanes*vta_pkg::UopElemBits-1:0] uop_wdata;
  logic acc_we;
  logic [vta_pkg::AccLogDepth-1:0] acc_waddr;
  logic [vta_pkg::AccElemBits-1:0] acc_wdata;

  vta_compute_load u_compute_load (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .halt_i(!go),
    .cmd_valid_i(dma_valid),
    .cmd_ready_o(dma_ready),
    .cmd_i(dma_cmd),
    .is_uop_i(dma_is_uop),
    .is_acc8_i(dma_is_acc8),
    .done_o(dma_done),
    .fault_o(dma_fault),
    .uop_base_i(uop_base),
    .acc_base_i(acc_base),
    .burst_o(compute_burst),
    .grant_i(grant[2]),
    .beat_i(compute_beat),
    .bus_busy_o(read_busy[2]),
    .uop_we_o(uop_we),
    .uop_waddr_o(uop_waddr),
    .uop_wcount_o(uop_wcount),
    .uop_wdata_o(uop_wdata),
    .acc_we_o(acc_we),
    .acc_waddr_o(acc_waddr),
    .acc_wdata_o(acc_wdata),
    .read_bytes_o(read_bytes[2*17+:17])
  );

  vta_compute u_compute (
    .clk_i,
    .clk2x_i,
    .rst_ni,
    .clear_i(clear),
    .halt_i(!go),
    .cmd_valid_i(head_valid[1]),
    .cmd_i(compute_head),
    .cmd_pop_o(head_pop[1]),
    .prev_avail_i(token_avail[0]),
    .next_avail_i(token_avail[3]),
    .pop_prev_o(token_pop[0]),
    .pop_next_o(token_pop[3]),
    .push_prev_o(token_push[1]),
    .push_next_o(token_push[2]),
    .dma_valid_o(dma_valid),
    .dma_ready_i(dma_ready),
    .dma_cmd_o(dma_cmd),
    .dma_is_uop_o(dma_is_uop),
    .dma_is_acc8_o(dma_is_acc8),
    .dma_done_i(dma_done),
    .uop_we_i(uop_we),
    .uop_waddr_i(uop_waddr),
    .uop_wcount_i(uop_wcount),
    .uop_wdata_i(uop_wdata),
    .acc_we_i(acc_we),
    .acc_waddr_i(acc_waddr),
    .acc_wdata_i(acc_wdata),
    .inp_re_o(inp_re),
    .inp_rmany_o(inp_rmany),
    .inp_raddr_o(inp_raddr),
    .inp_rdata_i(inp_rdata),
    .wgt_re_o(wgt_re),
    .wgt_raddr_o(wgt_raddr),
    .wgt_rdata_i(wgt_rdata),
    .out_re_i(out_re),
    .out_raddr_i(out_raddr),
    .out_rdata_o(out_rdata),
    .hand_re_i(hand_re),
    .hand_raddr_i(hand_raddr),
    .hand_rdata_o(hand_rdata),
    .others_idle_i(others_idle),
    .finish_o(finish),
    .retire_valid_o(retire_valid_o[1]),
    .retire_number_o(retire_number_o[1*NumberWidth+:NumberWidth]),
    .fault_o(compute_fault),
    .idle_o(compute_idle),
    .head_number_o(compute_number),
    .lacks_token_o(waiting_token[1]),
    .waits_others_o(compute_waits_others),
    .empty_o(compute_empty),
    .events_o(compute_events),
    .gemm_uop_o(gemm_uop),
    .alu_uop_o(alu_uop)
  );

  // Store.
  localparam int unsigned PortStore = vta_pkg::PortStore;
  vta_pkg::axi_addr_t aw;
  vta_pkg::axi_data_t w;
  logic write_busy;

  vta_store u_store (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .halt_i(halt),
    .cmd_valid_i(head_valid[2]),
    .cmd_i(store_head),
    .cmd_pop_o(head_pop[2]),
    .prev_avail_i(token_avail[2]),
    .pop_prev_o(token_pop[2]),
    .push_prev_o(token_push[3]),
    .base_i(out_base),
    .out_re_o(out_re),
    .out_raddr_o(out_raddr),
    .out_rdata_i(out_rdata),
    .aw_o(aw),
    .awready_i(m_axi_awready_i[PortStore]),
    .w_o(w),
    .wready_i(m_axi_wready_i[PortStore]),
    .bvalid_i(m_axi_bvalid_i[PortStore]),
    .berror_i(m_axi_bresp_i[PortStore*2+1]),
    .bus_busy_o(write_busy),
    .retire_valid_o(retire_valid_o[2]),
    .retire_number_o(retire_number_o[2*NumberWidth+:NumberWidth]),
    .fault_o(store_fault),
    .idle_o(store_idle),
    .waiting_token_o(waiting_token[2]),
    .events_o(store_events),
    .write_bytes_o(write_bytes)
  );

  for (genvar p = 0; p < vta_pkg::AxiPorts; p++) begin : gen_write
    assign m_axi_awvalid_o[p] = p == PortStore && aw.valid;
    assign m_axi_awid_o[p*IdWidth+:IdWidth] = aw.id;
    assign m_axi_awaddr_o[p*AddrWidth+:AddrWidth] = aw.addr;
    assign m_axi_awlen_o[p*8+:8] = aw.len;
    assign m_axi_awsize_o[p*3+:3] = 3'(vta_pkg::AxiLogBytes);
    assign m_axi_awburst_o[p*2+:2] = 2'b01;
    assign m_axi_wvalid_o[p] = p == PortStore && w.valid;
    assign m_axi_wlast_o[p] = w.last;
    assign m_axi_wstrb_o[p*vta_pkg::AxiBytes+:vta_pkg::AxiBytes] = w.strb;
    assign m_axi_wdata_o[p*DataWidth+:DataWidth] = w.data;
    assign m_axi_bready_o[p] = 1'b1;
  end

  // What stands still for good, for the deadlock rule.
  logic [2:0] unit_stuck;
  logic [3*NumberWidth-1:0] head_number;

  assign unit_stuck[0] = load_idle && (waiting_token[0] || (!head_valid[0] && queue_empty[0]));
  assign unit_stuck[1] = compute_idle && (waiting_token[1] || compute_waits_others ||
                                          (compute_empty && queue_empty[1]));
  assign unit_stuck[2] = store_idle && (waiting_token[2] || (!head_valid[2] && queue_empty[2]));
  assign head_number = {store_head.number, compute_number, load_head.number};

  vta_control u_control (
    .clk_i,
    .rst_ni,
    .launch_i(launch),
    .bad_launch_i(bad_launch),
    .ready_o(control_ready),
    .reset_i(soft_reset),
    .draining_o(draining),
    .clear_o(clear),
    .start_o(start),
    .halt_o(halt),
    .quiet_o(quiet),
    .go_o(go),
    .running_o,
    .ended_o(ended),
    .done_o(done),
    .fault_o(fault),
    .load_fault_i(load_fault),
    .dma_fault_i(dma_fault),
    .compute_fault_i(compute_fault),
    .store_fault_i(store_fault),
    .overflow_i({token_overflow[3], token_overflow[1] || token_overflow[2], token_overflow[0]}),
    .retire_number_i(retire_number_o),
    .finish_i(finish),
    .tokens_left_i(token_avail != 4'd0),
    .bus_busy_i(read_busy != 3'd0 || write_busy),
    .fetch_stuck_i(fetch_ended || fetch_blocked),
    .unit_stuck_i(unit_stuck),
    .waiting_i(waiting_token),
    .head_number_i(head_number),
    .fetch_fault_i(fetch_fault),
    .fetched_i(fetched_count)
  );

  assign read_bytes[0*17+:17] = fetch_events.busy ? 17'(vta_pkg::InsnBytes) : '0;
  assign read_bytes[3*17+:17] = '0;

  vta_counters u_counters (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .running_i(running_o),
    .halt_i(halt),
    .fetch_i(fetch_events),
    .load_i(load_events),
    .compute_i(compute_events),
    .store_i(store_events),
    .read_bytes_i(read_bytes),
    .write_bytes_i(write_bytes),
    .gemm_uop_i(gemm_uop),
    .alu_uop_i(alu_uop),
    .index_i(counter_index),
    .value_o(counter_value)
  );

  logic unused;
  assign unused = &{1'b0, m_axi_awready_i, m_axi_wready_i, m_axi_bvalid_i, m_axi_bresp_i, m_axi_bid_i, m_axi_rdata_i,
                    m_axi_rresp_i, m_axi_rlast_i, m_axi_rid_i, m_axi_rvalid_i, grant, load_head, store_head};

endmodule
