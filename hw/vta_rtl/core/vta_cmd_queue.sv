// The command queue of a unit: CommandDepth instructions in a block RAM and one more at its output, the head.
//
// An instruction that is pushed in cycle t is at the head in t+2 at the earliest; after a pop in cycle t the next one
// is there in t+1 (docs/timing.md, "Command queues").
module vta_cmd_queue (
  // Clock; synchronous reset; clear_i empties it.
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          clear_i,
  // Input: push_i only in a cycle with room_o.
  input  logic          push_i,
  input  vta_pkg::cmd_t cmd_i,
  output logic          room_o,
  // Output: the head. pop_i only with head_valid_o.
  output logic          head_valid_o,
  output vta_pkg::cmd_t head_o,
  input  logic          pop_i,
  // Nothing is in the memory; the head may be there.
  output logic          behind_empty_o
);

  localparam int unsigned Depth = vta_pkg::CommandDepth;
  // A memory of one entry still has an address bit.
  localparam int unsigned RamDepth = Depth > 1 ? Depth : 2;
  localparam int unsigned PtrWidth = $clog2(RamDepth);
  localparam int unsigned CountWidth = $clog2(Depth + 1);
  localparam logic [PtrWidth-1:0] LastPtr = PtrWidth'(Depth - 1);

  logic [PtrWidth-1:0] write_q;
  logic [PtrWidth-1:0] read_q;
  logic [CountWidth-1:0] count_q;
  logic head_valid_q;
  logic move;

  assign room_o = count_q != CountWidth'(Depth);
  assign behind_empty_o = count_q == '0;
  assign head_valid_o = head_valid_q;
  assign move = count_q != '0 && (!head_valid_q || pop_i);

  vta_ram_1r1w #(
    .Width($bits(cmd_i)),
    .Depth(RamDepth)
  ) u_ram (
    .clk_i,
    .we_i(push_i),
    .waddr_i(write_q),
    .wdata_i(cmd_i),
    .re_i(move),
    .raddr_i(read_q),
    .rdata_o(head_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      write_q <= '0;
      read_q <= '0;
      count_q <= '0;
      head_valid_q <= 1'b0;
    end else begin
      if (push_i) write_q <= write_q == LastPtr ? '0 : write_q + 1'b1;
      if (move) read_q <= read_q == LastPtr ? '0 : read_q + 1'b1;
      if (push_i != move) count_q <= push_i ? count_q + 1'b1 : count_q - 1'b1;
      if (move) head_valid_q <= 1'b1;
      else if (pop_i) head_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      no_push_when_full : assert (!(push_i && !room_o));
      no_pop_when_empty : assert (!(pop_i && !head_valid_o));
    end
  end

endmodule
