// The compute unit without its read DMA: scan, issue, GEMM and tensor ALU, the micro-op memories, ACC and its mirror
// OUT.
//
// Instructions come from the head of the compute command queue. All tokens of an instruction are popped in the cycle in
// which it is issued, pushed in the cycle in which it retires; both in program order. Loads go to vta_compute_load,
// which writes through the uop and acc ports, never stalls on them, and reports each load in order. The cycles are
// those of docs/timing.md, "Compute".
module vta_compute (
  // Clock; synchronous reset. clear_i, for one cycle before a launch: forget everything but the contents of the
  // scratchpads. halt_i, from a fault or FINISH until the next clear: start nothing, report nothing.
  input  logic clk_i,
  input  logic clk2x_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic halt_i,

  // Head of the command queue. cmd_pop_o only with cmd_valid_i; the next head shows a cycle later at the earliest.
  input  logic          cmd_valid_i,
  input  vta_pkg::cmd_t cmd_i,
  output logic          cmd_pop_o,

  // Token queues: load->compute is prev_avail_i, store->compute is next_avail_i (not empty in this cycle); pushes to
  // compute->load (prev) and compute->store (next). A pop takes effect at the end of the cycle, a push too.
  input  logic prev_avail_i,
  input  logic next_avail_i,
  output logic pop_prev_o,
  output logic pop_next_o,
  output logic push_prev_o,
  output logic push_next_o,

  // Transfers for the read DMA: UOP, ACC, ACC_8BIT; handed over when dma_valid_o and dma_ready_i. dma_done_i: the
  // oldest does its last write in this cycle.
  output logic              dma_valid_o,
  input  logic              dma_ready_i,
  output vta_pkg::mem_cmd_t dma_cmd_o,
  output logic              dma_is_uop_o,
  output logic              dma_is_acc8_o,
  input  logic              dma_done_i,

  // Writes from the read DMA; readable from the next cycle on. Never both. A UOP write stores uop_wcount_i elements (1
  // to UopLanes) from uop_waddr_i on, the first in the low bits of the data.
  input  logic                                              uop_we_i,
  input  logic [vta_pkg::UopLogDepth-1:0]                   uop_waddr_i,
  input  logic [vta_pkg::LaneCountWidth-1:0]                uop_wcount_i,
  input  logic [vta_pkg::UopLanes*vta_pkg::UopElemBits-1:0] uop_wdata_i,
  input  logic                                              acc_we_i,
  input  logic [vta_pkg::AccLogDepth-1:0]                   acc_waddr_i,
  input  logic [vta_pkg::AccElemBits-1:0]                   acc_wdata_i,

  // Operand reads: the data is there one cycle after the enable and stays until the next enable.
  // Of INP one element, or with inp_rmany_o InpReadElems of them.
  output logic                            inp_re_o,
  output logic                            inp_rmany_o,
  output logic [vta_pkg::InpLogDepth-1:0] inp_raddr_o,
  input  logic [vta_pkg::InpReadElems*vta_pkg::InpElemBits-1:0] inp_rdata_i,
  output logic                            wgt_re_o,
  output logic [vta_pkg::WgtLogDepth-1:0] wgt_raddr_o,
  input  logic [vta_pkg::WgtElemBits-1:0] wgt_rdata_i,

  // The store unit's read of OUT: data one cycle after the enable, held until the next enable. Never stalls.
  input  logic                            out_re_i,
  input  logic [vta_pkg::OutLogDepth-1:0] out_raddr_i,
  output logic [vta_pkg::OutElemBits-1:0] out_rdata_o,
  // The same for the load unit's hand-overs.
  input  logic                            hand_re_i,
  input  logic [vta_pkg::OutLogDepth-1:0] hand_raddr_i,
  output logic [vta_pkg::OutElemBits-1:0] hand_rdata_o,

  // FINISH is issued when its tokens are there, all older compute instructions have retired and load and store
  // have nothing queued or in flight (others_idle_i). finish_o marks that one cycle; the number is on retire_number_o.
  input  logic others_idle_i,
  output logic finish_o,

  // The instruction that retires in this cycle, FINISH included.
  output logic                            retire_valid_o,
  output logic [vta_pkg::NumberWidth-1:0] retire_number_o,

  // Micro-op or SRAM range past a depth. For one cycle; nothing younger than the instruction has effects.
  output vta_pkg::fault_t fault_o,

  // No instruction is issued and not retired. Queue and tokens do not count.
  output logic idle_o,

  // For the deadlock rule. The oldest instruction that is not issued: its number; it lacks a token; it is a FINISH that
  // only load and store keep from being issued. And: nothing here waits to be issued, queue included.
  output logic [vta_pkg::NumberWidth-1:0] head_number_o,
  output logic                            lacks_token_o,
  output logic                            waits_others_o,
  output logic                            empty_o,

  // For the performance counters: events; a micro-op of GEMM or of the ALU is executed in this cycle.
  output vta_pkg::unit_events_t events_o,
  output logic                  gemm_uop_o,
  output logic                  alu_uop_o
);

  // An ACC of two elements has two banks.
  localparam int unsigned LogBanks = $clog2(vta_pkg::AccFilledBanks);
  localparam int unsigned SlotWidth = vta_pkg::ReorderWidth;

  if (vta_pkg::LoadLatency < 1) begin : gen_load_latency
    $error("load latency: a load's writes to UOP and ACC pass one register");
  end

  // ---- Scan and issue --------------------------------------------------------------------------
  logic                            scan_re, scanned_valid, scanned_pop, issued, uop_load_done;
  logic [vta_pkg::UopLogDepth-1:0] scan_raddr;
  logic [vta_pkg::UopElemBits-1:0] scan_rdata;
  vta_pkg::scanned_t               scanned;
  vta_pkg::claim_t                 claim;
  vta_pkg::cmd_t                   head;
  logic                            scan_empty;

  vta_compute_scan u_scan (
    .clk_i,
    .rst_ni,
    .clear_i,
    .cmd_valid_i(cmd_valid_i && !halt_i),
    .cmd_i,
    .cmd_pop_o,
    .uop_load_done_i(uop_load_done),
    .uop_re_o(scan_re),
    .uop_raddr_o(scan_raddr),
    .uop_rdata_i(scan_rdata),
    .valid_o(scanned_valid),
    .scanned_o(scanned),
    .claim_o(claim),
    .empty_o(scan_empty),
    .pop_i(scanned_pop),
    .issued_i(issued)
  );

  logic                 gemm_start, alu_start, load_start, loops_busy, loads_busy;
  logic                 gemm_done, alu_done, load_done;
  logic [SlotWidth-1:0] start_slot, gemm_done_slot, alu_done_slot, load_done_slot;

  vta_compute_issue u_issue (
    .clk_i,
    .rst_ni,
    .clear_i,
    .halt_i,
    .scanned_valid_i(scanned_valid),
    .scanned_i(scanned),
    .claim_i(claim),
    .scanned_pop_o(scanned_pop),
    .head_o(head),
    .issued_o(issued),
    .prev_avail_i,
    .next_avail_i,
    .pop_prev_o,
    .pop_next_o,
    .push_prev_o,
    .push_next_o,
    .load_is_uop_o(dma_is_uop_o),
    .load_is_acc8_o(dma_is_acc8_o),
    .gemm_start_o(gemm_start),
    .alu_start_o(alu_start),
    .load_start_o(load_start),
    .load_ready_i(dma_ready_i),
    .start_slot_o(start_slot),
    .gemm_done_i(gemm_done),
    .gemm_done_slot_i(gemm_done_slot),
    .alu_done_i(alu_done),
    .alu_done_slot_i(alu_done_slot),
    .load_done_i(load_done),
    .load_done_slot_i(load_done_slot),
    .others_idle_i,
    .finish_o,
    .retire_valid_o,
    .retire_number_o,
    .fault_o,
    .idle_o,
    .lacks_token_o,
    .waits_others_o,
    .loops_busy_o(loops_busy),
    .loads_busy_o(loads_busy)
  );
  assign head_number_o = head.number;
  assign empty_o = scan_empty && !cmd_valid_i;

  // ---- Loads: the DMA does them, and is done with them, in order -------------------------------
  assign dma_valid_o = load_start;
  assign dma_cmd_o = vta_pkg::mem_cmd_of(head);

  logic                 load_taken, load_known, done_is_uop;
  logic [SlotWidth-1:0] done_slot;
  assign load_taken = load_start && dma_ready_i;

  vta_queue #(
    .Width(SlotWidth + 1),
    .Depth(vta_pkg::ReorderDepth),
    .Eager(1'b1)
  ) u_loads (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(load_taken),
    .data_i({dma_is_uop_o, start_slot}),
    .valid_o(load_known),
    .data_o({done_is_uop, done_slot}),
    .pop_i(dma_done_i && load_known)
  );

  // Their writes reach UOP and ACC LoadLatency later: what the DMA decides in a cycle ends in registers.
  localparam int unsigned UopDataWidth = vta_pkg::UopLanes * vta_pkg::UopElemBits;
  localparam int unsigned UopWriteWidth = UopDataWidth + vta_pkg::LaneCountWidth + vta_pkg::UopLogDepth;
  logic                               uop_we, acc_we, load_accesses;
  logic [vta_pkg::UopLogDepth-1:0]    uop_waddr;
  logic [vta_pkg::LaneCountWidth-1:0] uop_wcount;
  logic [UopDataWidth-1:0]            uop_wdata;
  logic [vta_pkg::AccLogDepth-1:0]    acc_waddr;
  logic [vta_pkg::AccElemBits-1:0]    acc_wdata;

  vta_delay #(
    .Width(UopWriteWidth),
    .Cycles(vta_pkg::LoadLatency),
    .Eager(1'b1)
  ) u_uop_write (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(uop_we_i),
    .data_i({uop_wdata_i, uop_wcount_i, uop_waddr_i}),
    .valid_o(uop_we),
    .data_o({uop_wdata, uop_wcount, uop_waddr})
  );
  // The last cycle is that of vta_acc_memory.
  vta_delay #(
    .Width(vta_pkg::AccElemBits + vta_pkg::AccLogDepth),
    .Cycles(vta_pkg::LoadLatency - 1)
  ) u_acc_write (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(acc_we_i),
    .data_i({acc_wdata_i, acc_waddr_i}),
    .valid_o(acc_we),
    .data_o({acc_wdata, acc_waddr})
  );
  vta_delay #(
    .Width(1),
    .Cycles(vta_pkg::LoadLatency)
  ) u_uop_load_done (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(dma_done_i && load_known && done_is_uop),
    .data_i(1'b0),
    .valid_o(uop_load_done),
    .data_o(unused_done)
  );
  vta_delay #(
    .Width(1),
    .Cycles(vta_pkg::LoadLatency)
  ) u_load_accesses (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(uop_we_i || acc_we_i),
    .data_i(1'b0),
    .valid_o(load_accesses),
    .data_o(unused_access)
  );
  logic unused_done, unused_access, unused;
  assign unused = &{1'b0, unused_done, unused_access};

  // The last access of a load is LoadLatency after dma_done_i; its write, like everybody's, comes AccLatency later.
  localparam int unsigned DoneDelay = vta_pkg::LoadLatency + vta_pkg::AccLatency - 1;
  logic [DoneDelay-1:0]                done_q;
  logic [DoneDelay*SlotWidth-1:0]      done_slot_q;  // the newest in the low bits
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) done_q <= '0;
    else done_q <= {done_q[DoneDelay-2:0], dma_done_i && load_known};
    done_slot_q <= {done_slot_q[(DoneDelay-1)*SlotWidth-1:0], done_slot};
  end
  assign load_done = done_q[DoneDelay-1];
  assign load_done_slot = done_slot_q[DoneDelay*SlotWidth-1-:SlotWidth];

  // ---- Micro-op memory: a copy for each engine; loads and the scanner share a port -------------
  logic                            gemm_uop_re, alu_uop_re;
  logic [vta_pkg::UopLogDepth-1:0] gemm_uop_raddr, alu_uop_raddr;
  logic [vta_pkg::UopElemBits-1:0] gemm_uop_rdata, alu_uop_rdata;

  vta_lane_ram #(
    .ElemBits(vta_pkg::UopElemBits),
    .Depth(vta_pkg::UopDepth),
    .Lanes(vta_pkg::UopLanes)
  ) u_uop_gemm (
    .clk_i,
    .we_i(uop_we),
    .waddr_i(uop_waddr),
    .wcount_i(uop_wcount),
    .wdata_i(uop_wdata),
    .re_i(gemm_uop_re),
    .rmany_i(1'b0),
    .raddr_i(gemm_uop_raddr),
    .rdata_o(gemm_uop_rdata)
  );
  vta_lane_ram_1rw1r #(
    .ElemBits(vta_pkg::UopElemBits),
    .Depth(vta_pkg::UopDepth),
    .Lanes(vta_pkg::UopLanes)
  ) u_uop_alu (
    .clk_i,
    .a_we_i(uop_we),
    .a_re_i(scan_re),
    .a_addr_i(uop_we ? uop_waddr : scan_raddr),
    .a_wcount_i(uop_wcount),
    .a_wdata_i(uop_wdata),
    .a_rdata_o(scan_rdata),
    .b_re_i(alu_uop_re),
    .b_addr_i(alu_uop_raddr),
    .b_rdata_o(alu_uop_rdata)
  );

  // ---- Engines ---------------------------------------------------------------------------------
  logic                            gemm_req, gemm_gnt, gemm_we, dst_req, src_req, alu_gnt, alu_we;
  logic [(1<<LogBanks)-1:0]        dst_banks, src_banks, alu_banks;
  logic [vta_pkg::AccLogDepth-1:0] gemm_addr, gemm_waddr, dst_addr, src_addr, alu_waddr;
  logic [vta_pkg::AccElemBits-1:0] gemm_wdata, alu_wdata;
  logic [(LogBanks == 1 ? 2 : 1)*vta_pkg::AccElemBits-1:0] gemm_rdata, dst_rdata, src_rdata;

  vta_gemm #(
    .LogBanks(LogBanks)
  ) u_gemm (
    .clk_i,
    .clk2x_i,
    .rst_ni,
    .clear_i,
    .start_i(gemm_start),
    .insn_i(head.insn),
    .slot_i(start_slot),
    .done_o(gemm_done),
    .done_slot_o(gemm_done_slot),
    .uop_re_o(gemm_uop_re),
    .uop_raddr_o(gemm_uop_raddr),
    .uop_rdata_i(gemm_uop_rdata),
    .inp_re_o,
    .inp_rmany_o,
    .inp_raddr_o,
    .inp_rdata_i,
    .wgt_re_o,
    .wgt_raddr_o,
    .wgt_rdata_i,
    .acc_req_o(gemm_req),
    .acc_addr_o(gemm_addr),
    .acc_gnt_i(gemm_gnt),
    .acc_rdata_i(gemm_rdata),
    .acc_we_o(gemm_we),
    .acc_waddr_o(gemm_waddr),
    .acc_wdata_o(gemm_wdata)
  );
  vta_alu #(
    .LogBanks(LogBanks)
  ) u_alu (
    .clk_i,
    .rst_ni,
    .clear_i,
    .start_i(alu_start),
    .insn_i(head.insn),
    .slot_i(start_slot),
    .done_o(alu_done),
    .done_slot_o(alu_done_slot),
    .uop_re_o(alu_uop_re),
    .uop_raddr_o(alu_uop_raddr),
    .uop_rdata_i(alu_uop_rdata),
    .acc_dst_req_o(dst_req),
    .acc_dst_banks_o(dst_banks),
    .acc_dst_addr_o(dst_addr),
    .acc_src_req_o(src_req),
    .acc_src_banks_o(src_banks),
    .acc_banks_o(alu_banks),
    .acc_src_addr_o(src_addr),
    .acc_gnt_i(alu_gnt),
    .acc_dst_rdata_i(dst_rdata),
    .acc_src_rdata_i(src_rdata),
    .acc_we_o(alu_we),
    .acc_waddr_o(alu_waddr),
    .acc_wdata_o(alu_wdata),
    .uop_done_o(alu_uop_o)
  );
  vta_acc_memory #(
    .LogBanks(LogBanks)
  ) u_acc (
    .clk_i,
    .rst_ni,
    .clear_i,
    .load_req_i(acc_we),
    .load_addr_i(acc_waddr),
    .load_data_i(acc_wdata),
    .alu_banks_i(alu_banks),
    .alu_dst_banks_i(dst_banks),
    .alu_dst_addr_i(dst_addr),
    .alu_src_banks_i(src_banks),
    .alu_src_addr_i(src_addr),
    .alu_gnt_o(alu_gnt),
    .alu_dst_rdata_o(dst_rdata),
    .alu_src_rdata_o(src_rdata),
    .alu_we_i(alu_we),
    .alu_waddr_i(alu_waddr),
    .alu_wdata_i(alu_wdata),
    .gemm_req_i(gemm_req),
    .gemm_addr_i(gemm_addr),
    .gemm_gnt_o(gemm_gnt),
    .gemm_rdata_o(gemm_rdata),
    .gemm_we_i(gemm_we),
    .gemm_waddr_i(gemm_waddr),
    .gemm_wdata_i(gemm_wdata),
    .out_re_i,
    .out_raddr_i,
    .out_rdata_o,
    .hand_re_i,
    .hand_raddr_i,
    .hand_rdata_o
  );

  // ---- Counters --------------------------------------------------------------------------------
  logic busy, hazard, memory, token;
  assign gemm_uop_o = gemm_req && gemm_gnt;
  assign busy = gemm_uop_o || ((dst_req || src_req) && alu_gnt) || load_accesses;
  assign hazard = loops_busy;
  assign memory = loads_busy;
  assign token = lacks_token_o || waits_others_o;
  assign events_o.retired = retire_valid_o;
  assign events_o.busy = busy;
  assign events_o.stall_hazard = !busy && hazard;
  assign events_o.stall_memory = !busy && !hazard && memory;
  assign events_o.stall_token = !busy && !hazard && !memory && token;

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      one_write_of_a_load : assert (!(uop_we_i && acc_we_i));
      one_engine_starts : assert (32'(gemm_start) + 32'(alu_start) + 32'(load_start) <= 1);
      retires_from_the_buffer : assert (!retire_valid_o || !idle_o || finish_o);
    end
  end
endmodule
