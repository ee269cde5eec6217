// The W channel: beats stay until accepted, only for granted bursts, and WLAST is on the last beat of each burst.
module formal_store_data (
  input logic                              clk_i,
  input logic                              cmd_valid_i,
  input vta_pkg::mem_cmd_t                 cmd_i,
  input logic [vta_pkg::AxiLogBytes-1:0]   row_off_i,
  input logic [vta_pkg::AxiLogBytes-1:0]   row_step_i,
  input logic                              grant_i,
  input logic [vta_pkg::BurstLenWidth-1:0] beats_i,
  input logic [vta_pkg::OutElemBits-1:0]   out_rdata_i,
  input logic                              wready_i
);
  localparam int unsigned LenWidth = vta_pkg::BurstLenWidth;
  localparam int unsigned OffMask = vta_pkg::OutElemBytes - 1;

  logic rst_n_q = 1'b0;
  logic out_re;
  vta_pkg::axi_data_t w;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_store_data dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i(1'b0),
    .cmd_valid_i,
    .cmd_i,
    .row_off_i,
    .row_step_i,
    .cmd_pop_o(),
    .grant_i,
    .beats_i,
    .out_re_o(out_re),
    .out_raddr_o(),
    .out_rdata_i,
    .w_o(w),
    .wready_i
  );

  // Lengths of the granted bursts whose last beat was not accepted, the oldest first; beats accepted of that.
  logic [1:0] count_q = '0;
  logic [LenWidth-1:0] first_q = '0;
  logic [LenWidth-1:0] second_q = '0;
  logic [LenWidth-1:0] sent_q = '0;
  logic accept;
  logic finish;
  logic [1:0] left;

  assign accept = w.valid && wready_i;
  assign finish = accept && sent_q == first_q - 1'b1;
  assign left = count_q - 2'(finish);

  logic waiting_q = 1'b0;
  vta_pkg::axi_data_t past_q = '0;
  logic read_q = 1'b0;
  logic [vta_pkg::OutElemBits-1:0] past_rdata_q = '0;

  always_ff @(posedge clk_i) begin
    waiting_q <= rst_n_q && w.valid && !wready_i;
    past_q <= w;
    read_q <= out_re;
    past_rdata_q <= out_rdata_i;
    if (!rst_n_q) begin
      count_q <= '0;
      sent_q <= '0;
    end else begin
      count_q <= left + 2'(grant_i);
      if (accept) sent_q <= finish ? '0 : sent_q + 1'b1;
      if (finish) first_q <= second_q;
      if (grant_i && left == '0) first_q <= beats_i;
      if (grant_i && left != '0) second_q <= beats_i;
    end
  end

  always_comb begin
    assume (!grant_i || (rst_n_q && count_q != 2'(vta_pkg::OutstandingBursts)));
    assume (beats_i != '0 && 32'(beats_i) <= vta_pkg::MaxBurstBeats);
    // Rows begin at elements; a read element stays until the next read.
    assume ((row_off_i & vta_pkg::AxiLogBytes'(OffMask)) == '0 && (row_step_i & vta_pkg::AxiLogBytes'(OffMask)) == '0);
    assume (read_q || out_rdata_i == past_rdata_q);
    if (rst_n_q) begin
      if (w.valid) assert (count_q != '0);
      if (w.valid) assert (w.last == (sent_q == first_q - 1'b1));
      if (w.valid) assert (w.strb != '0);
      if (waiting_q) assert (w == past_q);
      cover (finish && count_q == 2'd2);
    end
  end
endmodule
