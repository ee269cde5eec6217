// A queue in registers or distributed memory.
//
// What is pushed in a cycle is at the output in the next one, or with Bypass in the same one when the queue is empty. A
// queue that is full takes a push only together with a pop; otherwise data would be lost.
module vta_queue #(
  // Bits of an entry; entries, a power of two.
  parameter int unsigned Width  = 8,
  parameter int unsigned Depth  = 8,
  // An entry may pass through the empty queue in one cycle.
  parameter bit          Bypass = 1'b0,
  // data_i is written in every cycle, so that push_i has to reach little: for queues that are never full.
  parameter bit          Eager  = 1'b0
) (
  // Clock; synchronous reset; clear_i empties it.
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  // Input.
  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  // Output: the oldest entry. pop_i only with valid_o.
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  input  logic             pop_i
);
  localparam int unsigned PtrWidth = $clog2(Depth);

  logic [Width-1:0]    mem_q [Depth];
  logic [PtrWidth:0]   wptr_q, rptr_q;
  logic                empty, full;

  assign empty = wptr_q == rptr_q;
  assign full = (wptr_q[PtrWidth-1:0] == rptr_q[PtrWidth-1:0]) && (wptr_q[PtrWidth] != rptr_q[PtrWidth]);
  assign valid_o = Bypass ? (!empty || push_i) : !empty;
  assign data_o = (Bypass && empty) ? data_i : mem_q[rptr_q[PtrWidth-1:0]];

  // What passes through an empty queue at once is written too: neither pointer then waits for the other side.
  always_ff @(posedge clk_i) begin
    if (Eager || push_i) mem_q[wptr_q[PtrWidth-1:0]] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      wptr_q <= '0;
      rptr_q <= '0;
    end else begin
      if (push_i) wptr_q <= wptr_q + 1'b1;
      if (pop_i) rptr_q <= rptr_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      no_push_when_full : assert (!push_i || !full || (pop_i && !Eager));
      never_full : assert (!Eager || !full);
      no_pop_when_empty : assert (!pop_i || valid_o);
    end
  end
endmodule
