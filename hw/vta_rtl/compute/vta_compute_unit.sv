// The compute unit with its read DMA. Holds no logic of its own; the ports are those of vta_compute.
module vta_compute_unit (
  input logic clk_i,
  input logic rst_ni,
  // For one cycle before a launch: forget everything but the contents of the scratchpads.
  input logic clear_i,
  // From a fault or FINISH until the next clear: start nothing, report nothing.
  input logic halt_i,

  // Head of the command queue. cmd_pop_o only with cmd_valid_i; the next head shows a cycle later at the earliest.
  input  logic                cmd_valid_i,
  input  vta_pkg::cmd_t cmd_i,
  output logic                cmd_pop_o,

  // Token queues: load->compute is prev_avail_i, store->compute is next_avail_i (not empty in this cycle).
  // A pop takes effect at the end of the cycle, a push too.
  input  logic prev_avail_i,
  input  logic next_avail_i,
  output logic pop_prev_o,
  output logic pop_next_o,
  output logic push_prev_o,  // compute->load
  output logic push_next_o,  // compute->store

  // Read channel of the DMA, and the base addresses of what it loads.
  input  logic [vta_pkg::AxiAddrWidth-1:0]  uop_base_i,
  input  logic [vta_pkg::AxiAddrWidth-1:0]  acc_base_i,
  output logic                              req_o,
  output logic [vta_pkg::AxiAddrWidth-1:0]  req_addr_o,
  output logic [vta_pkg::BurstLenWidth-1:0] req_beats_o,
  input  logic                              grant_i,
  input  logic                              rvalid_i,
  input  logic [vta_pkg::AxiDataWidth-1:0]  rdata_i,
  input  logic                              rerror_i,
  input  logic                              rlast_i,
  output logic                              bus_busy_o,
  output logic [16:0]                       read_bytes_o,  // of data, in this cycle
  output vta_pkg::fault_t                   dma_fault_o,

  // Operand reads: the data is there one cycle after the enable and stays until the next enable.
  output logic                            inp_re_o,
  output logic [vta_pkg::InpLogDepth-1:0] inp_raddr_o,
  input  logic [vta_pkg::InpElemBits-1:0] inp_rdata_i,
  output logic                            wgt_re_o,
  output logic [vta_pkg::WgtLogDepth-1:0] wgt_raddr_o,
  input  logic [vta_pkg::WgtElemBits-1:0] wgt_rdata_i,

  // The store unit's read of OUT: data one cycle after the enable, held until the next enable. Never stalls.
  input  logic                            out_re_i,
  input  logic [vta_pkg::OutLogDepth-1:0] out_raddr_i,
  output logic [vta_pkg::OutElemBits-1:0] out_rdata_o,

  // FINISH is issued when its tokens are there, all older compute instructions have retired and load and store
  // have nothing queued or in flight (others_idle_i). finish_o marks that one cycle; the number is on retire_number_o.
  input  logic others_idle_i,
  output logic finish_o,

  // The instruction that retires in this cycle, FINISH included.
  output logic                                  retire_valid_o,
  output logic [vta_pkg::NumberWidth-1:0] retire_number_o,

  // Micro-op or SRAM range past a depth. For one cycle; nothing younger than the instruction has effects.
  output vta_pkg::fault_t fault_o,

  // No instruction issued and not retired. Queue and tokens do not count.
  output logic idle_o,

  // For the deadlock rule. The oldest instruction that is not issued: its number; it lacks a token; it is a FINISH that only
  // load and store keep from being issued. And: nothing here waits to be issued, queue included.
  output logic [vta_pkg::NumberWidth-1:0] head_number_o,
  output logic                            lacks_token_o,
  output logic                            waits_others_o,
  output logic                            empty_o,

  // For the performance counters.
  output vta_pkg::unit_events_t events_o,
  output logic                        gemm_uop_o,  // a GEMM micro-op is executed in this cycle
  output logic                        alu_uop_o
);

  logic dma_valid;
  logic dma_ready;
  vta_pkg::mem_cmd_t dma_cmd;
  logic dma_done;
  logic uop_we;
  logic [vta_pkg::UopLogDepth-1:0] uop_waddr;
  logic [vta_pkg::LaneCountWidth-1:0] uop_wcount;
  logic [vta_pkg::UopLanes*vta_pkg::UopElemBits-1:0] uop_wdata;
  logic acc_we;
  logic [vta_pkg::AccLogDepth-1:0] acc_waddr;
  logic [vta_pkg::AccElemBits-1:0] acc_wdata;

  vta_compute_load u_dma (
    .clk_i,
    .rst_ni,
    .clear_i,
    .halt_i,
    .cmd_valid_i(dma_valid),
    .cmd_ready_o(dma_ready),
    .cmd_i(dma_cmd),
    .done_o(dma_done),
    .fault_o(dma_fault_o),
    .uop_base_i,
    .acc_base_i,
    .req_o,
    .req_addr_o,
    .req_beats_o,
    .grant_i,
    .rvalid_i,
    .rdata_i,
    .rerror_i,
    .rlast_i,
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
    .dma_done_i(dma_done),
    .uop_we_i(uop_we),
    .uop_waddr_i(uop_waddr),
    .uop_wcount_i(uop_wcount),
    .uop_wdata_i(uop_wdata),
    .acc_we_i(acc_we),
    .acc_waddr_i(acc_waddr),
    .acc_wdata_i(acc_wdata),
    .inp_re_o,
    .inp_raddr_o,
    .inp_rdata_i,
    .wgt_re_o,
    .wgt_raddr_o,
    .wgt_rdata_i,
    .out_re_i,
    .out_raddr_i,
    .out_rdata_o,
    .others_idle_i,
    .finish_o,
    .retire_valid_o,
    .retire_number_o,
    .fault_o,
    .idle_o,
    .head_number_o,
    .lacks_token_o,
    .waits_others_o,
    .empty_o,
    .events_o,
    .gemm_uop_o,
    .alu_uop_o
  );

endmodule
