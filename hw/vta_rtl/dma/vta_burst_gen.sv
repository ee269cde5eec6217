// Cuts rows of DRAM bytes into bursts: at row ends, at 4 KiB boundaries and at MaxBurstBeats.
//
// After a start in cycle s the first burst is offered in s+3, each next one in the cycle after take_i (docs/timing.md,
// "Bursts"). Three steps, each with its registers, are ahead of what is offered: the row that comes next; the row that is
// being cut; a burst behind the one that is offered, so that take_i decides nothing but which of the two is shown.
module vta_burst_gen #(
  // Bits of the length of a row in bytes.
  parameter int unsigned BytesWidth = 34
) (
  // Clock; synchronous reset; clear_i drops what is left.
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             clear_i,

  // rows_i >= 1 rows of row_bytes_i >= 1 bytes, the first at addr_i, stride_bytes_i apart. start_i only with free_o: all
  // bursts have been taken.
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
  output logic                              row_end_o,    // the last burst of its row
  output logic                              last_o,       // the last burst of the last row
  output logic                              overflow_o,   // it lies past the bus's addresses and is not offered
  input  logic                              take_i
);

  localparam int unsigned LogBytes = vta_pkg::AxiLogBytes;
  localparam int unsigned LastByte = vta_pkg::AxiBytes - 1;
  localparam int unsigned Sum = vta_pkg::SumAddrWidth;
  localparam int unsigned LenWidth = vta_pkg::BurstLenWidth;
  localparam int unsigned MaxBeats = vta_pkg::MaxBurstBeats;
  localparam int unsigned PageBeats = 4096 / vta_pkg::AxiBytes;
  localparam int unsigned PageBeatsWidth = 12 - LogBytes + 1;
  localparam int unsigned BeatsWidth = BytesWidth + 1 - LogBytes;

  // Beats that a row of `bytes` bytes touches when it begins at byte `off` of a beat.
  function automatic logic [BeatsWidth-1:0] beats_of(logic [LogBytes-1:0] off, logic [BytesWidth-1:0] bytes);
    // verilator lint_off UNUSEDSIGNAL
    logic [BytesWidth:0] sum;  // in bytes, of which beats are the upper bits
    // verilator lint_on UNUSEDSIGNAL
    sum = {1'b0, bytes} + (BytesWidth + 1)'(off) + (BytesWidth + 1)'(LastByte);
    beats_of = sum[BytesWidth:LogBytes];
  endfunction

  // ---- The row that comes next -----------------------------------------------------------------
  logic active_q;  // a transfer has bursts that have not been taken
  logic free_q;    // none has; a register of its own, because much depends on either
  logic row_valid_q;
  logic [Sum-1:0] row_addr_q;
  logic [15:0] rows_left_q;  // it included
  logic [BytesWidth-1:0] row_bytes_q;
  logic [33:0] stride_q;
  logic [PageBeatsWidth-1:0] row_page_beats;
  logic begin_row;  // it is cut from the next cycle on
  logic last_row;

  assign row_page_beats = PageBeatsWidth'(PageBeats) - {1'b0, row_addr_q[11:LogBytes]};
  assign last_row = rows_left_q == 16'd1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) row_valid_q <= 1'b0;
    else if (start_i) row_valid_q <= 1'b1;
    else if (begin_row && last_row) row_valid_q <= 1'b0;

    if (!active_q) begin  // whether it starts or not
      row_addr_q <= addr_i;
      rows_left_q <= rows_i;
      row_bytes_q <= row_bytes_i;
      stride_q <= stride_bytes_i;
    end else if (begin_row) begin
      row_addr_q <= row_addr_q + Sum'(stride_q);
      rows_left_q <= rows_left_q - 1'b1;
    end
  end

  // ---- The row that is cut: what is left of it -------------------------------------------------
  logic cut_valid_q;
  logic cut_free_q;   // its opposite, for the enable of wide registers: so these share no net with begin_row
  logic cut_first_q;  // nothing has been cut off
  logic cut_last_q;   // it is the last row
  logic [Sum-LogBytes-1:0] addr_q;  // of its next beat
  logic [LogBytes-1:0] begin_off_q;
  logic [LogBytes-1:0] end_off_q;
  logic [BeatsWidth-1:0] beats_left_q;
  logic [PageBeatsWidth-1:0] page_left_q;  // beats to the end of the page
  logic at_page_q;                         // those are no more than a burst may have
  logic [LenWidth-1:0] most;  // beats that the burst may have
  logic row_end;              // it is the last of the row
  logic in_a_burst;           // the lower bits of beats_left_q are no more than a burst may have
  logic cut;
  logic cut_opens;            // the row that comes next is taken, if there is one

  assign most = at_page_q ? LenWidth'(page_left_q) : LenWidth'(MaxBeats);
  assign row_end = (beats_left_q >> LenWidth) == '0 &&
                   (at_page_q ? LenWidth'(beats_left_q) <= LenWidth'(page_left_q) : in_a_burst);
  if (MaxBeats == (1 << LenWidth) - 1) begin : gen_any
    assign in_a_burst = 1'b1;
  end else begin : gen_most
    assign in_a_burst = LenWidth'(beats_left_q) <= LenWidth'(MaxBeats);
  end
  assign begin_row = row_valid_q && (!cut_valid_q || (cut && row_end));
  assign cut_opens = cut_free_q || (!behind_q && row_end);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      cut_valid_q <= 1'b0;
      cut_free_q <= 1'b1;
    end else if (begin_row) begin
      cut_valid_q <= 1'b1;
      cut_free_q <= 1'b0;
    end else if (cut && row_end) begin
      cut_valid_q <= 1'b0;
      cut_free_q <= 1'b1;
    end

    // A row that is not there is taken too: nothing is cut off it.
    if (cut_opens) begin
      cut_first_q <= 1'b1;
      cut_last_q <= last_row;
      addr_q <= row_addr_q[Sum-1:LogBytes];
      begin_off_q <= row_addr_q[LogBytes-1:0];
      end_off_q <= row_addr_q[LogBytes-1:0] + row_bytes_q[LogBytes-1:0] - 1'b1;
      beats_left_q <= beats_of(row_addr_q[LogBytes-1:0], row_bytes_q);
      page_left_q <= row_page_beats;
      at_page_q <= 32'(row_page_beats) <= MaxBeats;
    end else if (!behind_q) begin  // cut
      cut_first_q <= 1'b0;
      beats_left_q <= beats_left_q - BeatsWidth'(most);
      if (at_page_q) begin
        addr_q <= {addr_q[Sum-LogBytes-1:12-LogBytes] + 1'b1, (12 - LogBytes)'(0)};
        page_left_q <= PageBeatsWidth'(PageBeats);
        at_page_q <= PageBeats <= MaxBeats;
      end else begin
        addr_q[11-LogBytes:0] <= addr_q[11-LogBytes:0] + (12 - LogBytes)'(MaxBeats);
        page_left_q <= page_left_q - PageBeatsWidth'(MaxBeats);
        at_page_q <= 32'(page_left_q) <= 2 * MaxBeats;
      end
    end
  end

  // ---- The burst that is offered and the one behind it -----------------------------------------
  // Two places take turns: a grant reaches a few bits that say which of them is shown and whether it counts.
  localparam int unsigned BurstBits = vta_pkg::AxiAddrWidth + LenWidth + LogBytes + 2;

  logic offered_q;   // there is one that is offered, or past the bus's addresses
  logic behind_q;    // there is another one behind it
  logic fits_q;      // one is offered
  logic overflow_q;  // one is not, because it is past the bus's addresses
  logic shown_q;     // which place has the first
  logic [BurstBits-1:0] burst, place_0_q, place_1_q;
  logic [LogBytes-1:0] burst_first_off;
  logic [LenWidth-1:0] burst_beats;
  logic past_bus, past_bus_q;  // the burst that is cut lies past the bus's addresses; the one behind does
  logic comes, comes_past;     // there is a burst to offer next; it lies there
  logic show;  // the offered burst is replaced

  assign cut = cut_valid_q && !behind_q;
  assign show = !offered_q || take_i;
  assign burst_first_off = cut_first_q ? begin_off_q : '0;
  // By itself: in a concatenation Yosys 0.23 loses what stands before such a cast.
  assign burst_beats = row_end ? LenWidth'(beats_left_q) : most;
  assign burst = {
    addr_q[vta_pkg::AxiAddrWidth-LogBytes-1:0],
    burst_first_off,
    burst_beats,
    row_end ? end_off_q : {LogBytes{1'b1}},
    row_end,
    row_end && cut_last_q
  };
  assign past_bus = (addr_q >> (vta_pkg::AxiAddrWidth - LogBytes)) != '0;
  assign comes = cut_valid_q || behind_q;
  assign comes_past = behind_q ? past_bus_q : past_bus;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      active_q <= 1'b0;
      free_q <= 1'b1;
      offered_q <= 1'b0;
      fits_q <= 1'b0;
      overflow_q <= 1'b0;
      behind_q <= 1'b0;
      shown_q <= 1'b0;
    end else begin
      if (start_i) begin
        active_q <= 1'b1;
        free_q <= 1'b0;
      end else if (take_i && last_o) begin
        active_q <= 1'b0;
        free_q <= 1'b1;
      end
      if (show) begin
        offered_q <= comes;
        fits_q <= comes && !comes_past;
        overflow_q <= comes && comes_past;
      end
      behind_q <= !show && comes;
      shown_q <= shown_q ^ take_i;
    end
    // The place that holds nothing takes what is being cut, whether that is a burst or not.
    if (!behind_q) begin
      past_bus_q <= past_bus;
      if (shown_q == offered_q) place_0_q <= burst;
      else place_1_q <= burst;
    end
  end

  assign {addr_o[vta_pkg::AxiAddrWidth-1:LogBytes], first_off_o, beats_o, last_off_o, row_end_o, last_o} =
      shown_q ? place_1_q : place_0_q;
  assign addr_o[LogBytes-1:0] = '0;
  assign free_o = free_q;
  assign overflow_o = overflow_q;
  assign valid_o = fits_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      opposites : assert (cut_free_q == !cut_valid_q);
      one_or_the_other : assert (offered_q == (fits_q || overflow_q) && !(fits_q && overflow_q));
      start_only_when_free : assert (!(start_i && !free_o));
      take_only_offered : assert (!(take_i && !valid_o));
      never_empty : assert (!(valid_o && beats_o == '0));
      never_across_4k :
      assert (!valid_o || 32'(addr_o[11:0]) + 32'(beats_o) * vta_pkg::AxiBytes <= 32'd4096);
    end
  end

endmodule
