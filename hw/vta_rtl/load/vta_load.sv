// The load unit: LOAD of INP and WGT from the head of its command queue through its read DMA. The scratchpads are
// outside.
//
// It starts an instruction when its tokens are there and the DMA can take it; the instruction retires, and pushes its
// token, with the last write (docs/timing.md, "Load").
module vta_load (
  // Clock; synchronous reset; clear_i before a launch; halt_i: start, request and write nothing.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic halt_i,

  // Head of the command queue.
  input  logic          cmd_valid_i,
  input  vta_pkg::cmd_t cmd_i,
  output logic          cmd_pop_o,

  // compute->load tokens: there is one, take it. load->compute tokens: push one.
  input  logic next_avail_i,
  output logic pop_next_o,
  output logic push_next_o,

  // Base addresses.
  input  logic [vta_pkg::AxiAddrWidth-1:0] inp_base_i,
  input  logic [vta_pkg::AxiAddrWidth-1:0] wgt_base_i,

  // Read channel: the burst offered and its grant; the beats that come for it; whether a granted burst has not ended.
  output vta_pkg::burst_t     burst_o,
  input  logic                grant_i,
  input  vta_pkg::read_beat_t beat_i,
  output logic                bus_busy_o,

  // Writes to the scratchpads, to one of them in a cycle: wcount_o elements from the address on, the first in the low
  // bits.
  output logic                                              inp_we_o,
  output logic [vta_pkg::InpLogDepth-1:0]                   inp_waddr_o,
  output logic [vta_pkg::InpLanes*vta_pkg::InpElemBits-1:0] inp_wdata_o,
  output logic                                              wgt_we_o,
  output logic [vta_pkg::WgtLogDepth-1:0]                   wgt_waddr_o,
  output logic [vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0] wgt_wdata_o,
  output logic [vta_pkg::LaneCountWidth-1:0]                wcount_o,

  // The instruction that retires in this cycle; the fault of this cycle.
  output logic                            retire_valid_o,
  output logic [vta_pkg::NumberWidth-1:0] retire_number_o,
  output vta_pkg::fault_t                 fault_o,
  // State: nothing is in flight; the head lacks a token.
  output logic                            idle_o,
  output logic                            waiting_token_o,
  // For the performance counters: events, and bytes of data written in this cycle.
  output vta_pkg::unit_events_t           events_o,
  output logic [16:0]                     read_bytes_o
);

  localparam int unsigned MaxElemBits =
      vta_pkg::InpElemBits > vta_pkg::WgtElemBits ? vta_pkg::InpElemBits : vta_pkg::WgtElemBits;
  localparam int unsigned GroupBits = MaxElemBits > vta_pkg::AxiDataWidth ? MaxElemBits : vta_pkg::AxiDataWidth;
  localparam bit HasNarrow =
      vta_pkg::InpElemBits < vta_pkg::AxiDataWidth || vta_pkg::WgtElemBits < vta_pkg::AxiDataWidth;

  vta_pkg::tokens_t tokens;
  vta_pkg::mem_cmd_t mem_cmd;
  logic have_tokens;
  logic dma_ready;
  logic start;
  logic is_inp;

  assign tokens = vta_pkg::tokens_of(cmd_i.insn);
  assign mem_cmd = vta_pkg::mem_cmd_of(cmd_i);
  assign have_tokens = !tokens.pop_next || next_avail_i;
  assign is_inp = mem_cmd.memory_type == vta_pkg::MemTypeInp;
  assign cmd_pop_o = cmd_valid_i && have_tokens && dma_ready;
  assign pop_next_o = cmd_pop_o && tokens.pop_next;
  assign waiting_token_o = cmd_valid_i && !have_tokens;

  logic op;
  logic we;
  logic pad;
  logic pad_min;
  vta_pkg::mem_type_e op_type;
  logic [15:0] addr;
  logic [GroupBits-1:0] data;
  logic [vta_pkg::LaneCountWidth-1:0] count;
  logic in_flight;
  logic done;

  vta_read_dma #(
    .MaxElemBits(MaxElemBits),
    .HasNarrow(HasNarrow)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .clear_i,
    .halt_i,
    .cmd_valid_i(cmd_valid_i && have_tokens),
    .cmd_ready_o(dma_ready),
    .cmd_i(mem_cmd),
    .base_i(is_inp ? inp_base_i : wgt_base_i),
    .log_elem_i(is_inp ? 5'(vta_pkg::InpLogElemBytes) : 5'(vta_pkg::WgtLogElemBytes)),
    .start_o(start),
    .fault_o,
    .burst_o,
    .grant_i,
    .beat_i,
    .bus_busy_o,
    .op_o(op),
    .we_o(we),
    .pad_o(pad),
    .pad_min_o(pad_min),
    .type_o(op_type),
    .addr_o(addr),
    .count_o(count),
    .data_o(data),
    .done_o(done),
    .number_o(retire_number_o),
    .in_flight_o(in_flight)
  );

  // Push flags of the transfers in flight.
  logic push_head;
  logic push_empty;
  logic push_full;

  vta_fifo #(
    .Width(1),
    .Depth(vta_pkg::DmaInFlight)
  ) u_pushes (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(start),
    .data_i(tokens.push_next),
    .pop_i(done),
    .head_o(push_head),
    .empty_o(push_empty),
    .full_o(push_full)
  );

  assign push_next_o = done && push_head;
  assign retire_valid_o = done;
  assign idle_o = !in_flight;

  // A register before the scratchpads. GEMM cannot notice: it begins to read later than that after the transfer. Padding
  // is a reset of the register, so it costs no logic in the way of the data, but for the sign bits of the least value.
  // The register needs no enable, which would have thousands of bits to reach; a simulator has less to do with one.
  logic                                                    op_inp, inp_we_q, wgt_we_q;
  logic [vta_pkg::InpLogDepth-1:0]                         inp_waddr_q;
  logic [vta_pkg::WgtLogDepth-1:0]                         wgt_waddr_q;
  logic [vta_pkg::LaneCountWidth-1:0]                      wcount_q;
  logic [vta_pkg::InpLanes*vta_pkg::InpElemBits-1:0] inp_wdata_q;
  logic [vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0] wgt_wdata_q;
  logic [vta_pkg::InpWidth-1:0]                            inp_pad;
  logic [vta_pkg::WgtWidth-1:0]                            wgt_pad;
  assign op_inp = op_type == vta_pkg::MemTypeInp;
  assign inp_pad = {pad_min, (vta_pkg::InpWidth - 1)'(0)};
  assign wgt_pad = {pad_min, (vta_pkg::WgtWidth - 1)'(0)};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      inp_we_q <= 1'b0;
      wgt_we_q <= 1'b0;
    end else begin
      inp_we_q <= we && op_inp;
      wgt_we_q <= we && !op_inp;
    end
    inp_waddr_q <= addr[vta_pkg::InpLogDepth-1:0];
    wgt_waddr_q <= addr[vta_pkg::WgtLogDepth-1:0];
    wcount_q <= count;
    if (!vta_pkg::FastSimulation || (we && op_inp)) begin
      inp_wdata_q <= pad ? {vta_pkg::InpLanes * vta_pkg::InpElemBits / vta_pkg::InpWidth{inp_pad}}
                         : data[vta_pkg::InpLanes*vta_pkg::InpElemBits-1:0];
    end
    if (!vta_pkg::FastSimulation || (we && !op_inp)) begin
      wgt_wdata_q <= pad ? {vta_pkg::WgtLanes * vta_pkg::WgtElemBits / vta_pkg::WgtWidth{wgt_pad}}
                         : data[vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0];
    end
  end
  assign inp_we_o = inp_we_q;
  assign wgt_we_o = wgt_we_q;
  assign inp_waddr_o = inp_waddr_q;
  assign wgt_waddr_o = wgt_waddr_q;
  assign wcount_o = wcount_q;
  assign inp_wdata_o = inp_wdata_q;
  assign wgt_wdata_o = wgt_wdata_q;

  always_comb begin
    read_bytes_o = '0;
    if (we && !pad) begin
      read_bytes_o = 17'(count) << (op_inp ? vta_pkg::InpLogElemBytes : vta_pkg::WgtLogElemBytes);
    end
  end

  assign events_o.retired = done;
  assign events_o.busy = op;
  assign events_o.stall_memory = !op && in_flight;
  assign events_o.stall_token = !op && !in_flight && waiting_token_o;
  assign events_o.stall_hazard = 1'b0;

  logic unused;
  assign unused = &{1'b0, push_empty, push_full, tokens, addr};

endmodule
