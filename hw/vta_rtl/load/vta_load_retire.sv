// Retires the load unit's transfers in the order in which they started.
//
// With one DMA that is the order in which they end. Of two, which move inputs and weights through memory ports of their
// own, a transfer may end before an older one of the other; it then retires in a cycle behind the older one's
// (docs/timing.md, "Load").
module vta_load_retire #(
  parameter int unsigned Dmas = vta_pkg::LoadDmas
) (
  // Clock; synchronous reset; clear_i before a launch.
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            clear_i,
  // A transfer starts: through which DMA, its number, and whether it pushes a token when it retires.
  input  logic                            start_i,
  input  logic                            dma_i,
  input  logic [vta_pkg::NumberWidth-1:0] number_i,
  input  logic                            push_next_i,
  // The oldest transfer of each DMA that has not ended ends in this cycle; the number that the first DMA tells.
  input  logic [Dmas-1:0]                 done_i,
  input  logic [vta_pkg::NumberWidth-1:0] done_number_i,
  // The oldest transfer retires in this cycle: of which DMA, its number, whether it pushes a token.
  output logic [Dmas-1:0]                 retire_o,
  output logic [vta_pkg::NumberWidth-1:0] number_o,
  output logic                            push_next_o
);

  localparam int unsigned Depth = Dmas * vta_pkg::DmaInFlight;

  logic empty;
  logic full;
  logic push_next;
  logic retire;

  assign retire = retire_o != '0;
  assign push_next_o = retire && push_next;

  if (Dmas == 1) begin : gen_one
    vta_fifo #(
      .Width(1),
      .Depth(Depth)
    ) u_order (
      .clk_i,
      .rst_ni,
      .clear_i,
      .push_i(start_i),
      .data_i(push_next_i),
      .pop_i(retire),
      .head_o(push_next),
      .empty_o(empty),
      .full_o(full)
    );
    assign retire_o = done_i;
    assign number_o = done_number_i;
    logic unused;
    assign unused = &{1'b0, dma_i, number_i};
  end else begin : gen_two
    logic dma;
    logic [Dmas-1:0] ended;  // before this cycle, and not retired

    vta_fifo #(
      .Width(2 + vta_pkg::NumberWidth),
      .Depth(Depth)
    ) u_order (
      .clk_i,
      .rst_ni,
      .clear_i,
      .push_i(start_i),
      .data_i({dma_i, push_next_i, number_i}),
      .pop_i(retire),
      .head_o({dma, push_next, number_o}),
      .empty_o(empty),
      .full_o(full)
    );

    for (genvar d = 0; d < Dmas; d++) begin : gen_ended
      logic room;
      vta_in_flight #(
        .Max(vta_pkg::DmaInFlight)
      ) u_ended (
        .clk_i,
        .rst_ni,
        .clear_i,
        .begin_i(done_i[d]),
        .end_i(retire_o[d]),
        .any_o(ended[d]),
        .room_o(room)
      );
      assign retire_o[d] = !empty && dma == 1'(d) && (done_i[d] || ended[d]);
      logic unused_room;
      assign unused_room = &{1'b0, room};
    end
    logic unused;
    assign unused = &{1'b0, done_number_i};
  end

  logic unused_flags;
  assign unused_flags = &{1'b0, full, empty};

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      start_only_with_room : assert (!(start_i && full));
      retire_only_what_started : assert (!(retire && empty));
    end
  end

endmodule
