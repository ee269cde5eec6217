// The burst generator: its bursts cover exactly the beats of every row, in order, as long as the rules allow, and
// none crosses 4 KiB or the end of the bus's addresses. Addresses here: four pages and twice that; up to three rows.
module formal_burst_gen (
  input logic                             clk_i,
  input logic                             clear_i,
  input logic                             start_i,
  input logic [vta_pkg::SumAddrWidth-1:0] addr_i,
  input logic [5:0]                       row_bytes_i,
  input logic [15:0]                      rows_i,
  input logic [33:0]                      stride_bytes_i,
  input logic                             take_i
);
  localparam int unsigned Sum = vta_pkg::SumAddrWidth;
  localparam int unsigned Log = vta_pkg::AxiLogBytes;

  logic rst_n_q = 1'b0;
  logic free;
  logic valid;
  logic last;
  logic row_end;
  logic overflow;
  logic [vta_pkg::AxiAddrWidth-1:0] addr;
  logic [vta_pkg::BurstLenWidth-1:0] beats;
  logic [Log-1:0] first_off;
  logic [Log-1:0] last_off;
  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_burst_gen #(
    .BytesWidth(6)
  ) dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i,
    .start_i,
    .addr_i,
    .row_bytes_i,
    .rows_i,
    .stride_bytes_i,
    .free_o(free),
    .valid_o(valid),
    .addr_o(addr),
    .beats_o(beats),
    .first_off_o(first_off),
    .last_off_o(last_off),
    .row_end_o(row_end),
    .last_o(last),
    .overflow_o(overflow),
    .take_i
  );

  // What is left to cover: bytes next_q to end_q of this row, and rows_q rows with it.
  logic [15:0] rows_q = '0;
  logic [Sum-1:0] row_q = '0;
  logic [Sum-1:0] next_q = '0;
  logic [Sum-1:0] end_q = '0;
  logic [5:0] bytes_q = '0;
  logic [33:0] stride_q = '0;
  logic first_q = 1'b0;
  logic [1:0] age_q = '0;    // cycles since the start, two at most
  logic [Sum-1:0] beat;      // of the next byte
  logic [Sum-1:0] past;      // behind the burst
  logic row_done;
  logic [Sum-1:0] next_row;

  assign beat = {next_q[Sum-1:Log], Log'(0)};
  assign past = beat + (Sum'(beats) << Log);
  assign row_done = past > end_q;
  assign next_row = row_q + Sum'(stride_q);

  always_ff @(posedge clk_i) begin
    if (!rst_n_q || clear_i) begin
      rows_q <= '0;
    end else if (start_i) begin
      rows_q <= rows_i;
      row_q <= addr_i;
      next_q <= addr_i;
      end_q <= addr_i + Sum'(row_bytes_i) - 1'b1;
      bytes_q <= row_bytes_i;
      stride_q <= stride_bytes_i;
      first_q <= 1'b1;
      age_q <= '0;
    end else if (take_i && row_done) begin
      rows_q <= rows_q - 1'b1;
      row_q <= next_row;
      next_q <= next_row;
      end_q <= next_row + Sum'(bytes_q) - 1'b1;
      first_q <= 1'b1;
    end else if (take_i) begin
      next_q <= past;
      first_q <= 1'b0;
    end
    if (!start_i && age_q != 2'd2) age_q <= age_q + 1'b1;
  end

  always_comb begin
    assume (!start_i || (free && rows_i != '0 && rows_i <= 16'd3 && row_bytes_i != '0 && !addr_i[Sum-1] &&
                       stride_bytes_i[33:Sum-2] == '0));
    assume (!take_i || valid);
    if (rst_n_q) begin
      assert ((valid || overflow) == (rows_q != '0 && age_q == 2'd2));
      assert (!(valid && overflow));
      assert (free == (rows_q == '0));
      if (rows_q != '0 && age_q == 2'd2) assert (overflow == (next_q[Sum-1:vta_pkg::AxiAddrWidth] != '0));
      if (valid) begin
        assert (addr == beat[vta_pkg::AxiAddrWidth-1:0]);
        assert (beats != '0 && 32'(beats) <= vta_pkg::MaxBurstBeats);
        assert (13'(addr[11:0]) + (13'(beats) << Log) <= 13'd4096);
        assert (past - Sum'(vta_pkg::AxiBytes) <= end_q);  // no beat too many
        assert (row_done || 32'(beats) == vta_pkg::MaxBurstBeats || past[11:0] == '0);  // none cut short
        assert (row_end == row_done);
        assert (last == (row_done && rows_q == 16'd1));
        assert (first_off == (first_q ? row_q[Log-1:0] : Log'(0)));
        assert (last_off == (row_done ? end_q[Log-1:0] : {Log{1'b1}}));
      end
      cover (valid && !first_q && past[11:0] == '0 && !row_done);
      cover (valid && rows_q == 16'd1 && row_q != next_q && last);
    end
  end
endmodule
