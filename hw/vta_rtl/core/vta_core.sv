// The accelerator: fetch, load, compute and store with their scratchpads, token queues and registers.
//
// Here are what software sees, registers, launches and counters, and the ports; vta_units has the rest. There is one clock
// and, for double-pumped multipliers, one of twice its frequency; one synchronous reset (active low). Software talks
// through s_axil (registers: docs/isa.md). The core reads instructions, operands and micro-ops and writes results through
// m_axi. The timing contract is docs/timing.md. All parameters are in the generated package vta_pkg.
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
  logic go;  // the opposite of halt, for what the longest paths go through
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

  // ---- Launches: their begin and end, and faults -----------------------------------------------
  logic finish;
  logic fetch_stuck;
  logic [2:0] unit_stuck;
  logic [2:0] waiting_token;
  logic [3*NumberWidth-1:0] head_number;
  logic [NumberWidth-1:0] fetched_count;
  logic [3:0] token_avail, token_overflow;
  logic [3:0] bus_busy;
  vta_pkg::fault_t fetch_fault, load_fault, dma_fault, compute_fault, store_fault;

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
    .bus_busy_i(bus_busy != 4'd0),
    .fetch_stuck_i(fetch_stuck),
    .unit_stuck_i(unit_stuck),
    .waiting_i(waiting_token),
    .head_number_i(head_number),
    .fetch_fault_i(fetch_fault),
    .fetched_i(fetched_count)
  );

  // ---- Counters --------------------------------------------------------------------------------
  vta_pkg::unit_events_t fetch_events, load_events, compute_events, store_events;
  logic [16:0] load_bytes, compute_bytes, write_bytes;
  logic [4*17-1:0] read_bytes;  // by unit
  logic gemm_uop;
  logic alu_uop;

  assign read_bytes[0*17+:17] = fetch_events.busy ? 17'(vta_pkg::InsnBytes) : '0;
  assign read_bytes[1*17+:17] = load_bytes;
  assign read_bytes[2*17+:17] = compute_bytes;
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

  // ---- Memory ----------------------------------------------------------------------------------
  vta_pkg::burst_t fetch_burst, inp_burst, wgt_burst, compute_burst;
  vta_pkg::read_beat_t fetch_beat, inp_beat, wgt_beat, compute_beat;
  logic fetch_grant, inp_grant, wgt_grant, compute_grant;
  vta_pkg::axi_addr_t aw;
  vta_pkg::axi_data_t w;
  logic awready, wready, bvalid, berror;

  vta_memory_ports u_memory_ports (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .quiet_i(quiet),
    .fetch_burst_i(fetch_burst),
    .inp_burst_i(inp_burst),
    .wgt_burst_i(wgt_burst),
    .compute_burst_i(compute_burst),
    .fetch_grant_o(fetch_grant),
    .inp_grant_o(inp_grant),
    .wgt_grant_o(wgt_grant),
    .compute_grant_o(compute_grant),
    .fetch_beat_o(fetch_beat),
    .inp_beat_o(inp_beat),
    .wgt_beat_o(wgt_beat),
    .compute_beat_o(compute_beat),
    .aw_i(aw),
    .awready_o(awready),
    .w_i(w),
    .wready_o(wready),
    .bvalid_o(bvalid),
    .berror_o(berror),
    .m_axi_arid_o,
    .m_axi_araddr_o,
    .m_axi_arlen_o,
    .m_axi_arsize_o,
    .m_axi_arburst_o,
    .m_axi_arvalid_o,
    .m_axi_arready_i,
    .m_axi_rid_i,
    .m_axi_rdata_i,
    .m_axi_rresp_i,
    .m_axi_rlast_i,
    .m_axi_rvalid_i,
    .m_axi_rready_o,
    .m_axi_awid_o,
    .m_axi_awaddr_o,
    .m_axi_awlen_o,
    .m_axi_awsize_o,
    .m_axi_awburst_o,
    .m_axi_awvalid_o,
    .m_axi_awready_i,
    .m_axi_wdata_o,
    .m_axi_wstrb_o,
    .m_axi_wlast_o,
    .m_axi_wvalid_o,
    .m_axi_wready_i,
    .m_axi_bid_i,
    .m_axi_bresp_i,
    .m_axi_bvalid_i,
    .m_axi_bready_o
  );

  // ---- The units -------------------------------------------------------------------------------
  vta_units u_units (
    .clk_i,
    .clk2x_i,
    .rst_ni,
    .clear_i(clear),
    .start_i(start),
    .halt_i(halt),
    .go_i(go),
    .insn_addr_i(insn_addr),
    .insn_count_i(insn_count),
    .uop_base_i(uop_base),
    .inp_base_i(inp_base),
    .wgt_base_i(wgt_base),
    .acc_base_i(acc_base),
    .out_base_i(out_base),
    .fetch_burst_o(fetch_burst),
    .inp_burst_o(inp_burst),
    .wgt_burst_o(wgt_burst),
    .compute_burst_o(compute_burst),
    .fetch_grant_i(fetch_grant),
    .inp_grant_i(inp_grant),
    .wgt_grant_i(wgt_grant),
    .compute_grant_i(compute_grant),
    .fetch_beat_i(fetch_beat),
    .inp_beat_i(inp_beat),
    .wgt_beat_i(wgt_beat),
    .compute_beat_i(compute_beat),
    .aw_o(aw),
    .awready_i(awready),
    .w_o(w),
    .wready_i(wready),
    .bvalid_i(bvalid),
    .berror_i(berror),
    .bus_busy_o(bus_busy),
    .retire_valid_o,
    .retire_number_o,
    .finish_o(finish),
    .fetch_fault_o(fetch_fault),
    .load_fault_o(load_fault),
    .dma_fault_o(dma_fault),
    .compute_fault_o(compute_fault),
    .store_fault_o(store_fault),
    .fetched_count_o(fetched_count),
    .token_avail_o(token_avail),
    .token_overflow_o(token_overflow),
    .fetch_stuck_o(fetch_stuck),
    .unit_stuck_o(unit_stuck),
    .waiting_token_o(waiting_token),
    .head_number_o(head_number),
    .fetch_events_o(fetch_events),
    .load_events_o(load_events),
    .compute_events_o(compute_events),
    .store_events_o(store_events),
    .load_bytes_o(load_bytes),
    .compute_bytes_o(compute_bytes),
    .write_bytes_o(write_bytes),
    .gemm_uop_o(gemm_uop),
    .alu_uop_o(alu_uop)
  );

endmodule
