// The data side of the store unit: reads elements of OUT in order, packs them into beats, and puts the beats on the W
// channel as their bursts are granted.
//
// One element a cycle is read, one beat a cycle is sent. Elements smaller than a beat are gathered until their row
// leaves the beat; larger ones are sent in parts.
module vta_store_data (
  // Clock; synchronous reset; clear_i before a launch.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  // The oldest store that has been started and not taken here, and the byte in a beat at which its rows begin: of the
  // first row and from row to row.
  input  logic                            cmd_valid_i,
  input  vta_pkg::mem_cmd_t               cmd_i,
  input  logic [vta_pkg::AxiLogBytes-1:0] row_off_i,
  input  logic [vta_pkg::AxiLogBytes-1:0] row_step_i,
  output logic                            cmd_pop_o,

  // A burst was granted.
  input  logic                              grant_i,
  input  logic [vta_pkg::BurstLenWidth-1:0] beats_i,

  // Read of OUT: data one cycle after the enable, held until the next enable.
  output logic                            out_re_o,
  output logic [vta_pkg::OutLogDepth-1:0] out_raddr_o,
  input  logic [vta_pkg::OutElemBits-1:0] out_rdata_i,

  // W channel.
  output vta_pkg::axi_data_t w_o,
  input  logic               wready_i
);

  localparam int unsigned LogBytes = vta_pkg::AxiLogBytes;
  localparam bit Narrow = vta_pkg::OutElemBits < vta_pkg::AxiDataWidth;
  localparam int unsigned Parts = Narrow ? 1 : vta_pkg::OutElemBits / vta_pkg::AxiDataWidth;
  localparam int unsigned PartWidth = Parts > 1 ? $clog2(Parts) : 1;

  // Walking the elements.
  logic active_q;
  logic empty_q;  // the store moves nothing
  logic [15:0] x_left_q;
  logic [15:0] y_left_q;
  logic [15:0] x_size_q;
  logic [15:0] addr_q;
  logic [LogBytes-1:0] row_off_q;
  logic [LogBytes-1:0] row_step_q;
  logic [LogBytes-1:0] off_q;
  logic step;
  logic read;
  logic last;
  logic row_last_q;   // it is the last of its row; its row is the last one
  logic rows_last_q;

  // The element that was read, until it is consumed.
  logic elem_valid_q;
  logic [LogBytes-1:0] elem_off_q;
  logic elem_closes_q;  // no more elements of its row in its beat
  logic consume;

  assign last = empty_q || (row_last_q && rows_last_q);
  assign read = active_q && !empty_q && (!elem_valid_q || consume);
  assign step = active_q && (empty_q || read);
  assign cmd_pop_o = cmd_valid_i && (!active_q || (step && last));
  assign out_re_o = read;
  assign out_raddr_o = addr_q[vta_pkg::OutLogDepth-1:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) active_q <= 1'b0;
    else if (cmd_pop_o) active_q <= 1'b1;
    else if (step && last) active_q <= 1'b0;

    if (!rst_ni || clear_i) elem_valid_q <= 1'b0;
    else if (read) elem_valid_q <= 1'b1;
    else if (consume) elem_valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (cmd_pop_o) begin
      empty_q <= cmd_i.x_size == '0 || cmd_i.y_size == '0;
      x_left_q <= cmd_i.x_size;
      row_last_q <= cmd_i.x_size == 16'd1;
      y_left_q <= cmd_i.y_size;
      rows_last_q <= cmd_i.y_size == 16'd1;
      x_size_q <= cmd_i.x_size;
      addr_q <= cmd_i.sram_base;
      row_off_q <= row_off_i;
      row_step_q <= row_step_i;
      off_q <= row_off_i;
    end else if (read) begin
      addr_q <= addr_q + 1'b1;
      x_left_q <= x_left_q - 1'b1;
      row_last_q <= x_left_q == 16'd2;
      off_q <= off_q + LogBytes'(vta_pkg::OutElemBytes);
      if (row_last_q) begin
        x_left_q <= x_size_q;
        row_last_q <= x_size_q == 16'd1;
        y_left_q <= y_left_q - 1'b1;
        rows_last_q <= y_left_q == 16'd2;
        row_off_q <= row_off_q + row_step_q;
        off_q <= row_off_q + row_step_q;
      end
    end
    if (read) begin
      elem_off_q <= off_q;
      elem_closes_q <= row_last_q || 32'(off_q) + vta_pkg::OutElemBytes >= vta_pkg::AxiBytes;
    end
  end

  // Lengths of granted bursts, for WLAST; a beat is loaded only when its burst is there.
  logic burst_pop;
  logic burst_empty;
  logic burst_full;
  logic [vta_pkg::BurstLenWidth-1:0] burst_last;  // its beats, less one
  logic [vta_pkg::BurstLenWidth-1:0] sent_q;

  vta_fifo #(
    .Width(vta_pkg::BurstLenWidth),
    .Depth(vta_pkg::OutstandingBursts)
  ) u_bursts (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(grant_i),
    .data_i(beats_i - 1'b1),
    .pop_i(burst_pop),
    .head_o(burst_last),
    .empty_o(burst_empty),
    .full_o(burst_full)
  );

  // The W register. It takes what is there whenever it is free, so that its enable depends on less; whether that counts
  // is told by wvalid_q.
  logic wvalid_q;
  logic wfree_q;  // its opposite, for the enable: so that this shares no wide net with what loads it
  logic wtake;
  logic wlast_q;
  logic [vta_pkg::AxiDataWidth-1:0] wdata_q;
  logic [vta_pkg::AxiBytes-1:0] wstrb_q;
  logic load;
  logic may_load;
  logic last_beat;

  assign wtake = wfree_q || wready_i;
  assign may_load = !burst_empty && (!wvalid_q || wready_i);
  assign last_beat = sent_q == burst_last;
  assign burst_pop = load && last_beat;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      wvalid_q <= 1'b0;
      wfree_q <= 1'b1;
      sent_q <= '0;
    end else begin
      wvalid_q <= load || (wvalid_q && !wready_i);
      wfree_q <= !load && wtake;
      if (load) sent_q <= last_beat ? '0 : sent_q + 1'b1;
    end
    if (wtake) wlast_q <= last_beat;
  end

  if (Narrow) begin : gen_narrow
    // The beat as far as it is packed, the element that is there now included.
    logic [vta_pkg::AxiDataWidth-1:0] pack_q;
    logic [vta_pkg::AxiBytes-1:0] strb_q;
    logic [vta_pkg::AxiDataWidth-1:0] pack;
    logic [vta_pkg::AxiBytes-1:0] strb;

    assign pack = pack_q | (vta_pkg::AxiDataWidth'(out_rdata_i) << {elem_off_q, 3'b000});
    assign strb = strb_q | (vta_pkg::AxiBytes'({vta_pkg::OutElemBytes{1'b1}}) << elem_off_q);
    assign load = elem_valid_q && elem_closes_q && may_load;
    assign consume = elem_valid_q && (!elem_closes_q || may_load);

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) begin
        pack_q <= '0;
        strb_q <= '0;
      end else if (consume) begin
        pack_q <= elem_closes_q ? '0 : pack;
        strb_q <= elem_closes_q ? '0 : strb;
      end
      if (wtake) begin
        wdata_q <= pack;
        wstrb_q <= strb;
      end
    end
  end else begin : gen_wide
    logic [PartWidth-1:0] part_q;
    logic unused;

    assign load = elem_valid_q && may_load;
    assign consume = load && part_q == PartWidth'(Parts - 1);
    assign unused = &{1'b0, elem_off_q, elem_closes_q};

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) part_q <= '0;
      else if (load) part_q <= consume ? '0 : part_q + 1'b1;
      if (wtake) begin
        wdata_q <= out_rdata_i[32'(part_q)*vta_pkg::AxiDataWidth+:vta_pkg::AxiDataWidth];
        wstrb_q <= '1;
      end
    end
  end

  assign w_o.valid = wvalid_q;
  assign w_o.last = wlast_q;
  assign w_o.strb = wstrb_q;
  assign w_o.data = wdata_q;

  logic unused;
  assign unused = &{1'b0, burst_full, cmd_i, addr_q};

  logic waiting_q;
  vta_pkg::axi_data_t past_q;

  always_ff @(posedge clk_i) begin
    waiting_q <= rst_ni && !clear_i && w_o.valid && !wready_i;
    past_q <= w_o;
    if (rst_ni && !clear_i) begin
      opposites : assert (wfree_q == !wvalid_q);
      stable_until_ready : assert (!waiting_q || w_o == past_q);
      room_for_every_burst : assert (!(grant_i && burst_full));
    end
  end

endmodule
