// The store unit as a whole: AW and W keep AXI's rules together, and a store retires in the cycle after the response of
// its last burst, in order, never before; the unit is quiet exactly when every granted burst has been answered.
module formal_store (
  input logic       clk_i,
  input logic       cmd_valid_i,
  input logic [1:0] x_size_i,
  input logic       y_size_i,
  input logic [3:0] dram_base_i,
  input logic [2:0] sram_base_i,
  input logic       push_prev_i,
  input logic       halt_i,
  input logic       awready_i,
  input logic       wready_i,
  input logic       bvalid_i,
  input logic       berror_i
);
  localparam int unsigned Counter = 4;
  localparam int unsigned Page = 12;

  (* hierconn *) wire \dut.start ;
  (* hierconn *) wire \dut.grant ;
  (* hierconn *) wire \dut.burst_last ;

  logic rst_n_q = 1'b0;
  vta_pkg::cmd_t cmd;
  vta_pkg::fault_t fault;
  vta_pkg::axi_addr_t aw;
  vta_pkg::axi_data_t w;
  logic cmd_pop, push_prev, bus_busy, retire, idle;
  logic [vta_pkg::NumberWidth-1:0] retire_number;
  logic [Counter-1:0] started_q = '0;  // stores
  logic halted_q = 1'b0;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  // Stores of 0 to 3 elements in 0 or 1 rows, which may end in another page; numbered as they come.
  always_comb begin
    cmd = '0;
    cmd.has_data = x_size_i != '0 && y_size_i;
    cmd.number = vta_pkg::NumberWidth'(started_q);
    cmd.insn[vta_pkg::InsnOpcodeLsb+:3] = vta_pkg::OpcodeStore;
    cmd.insn[vta_pkg::InsnPushPrevLsb] = push_prev_i;
    cmd.insn[vta_pkg::MemMemoryTypeLsb+:3] = vta_pkg::MemTypeOut;
    cmd.insn[vta_pkg::MemXSizeLsb+:2] = x_size_i;
    cmd.insn[vta_pkg::MemYSizeLsb] = y_size_i;
    cmd.insn[vta_pkg::MemSramBaseLsb+:3] = sram_base_i;
    cmd.insn[vta_pkg::MemDramBaseLsb+:4] = dram_base_i;
  end

  vta_store dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i(1'b0),
    .halt_i,
    .cmd_valid_i,
    .cmd_i(cmd),
    .cmd_pop_o(cmd_pop),
    .prev_avail_i(1'b1),
    .pop_prev_o(),
    .push_prev_o(push_prev),
    .base_i(vta_pkg::AxiAddrWidth'(4096 - 8 * vta_pkg::OutElemBytes)),
    .out_re_o(),
    .out_raddr_o(),
    .out_rdata_i('0),
    .aw_o(aw),
    .awready_i,
    .w_o(w),
    .wready_i,
    .bvalid_i,
    .berror_i,
    .bus_busy_o(bus_busy),
    .retire_valid_o(retire),
    .retire_number_o(retire_number),
    .fault_o(fault),
    .idle_o(idle),
    .waiting_token_o(),
    .events_o(),
    .write_bytes_o()
  );

  logic start, grant;
  assign start = \dut.start ;
  assign grant = \dut.grant ;

  // Counts since reset.
  logic [Counter-1:0] granted_q = '0, addressed_q = '0, sent_q = '0, answered_q = '0, retired_q = '0;
  // One store, any: which, and what is known about it.
  logic [Counter-1:0] watched;
  logic data_q, push_q, addresses_over_q;
  logic [Counter-1:0] bursts_q;  // granted up to its last one
  assign watched = $anyconst;

  logic waiting_q = 1'b0;
  vta_pkg::axi_addr_t past_aw_q;
  logic bad_q = 1'b0;

  always_ff @(posedge clk_i) begin
    waiting_q <= rst_n_q && aw.valid && !awready_i;
    past_aw_q <= aw;
    halted_q <= rst_n_q && (halted_q || halt_i);
    bad_q <= rst_n_q && bvalid_i && berror_i;
    if (rst_n_q) begin
      started_q <= started_q + Counter'(start);
      granted_q <= granted_q + Counter'(grant);
      addressed_q <= addressed_q + Counter'(aw.valid && awready_i);
      sent_q <= sent_q + Counter'(w.valid && wready_i && w.last);
      answered_q <= answered_q + Counter'(bvalid_i);
      retired_q <= retired_q + Counter'(retire);
      if (start && started_q == watched) begin
        data_q <= x_size_i != '0 && y_size_i;
        push_q <= push_prev_i;
        addresses_over_q <= 1'b0;
        bursts_q <= '0;
      end
      if (grant && started_q == watched + 1'b1) begin
        bursts_q <= granted_q + 1'b1;
        addresses_over_q <= \dut.burst_last ;
      end
    end
  end

  logic mine;   // the watched store is the oldest that has not retired
  logic ready;  // and has all its responses
  assign mine = retired_q == watched && started_q > watched;
  assign ready = mine && (!data_q || (addresses_over_q && answered_q >= bursts_q));

  always_comb begin
    // A response to a burst whose address and last beat were taken; FINISH and faults halt for good.
    assume (!bvalid_i || (answered_q < addressed_q && answered_q < sent_q));
    assume (!halted_q || halt_i);
    if (rst_n_q) begin
      if (aw.valid) assert (aw.addr[vta_pkg::AxiLogBytes-1:0] == '0);
      if (aw.valid) assert (32'(aw.addr[Page-1:0]) + (32'(aw.len) + 1) * vta_pkg::AxiBytes <= 4096);
      if (aw.valid) assert (32'(aw.len) < vta_pkg::MaxBurstBeats);
      if (waiting_q) assert (aw == past_aw_q);
      assert (addressed_q <= granted_q && sent_q <= granted_q);
      assert (32'(granted_q - answered_q) <= vta_pkg::OutstandingBursts);
      assert (bus_busy == (granted_q != answered_q));
      assert (idle == (started_q == retired_q));
      if (halt_i) assert (!start && !grant && !retire);
      assert (!push_prev || retire);
      if (mine) assert (retire == (ready && !halt_i));
      if (mine && retire) assert (32'(retire_number) == 32'(watched) && push_prev == push_q);
      assert (retired_q <= started_q);
      if (start) assert (cmd_pop);
      if (bad_q && !halt_i) assert (fault.valid && fault.code == vta_pkg::FaultBusError);
      cover (retired_q == 4'd3 && granted_q > 4'd3);
    end
  end
endmodule
