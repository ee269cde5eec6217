// The compute unit with its read DMA: vta_compute, and vta_compute_load, which writes UOP and ACC for it.
module vta_compute_unit (
  // Clock; synchronous reset; clear_i before a launch; halt_i: start nothing, report nothing.
  input  logic clk_i,
  input  logic clk2x_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic halt_i,

  // Head of the command queue, and whether nothing is behind it.
  input  logic          cmd_valid_i,
  input  vta_pkg::cmd_t cmd_i,
  output logic          cmd_pop_o,
  input  logic          behind_empty_i,

  // load->compute tokens: prev_avail_i, pop_prev_o. store->compute: next_avail_i, pop_next_o. Pushes to compute->load
  // (prev) and compute->store (next).
  input  logic prev_avail_i,
  input  logic next_avail_i,
  output logic pop_prev_o,
  output logic pop_next_o,
  output logic push_prev_o,
  output logic push_next_o,

  // Base addresses.
  input  logic [vta_pkg::AxiAddrWidth-1:0] uop_base_i,
  input  logic [vta_pkg::AxiAddrWidth-1:0] acc_base_i,

  // Read channel: the burst offered and its grant; the beats that come for it; whether a granted burst has not ended.
  output vta_pkg::burst_t     burst_o,
  input  logic                grant_i,
  input  vta_pkg::read_beat_t beat_i,
  output logic                bus_busy_o,

  // Operand reads, and reads of OUT by store and by load for hand-overs: data one cycle after the enable, held until the
  // next enable. Of INP one element, or with inp_rmany_o InpReadElems of them.
  output logic                            inp_re_o,
  output logic                            inp_rmany_o,
  output logic [vta_pkg::InpLogDepth-1:0] inp_raddr_o,
  input  logic [vta_pkg::InpReadElems*vta_pkg::InpElemBits-1:0] inp_rdata_i,
  output logic                            wgt_re_o,
  output logic [vta_pkg::WgtLogDepth-1:0] wgt_raddr_o,
  input  logic [vta_pkg::WgtElemBits-1:0] wgt_rdata_i,
  input  logic                            out_re_i,
  input  logic [vta_pkg::OutLogDepth-1:0] out_raddr_i,
  output logic [vta_pkg::OutElemBits-1:0] out_rdata_o,
  input  logic                            hand_re_i,
  input  logic [vta_pkg::OutLogDepth-1:0] hand_raddr_i,
  output logic [vta_pkg::OutElemBits-1:0] hand_rdata_o,

  // Load and store have nothing queued or in flight; FINISH is executed in this cycle.
  input  logic others_idle_i,
  output logic finish_o,

  // The instruction that retires in this cycle; faults of this cycle, of the unit and of its DMA.
  output logic                            retire_valid_o,
  output logic [vta_pkg::NumberWidth-1:0] retire_number_o,
  output vta_pkg::fault_t                 fault_o,
  output vta_pkg::fault_t                 dma_fault_o,

  // For the deadlock rule: the oldest instruction that is not issued lacks a token; its number; the unit cannot go on by
  // itself.
  output logic                            lacks_token_o,
  output logic [vta_pkg::NumberWidth-1:0] head_number_o,
  output logic                            stuck_o,

  // For the performance counters: events, micro-ops of GEMM and of the ALU, and bytes of data written in this cycle.
  output vta_pkg::unit_events_t events_o,
  output logic                  gemm_uop_o,
  output logic                  alu_uop_o,
  output logic [16:0]           read_bytes_o
);

  logic idle;
  logic empty;
  logic waits_others;

  assign stuck_o = idle && (lacks_token_o || waits_others || (empty && behind_empty_i));

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
    .clear_i,
    .halt_i,
    .cmd_valid_i(dma_valid),
    .cmd_ready_o(dma_ready),
    .cmd_i(dma_cmd),
    .is_uop_i(dma_is_uop),
    .is_acc8_i(dma_is_acc8),
    .done_o(dma_done),
    .fault_o(dma_fault_o),
    .uop_base_i,
    .acc_base_i,
    .burst_o,
    .grant_i,
    .beat_i,
    .bus_busy_o,
    .uop_we_o(uop_we),
    .uop_waddr_o(uop_waddr),
    .uop_wcount_o(uop_wcount),
    .uop_wdata_o(uop_wdata),
    .acc_we_o(acc_we),
    .acc_waddr_o(acc_waddr),
    .acc_wdata_o(acc_wdata),
    .read_bytes_o
  );

  vta_compute u_compute (
    .clk_i,
    .clk2x_i,
    .rst_ni,
    .clear_i,
    .halt_i,
    .cmd_valid_i,
    .cmd_i,
    .cmd_pop_o,
    .prev_avail_i,
    .next_avail_i,
    .pop_prev_o,
    .pop_next_o,
    .push_prev_o,
    .push_next_o,
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
    .inp_re_o,
    .inp_rmany_o,
    .inp_raddr_o,
    .inp_rdata_i,
    .wgt_re_o,
    .wgt_raddr_o,
    .wgt_rdata_i,
    .out_re_i,
    .out_raddr_i,
    .out_rdata_o,
    .hand_re_i,
    .hand_raddr_i,
    .hand_rdata_o,
    .others_idle_i,
    .finish_o,
    .retire_valid_o,
    .retire_number_o,
    .fault_o,
    .idle_o(idle),
    .head_number_o,
    .lacks_token_o,
    .waits_others_o(waits_others),
    .empty_o(empty),
    .events_o,
    .gemm_uop_o,
    .alu_uop_o
  );

endmodule
