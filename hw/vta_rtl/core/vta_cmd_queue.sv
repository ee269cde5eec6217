// The command queue of a unit: CommandDepth instructions, and one more in registers at its output, the head.
//
// An instruction takes its place when it is pushed and arrives, with what vta_bounds says of it, three cycles later. It
// passes a block RAM and the RAM's output register. So what is pushed in cycle t is at the head in t+6 at the earliest;
// after a pop in cycle t the next one is there in t+1 (docs/timing.md, "Command queues").
module vta_cmd_queue (
  // Clock; synchronous reset; clear_i empties it.
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          clear_i,
  // Input: push_i only in a cycle with room_o; the instruction comes with arrive_i.
  input  logic          push_i,
  output logic          room_o,
  input  logic          arrive_i,
  input  vta_pkg::cmd_t cmd_i,
  // Output: the head. pop_i only with head_valid_o.
  output logic          head_valid_o,
  output vta_pkg::cmd_t head_o,
  input  logic          pop_i,
  // Nothing is behind the head; the head may be there.
  output logic          behind_empty_o
);

  localparam int unsigned Depth = vta_pkg::CommandDepth;
  // A memory of one entry still has an address bit.
  localparam int unsigned RamDepth = Depth > 1 ? Depth : 2;
  localparam int unsigned PtrWidth = $clog2(RamDepth);
  localparam logic [PtrWidth-1:0] LastPtr = PtrWidth'(Depth - 1);

  logic [PtrWidth-1:0] write_q;
  logic [PtrWidth-1:0] read_q;
  logic any_behind;  // pushed and not at the head
  logic any_stored;  // in the memory and not read
  logic room_stored;
  logic next_valid_q;  // the memory's output register holds the instruction behind the head
  logic head_valid_q;
  logic next_free_q, head_free_q;  // their opposites, for wide enables: so that these share no net with what is narrow
  logic refill;  // the memory's output register takes what is read, an instruction or not
  logic read;
  logic move;  // from there to the head
  vta_pkg::cmd_t next, head_q;

  assign behind_empty_o = !any_behind;
  assign head_valid_o = head_valid_q;
  assign head_o = head_q;
  assign move = next_valid_q && (!head_valid_q || pop_i);
  assign refill = next_free_q || head_free_q || pop_i;
  assign read = any_stored && (!next_valid_q || move);

  vta_in_flight #(
    .Max(Depth)
  ) u_behind (
    .clk_i,
    .rst_ni,
    .clear_i,
    .begin_i(push_i),
    .end_i(move),
    .any_o(any_behind),
    .room_o
  );
  vta_in_flight #(
    .Max(Depth)
  ) u_stored (
    .clk_i,
    .rst_ni,
    .clear_i,
    .begin_i(arrive_i),
    .end_i(read),
    .any_o(any_stored),
    .room_o(room_stored)
  );
  vta_ram_1r1w #(
    .Width($bits(cmd_i)),
    .Depth(RamDepth)
  ) u_ram (
    .clk_i,
    .we_i(arrive_i),
    .waddr_i(write_q),
    .wdata_i(cmd_i),
    .re_i(refill),
    .raddr_i(read_q),
    .rdata_o(next)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      write_q <= '0;
      read_q <= '0;
      next_valid_q <= 1'b0;
      next_free_q <= 1'b1;
      head_valid_q <= 1'b0;
      head_free_q <= 1'b1;
    end else begin
      if (arrive_i) write_q <= write_q == LastPtr ? '0 : write_q + 1'b1;
      if (read) read_q <= read_q == LastPtr ? '0 : read_q + 1'b1;
      next_valid_q <= read || (next_valid_q && !move);
      next_free_q <= !read && (next_free_q || move);
      head_valid_q <= move || (head_valid_q && !pop_i);
      head_free_q <= !move && (head_free_q || pop_i);
    end
    // Whether it is valid is told by head_valid_q, so that the registers' enable depends on less.
    if (head_free_q || pop_i) head_q <= next;
  end

  logic unused;
  assign unused = &{1'b0, room_stored};

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      no_push_when_full : assert (!(push_i && !room_o));
      opposites : assert (head_free_q == !head_valid_q && next_free_q == !next_valid_q);
      no_pop_when_empty : assert (!(pop_i && !head_valid_o));
      arrives_after_push : assert (!arrive_i || any_behind);
    end
  end

endmodule
