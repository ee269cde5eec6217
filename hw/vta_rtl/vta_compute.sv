// The compute unit: micro-op and accumulator loads, GEMM and tensor ALU, with ACC and its mirror OUT.
//
// Instructions come from the head of the compute command queue. All tokens of an instruction are popped in the
// cycle in which it is issued (cmd_pop_o), pushed in the cycle in which it retires; both in program order.
// Loads go to the compute unit's read DMA, which sits outside: dma_cmd_o is handed over when dma_valid_o and
// dma_ready_i; the DMA writes one element a cycle through the uop and acc write ports, never stalls on them, and
// reports each load in order with dma_done_i in the cycle of its last write. The cycle contract is docs/timing.md.
module vta_compute (
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

  // Transfers for the compute unit's read DMA: UOP, ACC, ACC_8BIT. x_size 0 transfers may be given or not.
  output logic                    dma_valid_o,
  input  logic                    dma_ready_i,
  output vta_pkg::mem_cmd_t dma_cmd_o,
  input  logic                    dma_done_i,

  // Element writes from the read DMA; readable from the next cycle on. Never both.
  input logic                            uop_we_i,
  input logic [vta_pkg::UopLogDepth-1:0] uop_waddr_i,
  input logic [vta_pkg::UopElemBits-1:0] uop_wdata_i,
  input logic                            acc_we_i,
  input logic [vta_pkg::AccLogDepth-1:0] acc_waddr_i,
  input logic [vta_pkg::AccElemBits-1:0] acc_wdata_i,

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

  // For the performance counters.
  output vta_pkg::unit_events_t events_o,
  output logic                        gemm_uop_o,  // a GEMM micro-op is executed in this cycle
  output logic                        alu_uop_o
);

endmodule
