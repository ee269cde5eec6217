// The load unit: LOAD of INP and WGT (transposed or not) from the head of its command queue through its read DMA, or,
// with memory ports of their own, through one DMA for each of the two. The scratchpads are outside.
//
// It starts an instruction when its tokens are there and its DMA can take it; the instruction retires, and pushes its
// token, with the last write, or later if an older one of the other DMA has not ended (docs/timing.md, "Load").
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

  // Read channels of the DMA, and of the one for WGT where there are two: the burst offered and its grant; the beats
  // that come for it. Whether a granted burst has not ended.
  output vta_pkg::burst_t     burst_o,
  input  logic                grant_i,
  input  vta_pkg::read_beat_t beat_i,
  output vta_pkg::burst_t     wgt_burst_o,
  input  logic                wgt_grant_i,
  input  vta_pkg::read_beat_t wgt_beat_i,
  output logic                bus_busy_o,

  // Read of OUT for hand-overs: data one cycle after the enable, held until the next enable.
  output logic                            out_re_o,
  output logic [vta_pkg::OutLogDepth-1:0] out_raddr_o,
  input  logic [vta_pkg::OutElemBits-1:0] out_rdata_i,

  // Writes to the scratchpads, with one DMA to one of them in a cycle: so many elements from the address on, the first
  // in the low bits.
  output logic                                              inp_we_o,
  output logic [vta_pkg::InpLogDepth-1:0]                   inp_waddr_o,
  output logic [vta_pkg::LaneCountWidth-1:0]                inp_wcount_o,
  output logic [vta_pkg::InpLanes*vta_pkg::InpElemBits-1:0] inp_wdata_o,
  output logic                                              wgt_we_o,
  output logic [vta_pkg::WgtLogDepth-1:0]                   wgt_waddr_o,
  output logic [vta_pkg::LaneCountWidth-1:0]                wgt_wcount_o,
  output logic [vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0] wgt_wdata_o,

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

  // The first DMA moves INP, the last one WGT; it may be the same.
  localparam int unsigned Dmas = vta_pkg::LoadDmas;
  localparam int unsigned LastDma = Dmas - 1;
  localparam int unsigned MaxElemBits =
      vta_pkg::InpElemBits > vta_pkg::WgtElemBits ? vta_pkg::InpElemBits : vta_pkg::WgtElemBits;
  localparam int unsigned FirstElemBits = Dmas == 1 ? MaxElemBits : vta_pkg::InpElemBits;
  localparam int unsigned FirstGroupBits = FirstElemBits > vta_pkg::AxiDataWidth ? FirstElemBits : vta_pkg::AxiDataWidth;
  localparam int unsigned LastElemBits = Dmas == 1 ? MaxElemBits : vta_pkg::WgtElemBits;
  localparam int unsigned LastGroupBits = LastElemBits > vta_pkg::AxiDataWidth ? LastElemBits : vta_pkg::AxiDataWidth;
  localparam bit FirstHasNarrow = vta_pkg::InpElemBits < vta_pkg::AxiDataWidth ||
      Dmas == 1 && vta_pkg::WgtElemBits < vta_pkg::AxiDataWidth;

  vta_pkg::tokens_t tokens;
  vta_pkg::mem_cmd_t mem_cmd;
  logic have_tokens;
  logic is_inp;
  logic [Dmas-1:0] chosen;  // the DMA of the instruction at the head
  logic [Dmas-1:0] ready;
  logic [Dmas-1:0] start;

  assign tokens = vta_pkg::tokens_of(cmd_i.insn);
  assign mem_cmd = vta_pkg::mem_cmd_of(cmd_i);
  assign have_tokens = !tokens.pop_next || next_avail_i;
  assign is_inp = vta_pkg::into_inp(mem_cmd.memory_type);
  assign chosen = Dmas == 1 || is_inp ? Dmas'(1) : Dmas'(1) << LastDma;
  assign cmd_pop_o = cmd_valid_i && have_tokens && (ready & chosen) != '0;
  assign pop_next_o = cmd_pop_o && tokens.pop_next;
  assign waiting_token_o = cmd_valid_i && !have_tokens;

  // Of the first DMA and of the last one: what they do in this cycle, with which elements, and faults.
  vta_pkg::dma_op_t first, last;
  logic [FirstGroupBits-1:0] first_data;
  logic [LastGroupBits-1:0] last_data;
  vta_pkg::fault_t first_fault, last_fault;
  logic on_chip;  // the first one's elements are those of OUT
  logic works;    // either does something
  // By DMA.
  logic [Dmas-1:0] done, retire, in_flight, bus_busy;

  logic offered;
  logic [vta_pkg::AxiAddrWidth-1:0] base;
  logic [4:0] log_elem;
  assign offered = cmd_valid_i && have_tokens;
  // Of the first DMA: what only INP goes through needs no shifter.
  assign base = Dmas > 1 || is_inp ? inp_base_i : wgt_base_i;
  assign log_elem = Dmas > 1 || is_inp ? 5'(vta_pkg::InpLogElemBytes) : 5'(vta_pkg::WgtLogElemBytes);

  vta_read_dma #(
    .MaxElemBits(FirstElemBits),
    .HasNarrow(FirstHasNarrow),
    .HasHandover(vta_pkg::ExtHandover)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .clear_i,
    .halt_i,
    .cmd_valid_i(offered && chosen[0]),
    .cmd_ready_o(ready[0]),
    .cmd_i(mem_cmd),
    .base_i(base),
    .log_elem_i(log_elem),
    .start_o(start[0]),
    .fault_o(first_fault),
    .burst_o,
    .grant_i,
    .beat_i,
    .bus_busy_o(bus_busy[0]),
    .out_re_o,
    .out_raddr_o,
    .out_rdata_i,
    .op_o(first),
    .data_o(first_data),
    .on_chip_o(on_chip),
    .retire_i(retire[0]),
    .in_flight_o(in_flight[0])
  );

  if (Dmas == 1) begin : gen_one
    assign wgt_burst_o = '0;
    assign last_fault = '0;
    assign last = first;
    assign last_data = first_data;
    assign done = first.last;
    assign works = first.valid;
    logic unused;
    assign unused = &{1'b0, wgt_grant_i, wgt_beat_i};
  end else begin : gen_two
    logic wgt_on_chip;
    logic wgt_out_re;
    logic [vta_pkg::OutLogDepth-1:0] wgt_out_raddr;
    logic unused_out;
    assign unused_out = &{1'b0, wgt_out_re, wgt_out_raddr, wgt_on_chip};
    vta_read_dma #(
      .MaxElemBits(vta_pkg::WgtElemBits),
      .HasNarrow(vta_pkg::WgtElemBits < vta_pkg::AxiDataWidth)
    ) u_wgt_dma (
      .clk_i,
      .rst_ni,
      .clear_i,
      .halt_i,
      .cmd_valid_i(offered && chosen[1]),
      .cmd_ready_o(ready[1]),
      .cmd_i(mem_cmd),
      .base_i(wgt_base_i),
      .log_elem_i(5'(vta_pkg::WgtLogElemBytes)),
      .start_o(start[1]),
      .fault_o(last_fault),
      .burst_o(wgt_burst_o),
      .grant_i(wgt_grant_i),
      .beat_i(wgt_beat_i),
      .bus_busy_o(bus_busy[1]),
      .out_re_o(wgt_out_re),
      .out_raddr_o(wgt_out_raddr),
      .out_rdata_i(vta_pkg::OutElemBits'(0)),
      .op_o(last),
      .data_o(last_data),
      .on_chip_o(wgt_on_chip),
      .retire_i(retire[1]),
      .in_flight_o(in_flight[1])
    );
    assign done = {last.last, first.last};
    assign works = first.valid || last.valid;
  end

  assign bus_busy_o = bus_busy != '0;
  // Of two in one cycle the older instruction's.
  assign fault_o = last_fault.valid && (!first_fault.valid || last_fault.number < first_fault.number) ? last_fault
                                                                                                     : first_fault;

  vta_load_retire u_retire (
    .clk_i,
    .rst_ni,
    .clear_i,
    .start_i(start != '0),
    .dma_i(!is_inp),
    .number_i(mem_cmd.number),
    .push_next_i(tokens.push_next),
    .done_i(done),
    .done_number_i(first.number),
    .retire_o(retire),
    .number_o(retire_number_o),
    .push_next_o
  );

  assign retire_valid_o = retire != '0;
  assign idle_o = in_flight == '0;

  logic write_inp, write_wgt;
  assign write_inp = first.we && vta_pkg::into_inp(first.memory_type);
  assign write_wgt = last.we && !vta_pkg::into_inp(last.memory_type);

  vta_load_write #(
    .Width(vta_pkg::InpWidth),
    .ElemBits(vta_pkg::InpElemBits),
    .Lanes(vta_pkg::InpLanes),
    .LogDepth(vta_pkg::InpLogDepth)
  ) u_inp_write (
    .clk_i,
    .rst_ni,
    .we_i(write_inp),
    .pad_i(first.pad),
    .pad_min_i(first.pad_min),
    .addr_i(first.addr[vta_pkg::InpLogDepth-1:0]),
    .count_i(first.count),
    .data_i(first_data[vta_pkg::InpLanes*vta_pkg::InpElemBits-1:0]),
    .we_o(inp_we_o),
    .addr_o(inp_waddr_o),
    .count_o(inp_wcount_o),
    .data_o(inp_wdata_o)
  );

  logic [vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0] wgt_data;

  vta_load_transpose u_transpose (
    .transposes_i(last.transposes),
    .data_i(last_data[vta_pkg::WgtLanes*vta_pkg::WgtElemBits-1:0]),
    .data_o(wgt_data)
  );

  vta_load_write #(
    .Width(vta_pkg::WgtWidth),
    .ElemBits(vta_pkg::WgtElemBits),
    .Lanes(vta_pkg::WgtLanes),
    .LogDepth(vta_pkg::WgtLogDepth)
  ) u_wgt_write (
    .clk_i,
    .rst_ni,
    .we_i(write_wgt),
    .pad_i(last.pad),
    .pad_min_i(last.pad_min),
    .addr_i(last.addr[vta_pkg::WgtLogDepth-1:0]),
    .count_i(last.count),
    .data_i(wgt_data),
    .we_o(wgt_we_o),
    .addr_o(wgt_waddr_o),
    .count_o(wgt_wcount_o),
    .data_o(wgt_wdata_o)
  );

  logic [16:0] inp_bytes, wgt_bytes;
  assign inp_bytes = write_inp && !first.pad && !on_chip ? 17'(first.count) << vta_pkg::InpLogElemBytes : '0;
  assign wgt_bytes = write_wgt && !last.pad ? 17'(last.count) << vta_pkg::WgtLogElemBytes : '0;
  assign read_bytes_o = Dmas == 1 ? inp_bytes | wgt_bytes : inp_bytes + wgt_bytes;

  assign events_o.retired = retire != '0;
  assign events_o.busy = works;
  assign events_o.stall_memory = !works && in_flight != '0;
  assign events_o.stall_token = !works && in_flight == '0 && waiting_token_o;
  assign events_o.stall_hazard = 1'b0;

  logic unused_bits;
  assign unused_bits = &{1'b0, tokens, first, last, first_data, last_data};

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      inp_fits_a_beat : assert (!write_inp || (first.count != '0 && 32'(first.count) <= vta_pkg::InpLanes));
      wgt_fits_a_beat : assert (!write_wgt || (last.count != '0 && 32'(last.count) <= vta_pkg::WgtLanes));
      one_scratchpad : assert (Dmas > 1 || !(write_inp && write_wgt));
      last_moves_weights : assert (Dmas == 1 || !last.we || !vta_pkg::into_inp(last.memory_type));
      only_inp_from_out : assert (!(first.valid && on_chip) || vta_pkg::into_inp(first.memory_type));
    end
  end

endmodule
