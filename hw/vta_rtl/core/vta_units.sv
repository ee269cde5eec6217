// The four units, fetch, load, compute and store, with the queues between them and the scratchpads INP and WGT.
module vta_units (
  // Clocks; synchronous reset; clear_i before a launch; start_i, for one cycle: fetch begins; halt_i: start, request and
  // write nothing; go_i: the opposite of halt_i, for what the longest paths go through.
  input  logic clk_i,
  input  logic clk2x_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic start_i,
  input  logic halt_i,
  input  logic go_i,

  // The instruction stream, and the base addresses.
  input  logic [vta_pkg::AxiAddrWidth-1:0] insn_addr_i,
  input  logic [31:0]                      insn_count_i,
  input  logic [vta_pkg::AxiAddrWidth-1:0] uop_base_i,
  input  logic [vta_pkg::AxiAddrWidth-1:0] inp_base_i,
  input  logic [vta_pkg::AxiAddrWidth-1:0] wgt_base_i,
  input  logic [vta_pkg::AxiAddrWidth-1:0] acc_base_i,
  input  logic [vta_pkg::AxiAddrWidth-1:0] out_base_i,

  // Memory, as vta_memory_ports says.
  output vta_pkg::burst_t     fetch_burst_o,
  output vta_pkg::burst_t     inp_burst_o,
  output vta_pkg::burst_t     wgt_burst_o,
  output vta_pkg::burst_t     compute_burst_o,
  input  logic                fetch_grant_i,
  input  logic                inp_grant_i,
  input  logic                wgt_grant_i,
  input  logic                compute_grant_i,
  input  vta_pkg::read_beat_t fetch_beat_i,
  input  vta_pkg::read_beat_t inp_beat_i,
  input  vta_pkg::read_beat_t wgt_beat_i,
  input  vta_pkg::read_beat_t compute_beat_i,
  output vta_pkg::axi_addr_t  aw_o,
  input  logic                awready_i,
  output vta_pkg::axi_data_t  w_o,
  input  logic                wready_i,
  input  logic                bvalid_i,
  input  logic                berror_i,
  // A granted burst has not ended: bit 0 of fetch, 1 load, 2 compute, 3 store.
  output logic [3:0]          bus_busy_o,

  // The instructions that retire in this cycle, bit and word 0 load, 1 compute, 2 store; one of these is a FINISH.
  output logic [2:0]                        retire_valid_o,
  output logic [3*vta_pkg::NumberWidth-1:0] retire_number_o,
  output logic                              finish_o,

  // Faults; that of fetch is held. Instructions that fetch has dispatched.
  output vta_pkg::fault_t                 fetch_fault_o,
  output vta_pkg::fault_t                 load_fault_o,
  output vta_pkg::fault_t                 dma_fault_o,  // of compute's loads
  output vta_pkg::fault_t                 compute_fault_o,
  output vta_pkg::fault_t                 store_fault_o,
  output logic [vta_pkg::NumberWidth-1:0] fetched_count_o,

  // Token queues, bit 0 load->compute, 1 compute->load, 2 compute->store, 3 store->compute: which have tokens, which
  // cannot take the one that is pushed.
  output logic [3:0] token_avail_o,
  output logic [3:0] token_overflow_o,

  // For the deadlock rule: fetch, or a unit (bit 0 load, 1 compute, 2 store), cannot go on by itself; it lacks a token for
  // its oldest instruction; the number of that.
  output logic                              fetch_stuck_o,
  output logic [2:0]                        unit_stuck_o,
  output logic [2:0]                        waiting_token_o,
  output logic [3*vta_pkg::NumberWidth-1:0] head_number_o,

  // For the performance counters: events, bytes of data that are read and written, micro-ops.
  output vta_pkg::unit_events_t fetch_events_o,
  output vta_pkg::unit_events_t load_events_o,
  output vta_pkg::unit_events_t compute_events_o,
  output vta_pkg::unit_events_t store_events_o,
  output logic [16:0]           load_bytes_o,
  output logic [16:0]           compute_bytes_o,
  output logic [16:0]           write_bytes_o,
  output logic                  gemm_uop_o,
  output logic                  alu_uop_o
);

  localparam int unsigned NumberWidth = vta_pkg::NumberWidth;

  // ---- Queues: commands, bit 0 load, 1 compute, 2 store, and tokens (see vta_queues) -----------
  logic [2:0] queue_room;
  logic [2:0] queue_push;
  logic [2:0] queue_empty;  // nothing behind the head
  logic [2:0] head_valid;
  logic [2:0] head_pop;
  vta_pkg::cmd_t load_head, compute_head, store_head, fetched;
  logic [3:0] token_push, token_pop, token_avail;

  assign token_avail_o = token_avail;

  vta_queues u_queues (
    .clk_i,
    .rst_ni,
    .clear_i,
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
    .token_overflow_o
  );

  // ---- Fetch -----------------------------------------------------------------------------------
  logic fetch_blocked;
  logic fetch_ended;

  assign fetch_stuck_o = fetch_ended || fetch_blocked;

  vta_fetch u_fetch (
    .clk_i,
    .rst_ni,
    .clear_i,
    .halt_i,
    .start_i,
    .addr_i(insn_addr_i),
    .count_i(insn_count_i),
    .burst_o(fetch_burst_o),
    .grant_i(fetch_grant_i),
    .beat_i(fetch_beat_i),
    .bus_busy_o(bus_busy_o[0]),
    .room_i(queue_room),
    .push_o(queue_push),
    .cmd_o(fetched),
    .blocked_o(fetch_blocked),
    .ended_o(fetch_ended),
    .fault_o(fetch_fault_o),
    .next_number_o(fetched_count_o),
    .events_o(fetch_events_o)
  );

  // ---- Load, and the scratchpads that it writes and GEMM reads ----------------------------------
  logic load_idle;
  logic inp_we, wgt_we;
  logic [vta_pkg::InpLogDepth-1:0] inp_waddr;
  logic [vta_pkg::WgtLogDepth-1:0] wgt_waddr;
  logic [vta_pkg::LaneCountWidth-1:0] inp_wcount, wgt_wcount;
  logic [vta_pkg::InpLanes*vta_pkg::InpElemBits-1:0] inp_wdata;
  logic [vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0] wgt_wdata;
  logic inp_re, inp_rmany, wgt_re;
  logic [vta_pkg::InpLogDepth-1:0] inp_raddr;
  logic [vta_pkg::WgtLogDepth-1:0] wgt_raddr;
  logic [vta_pkg::InpReadElems*vta_pkg::InpElemBits-1:0] inp_rdata;
  logic [vta_pkg::WgtElemBits-1:0] wgt_rdata;
  logic hand_re;  // of OUT, by load
  logic [vta_pkg::OutLogDepth-1:0] hand_raddr;
  logic [vta_pkg::OutElemBits-1:0] hand_rdata;

  vta_load u_load (
    .clk_i,
    .rst_ni,
    .clear_i,
    .halt_i,
    .cmd_valid_i(head_valid[0]),
    .cmd_i(load_head),
    .cmd_pop_o(head_pop[0]),
    .next_avail_i(token_avail[1]),
    .pop_next_o(token_pop[1]),
    .push_next_o(token_push[0]),
    .inp_base_i,
    .wgt_base_i,
    .burst_o(inp_burst_o),
    .grant_i(inp_grant_i),
    .beat_i(inp_beat_i),
    .wgt_burst_o,
    .wgt_grant_i,
    .wgt_beat_i,
    .bus_busy_o(bus_busy_o[1]),
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
    .fault_o(load_fault_o),
    .idle_o(load_idle),
    .waiting_token_o(waiting_token_o[0]),
    .events_o(load_events_o),
    .read_bytes_o(load_bytes_o)
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

  // ---- Compute ---------------------------------------------------------------------------------
  logic store_idle;
  logic out_re;  // by store
  logic [vta_pkg::OutLogDepth-1:0] out_raddr;
  logic [vta_pkg::OutElemBits-1:0] out_rdata;
  logic others_idle;
  logic [NumberWidth-1:0] compute_number;

  assign others_idle = load_idle && !head_valid[0] && queue_empty[0] && store_idle && !head_valid[2] && queue_empty[2];

  vta_compute_unit u_compute_unit (
    .clk_i,
    .clk2x_i,
    .rst_ni,
    .clear_i,
    .halt_i(!go_i),
    .cmd_valid_i(head_valid[1]),
    .cmd_i(compute_head),
    .cmd_pop_o(head_pop[1]),
    .behind_empty_i(queue_empty[1]),
    .prev_avail_i(token_avail[0]),
    .next_avail_i(token_avail[3]),
    .pop_prev_o(token_pop[0]),
    .pop_next_o(token_pop[3]),
    .push_prev_o(token_push[1]),
    .push_next_o(token_push[2]),
    .uop_base_i,
    .acc_base_i,
    .burst_o(compute_burst_o),
    .grant_i(compute_grant_i),
    .beat_i(compute_beat_i),
    .bus_busy_o(bus_busy_o[2]),
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
    .finish_o,
    .retire_valid_o(retire_valid_o[1]),
    .retire_number_o(retire_number_o[1*NumberWidth+:NumberWidth]),
    .fault_o(compute_fault_o),
    .dma_fault_o,
    .lacks_token_o(waiting_token_o[1]),
    .head_number_o(compute_number),
    .stuck_o(unit_stuck_o[1]),
    .events_o(compute_events_o),
    .gemm_uop_o,
    .alu_uop_o,
    .read_bytes_o(compute_bytes_o)
  );

  // ---- Store -----------------------------------------------------------------------------------
  vta_store u_store (
    .clk_i,
    .rst_ni,
    .clear_i,
    .halt_i,
    .cmd_valid_i(head_valid[2]),
    .cmd_i(store_head),
    .cmd_pop_o(head_pop[2]),
    .prev_avail_i(token_avail[2]),
    .pop_prev_o(token_pop[2]),
    .push_prev_o(token_push[3]),
    .base_i(out_base_i),
    .out_re_o(out_re),
    .out_raddr_o(out_raddr),
    .out_rdata_i(out_rdata),
    .aw_o,
    .awready_i,
    .w_o,
    .wready_i,
    .bvalid_i,
    .berror_i,
    .bus_busy_o(bus_busy_o[3]),
    .retire_valid_o(retire_valid_o[2]),
    .retire_number_o(retire_number_o[2*NumberWidth+:NumberWidth]),
    .fault_o(store_fault_o),
    .idle_o(store_idle),
    .waiting_token_o(waiting_token_o[2]),
    .events_o(store_events_o),
    .write_bytes_o
  );

  // ---- What stands still for good, for the deadlock rule ---------------------------------------
  assign unit_stuck_o[0] = load_idle && (waiting_token_o[0] || (!head_valid[0] && queue_empty[0]));
  assign unit_stuck_o[2] = store_idle && (waiting_token_o[2] || (!head_valid[2] && queue_empty[2]));
  assign head_number_o = {store_head.number, compute_number, load_head.number};

  logic unused;
  assign unused = &{1'b0, load_head, store_head};

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      one_queue_with_room : assert ((queue_push & (queue_push - 1'b1)) == '0 && (queue_push & ~queue_room) == '0);
      finish_comes_last : assert (!finish_o || (retire_valid_o[1] && others_idle));
    end
  end

endmodule
