// A FIFO for small depths, in registers or distributed memory; its oldest entry is on the output, in registers.
//
// An entry that is pushed in cycle t is at the head from t+1 on. There is no way through in one cycle.
module vta_fifo #(
  // Bits of an entry, and entries. Depth need not be a power of two.
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 2
) (
  // Clock; synchronous reset; clear_i empties it.
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  // Input: push_i only when not full_o.
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  // Output: head_o is the oldest entry while not empty_o. pop_i only then; the next one shows in the next cycle.
  input  logic             pop_i,
  output logic [Width-1:0] head_o,
  // State at the beginning of the cycle.
  output logic             empty_o,
  output logic             full_o
);

  localparam int unsigned PtrWidth = Depth > 1 ? $clog2(Depth) : 1;
  localparam logic [PtrWidth-1:0] LastPtr = PtrWidth'(Depth - 1);

  // The oldest entry has registers of its own; the others are in the memory.
  logic [Width-1:0] mem_q[Depth];
  logic [PtrWidth-1:0] write_q;
  logic [PtrWidth-1:0] read_q;
  logic [Width-1:0] head_q;
  logic head_valid_q;
  logic more;    // there are some in the memory
  logic room;    // for more than these
  logic next;    // the head is replaced, or filled
  logic write;

  assign empty_o = !head_valid_q;
  assign full_o = head_valid_q && (Depth == 1 || !room);
  assign head_o = head_q;
  assign next = pop_i || !head_valid_q;
  assign write = push_i && (more || !next);

  // Those in the memory. With a depth of 1 there are none.
  vta_in_flight #(
    .Max(Depth > 1 ? Depth - 1 : 1)
  ) u_more (
    .clk_i,
    .rst_ni,
    .clear_i,
    .begin_i(push_i && !next),
    .end_i(next && more && !push_i),
    .any_o(more),
    .room_o(room)
  );

  always_ff @(posedge clk_i) begin
    if (push_i) mem_q[write_q] <= data_i;  // it stays there with write only
    if (next) head_q <= more ? mem_q[read_q] : data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      write_q <= '0;
      read_q <= '0;
      head_valid_q <= 1'b0;
    end else begin
      if (write) write_q <= write_q == LastPtr ? '0 : write_q + 1'b1;
      if (next && more) read_q <= read_q == LastPtr ? '0 : read_q + 1'b1;
      if (next) head_valid_q <= more || push_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      no_push_when_full : assert (!(push_i && full_o));
      no_pop_when_empty : assert (!(pop_i && empty_o));
    end
  end

endmodule
