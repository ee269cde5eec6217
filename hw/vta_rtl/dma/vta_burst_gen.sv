// Cuts rows of DRAM bytes into bursts: at row ends, at 4 KiB boundaries and at MaxBurstBeats.
//
// After a start in cycle s the first burst is offered in s+1, each next one in the cycle after take_i (docs/timing.md,
// "Bursts").
module vta_burst_gen #(
  // Bits of the length of a row in bytes.
  parameter int unsigned BytesWidth = 34
) (
  // Clock; synchronous reset; clear_i drops what is left.
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             clear_i,

  // rows_i >= 1 rows of row_bytes_i >= 1 bytes, the first at addr_i, stride_bytes_i apart. start_i only with free_o: no
  // burst is left after this cycle.
  input  logic                             start_i,
  input  logic [vta_pkg::SumAddrWidth-1:0] addr_i,
  input  logic [BytesWidth-1:0]            row_bytes_i,
  input  logic [15:0]                      rows_i,
  input  logic [33:0]                      stride_bytes_i,
  output logic                             free_o,

  // The burst offered, taken with take_i.
  output logic                              valid_o,
  output logic [vta_pkg::AxiAddrWidth-1:0]  addr_o,       // of the first beat
  output logic [vta_pkg::BurstLenWidth-1:0] beats_o,
  output logic [vta_pkg::AxiLogBytes-1:0]   first_off_o,  // first byte of the row in the first beat, else 0
  output logic [vta_pkg::AxiLogBytes-1:0]   last_off_o,   // last byte of the row in the last beat, else the beat's last
  output logic                              last_o,       // the last burst of the last row
  output logic                              overflow_o,   // it lies past the bus's addresses and is not offered
  input  logic                              take_i
);

  localparam int unsigned LogBytes = vta_pkg::AxiLogBytes;
  localparam int unsigned LastByte = vta_pkg::AxiBytes - 1;
  localparam int unsigned PageBeatsWidth = 12 - LogBytes + 1;
  localparam int unsigned BeatsWidth = BytesWidth + 1 - LogBytes;

  logic active_q;
  logic row_start_q;  // the offered burst is the first of its row
  logic [vta_pkg::SumAddrWidth-1:0] row_addr_q;
  logic [vta_pkg::SumAddrWidth-1:0] addr_q;
  logic [BeatsWidth-1:0] beats_left_q;
  logic [15:0] rows_left_q;
  logic [BytesWidth-1:0] row_bytes_q;
  logic [33:0] stride_q;

  // Beats that a row of `bytes` bytes touches when it begins at byte `off` of a beat.
  function automatic logic [BeatsWidth-1:0] beats_of(logic [LogBytes-1:0] off, logic [BytesWidth-1:0] bytes);
    // verilator lint_off UNUSEDSIGNAL
    logic [BytesWidth:0] sum;  // in bytes, of which beats are the upper bits
    // verilator lint_on UNUSEDSIGNAL
    sum = {1'b0, bytes} + (BytesWidth + 1)'(off) + (BytesWidth + 1)'(LastByte);
    beats_of = sum[BytesWidth:LogBytes];
  endfunction

  logic [PageBeatsWidth-1:0] page_beats;
  logic [vta_pkg::BurstLenWidth-1:0] beats;
  logic row_last;
  logic [vta_pkg::SumAddrWidth-1:0] next_row_addr;
  logic [LogBytes-1:0] end_off;

  assign page_beats = PageBeatsWidth'(4096 / vta_pkg::AxiBytes) - {1'b0, addr_q[11:LogBytes]};

  always_comb begin
    beats = vta_pkg::BurstLenWidth'(vta_pkg::MaxBurstBeats);
    if (32'(page_beats) < 32'(beats)) beats = vta_pkg::BurstLenWidth'(page_beats);
    if (64'(beats_left_q) < 64'(beats)) beats = vta_pkg::BurstLenWidth'(beats_left_q);
  end

  assign row_last = 64'(beats_left_q) == 64'(beats);
  assign next_row_addr = row_addr_q + vta_pkg::SumAddrWidth'(stride_q);
  assign end_off = row_addr_q[LogBytes-1:0] + row_bytes_q[LogBytes-1:0] - 1'b1;

  assign last_o = row_last && rows_left_q == 16'd1;
  assign free_o = !active_q || (take_i && last_o);
  assign addr_o = {addr_q[vta_pkg::AxiAddrWidth-1:LogBytes], {LogBytes{1'b0}}};
  assign beats_o = beats;
  assign first_off_o = row_start_q ? row_addr_q[LogBytes-1:0] : '0;
  assign last_off_o = row_last ? end_off : '1;

  assign overflow_o = active_q && addr_q[vta_pkg::SumAddrWidth-1:vta_pkg::AxiAddrWidth] != '0;
  assign valid_o = active_q && !overflow_o;

  logic unused;
  assign unused = &{1'b0, addr_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      active_q <= 1'b0;
    end else if (start_i) begin
      active_q <= 1'b1;
    end else if (take_i && last_o) begin
      active_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      row_start_q <= 1'b1;
      row_addr_q <= addr_i;
      addr_q <= addr_i;
      beats_left_q <= beats_of(addr_i[LogBytes-1:0], row_bytes_i);
      rows_left_q <= rows_i;
      row_bytes_q <= row_bytes_i;
      stride_q <= stride_bytes_i;
    end else if (take_i && row_last) begin
      row_start_q <= 1'b1;
      row_addr_q <= next_row_addr;
      addr_q <= next_row_addr;
      beats_left_q <= beats_of(next_row_addr[LogBytes-1:0], row_bytes_q);
      rows_left_q <= rows_left_q - 1'b1;
    end else if (take_i) begin
      row_start_q <= 1'b0;
      addr_q <= {addr_q[vta_pkg::SumAddrWidth-1:LogBytes] + (vta_pkg::SumAddrWidth - LogBytes)'(beats),
                 {LogBytes{1'b0}}};
      beats_left_q <= beats_left_q - BeatsWidth'(beats);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      start_only_when_free : assert (!(start_i && !free_o));
      take_only_offered : assert (!(take_i && !valid_o));
      never_empty : assert (!(valid_o && beats_o == '0));
      never_across_4k :
      assert (!valid_o || 32'(addr_o[11:0]) + 32'(beats_o) * vta_pkg::AxiBytes <= 32'd4096);
    end
  end

endmodule
