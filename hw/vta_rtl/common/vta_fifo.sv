// A FIFO for small depths, in registers or distributed memory; its oldest entry is on the output.
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
  localparam int unsigned CountWidth = $clog2(Depth + 1);
  localparam logic [PtrWidth-1:0] LastPtr = PtrWidth'(Depth - 1);

  logic [Width-1:0] mem_q[Depth];
  logic [PtrWidth-1:0] write_q;
  logic [PtrWidth-1:0] read_q;
  logic [CountWidth-1:0] count_q;

  assign empty_o = count_q == '0;
  assign full_o = count_q == CountWidth'(Depth);
  assign head_o = mem_q[read_q];

  always_ff @(posedge clk_i) begin
    if (push_i) mem_q[write_q] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      write_q <= '0;
      read_q <= '0;
      count_q <= '0;
    end else begin
      if (push_i) write_q <= write_q == LastPtr ? '0 : write_q + 1'b1;
      if (pop_i) read_q <= read_q == LastPtr ? '0 : read_q + 1'b1;
      if (push_i != pop_i) count_q <= push_i ? count_q + 1'b1 : count_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      no_push_when_full : assert (!(push_i && full_o));
      no_pop_when_empty : assert (!(pop_i && empty_o));
    end
  end

endmodule
