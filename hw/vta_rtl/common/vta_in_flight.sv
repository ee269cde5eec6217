// Counts what has begun and not ended, up to Max.
//
// Whether there is anything, and room for more, is known before a cycle begins. What begins and ends in a cycle passes
// one level of logic, whatever Max is: the counter follows a cycle later, and the two flags look at what it is to become.
// With FastSimulation they look at the counter itself, which is the same and less to simulate.
module vta_in_flight #(
  // Most that may be in flight, at least 1.
  parameter int unsigned Max = 4
) (
  // Clock; synchronous reset; clear_i forgets all.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  // One more, only with room_o unless one ends in the same cycle; one less, only with any_o.
  input  logic begin_i,
  input  logic end_i,
  // State at the beginning of the cycle: there is one; there are fewer than Max.
  output logic any_o,
  output logic room_o
);

  localparam int unsigned Width = $clog2(Max + 1);

  localparam bit Simple = vta_pkg::FastSimulation;

  logic [Width-1:0] count_q;  // without what changed in the cycle before; with all if Simple
  logic up_q, down_q;         // which is that
  logic any_q, room_q;
  logic up, down;
  logic is_one, is_most;  // there is one; there are Max - 1

  assign any_o = Simple ? count_q != '0 : any_q;
  assign room_o = Simple ? count_q != Width'(Max) : room_q;
  assign up = begin_i && !end_i;
  assign down = end_i && !begin_i;

  logic adds, takes;
  logic [Width-1:0] count;
  assign adds = Simple ? up : up_q;
  assign takes = Simple ? down : down_q;
  assign count = adds ? count_q + 1'b1 : takes ? count_q - 1'b1 : count_q;
  // Of the register, so that no adder is in front of the comparisons.
  assign is_one = 32'(count_q) == (adds ? 32'd0 : takes ? 32'd2 : 32'd1);
  assign is_most = 32'(count_q) == (adds ? Max - 2 : takes ? Max : Max - 1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      count_q <= '0;
      up_q <= 1'b0;
      down_q <= 1'b0;
      any_q <= 1'b0;
      room_q <= 1'b1;
    end else begin
      count_q <= count;
      up_q <= up;
      down_q <= down;
      if (up) begin
        any_q <= 1'b1;
        room_q <= !is_most;
      end else if (down) begin
        any_q <= !is_one;
        room_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      begin_only_with_room : assert (!(up && !room_o));
      end_only_with_any : assert (!(down && !any_o));
      one_change : assert (!(up_q && down_q));
      flags_of_count : assert (Simple || (any_q == (count != '0) && room_q == (32'(count) != Max)));
    end
  end

endmodule
