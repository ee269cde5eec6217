// A command queue keeps order and count and hands an instruction to its head when docs/timing.md says so.
module formal_cmd_queue (
  input logic          clk_i,
  input logic          clear_i,
  input logic          push_i,
  input logic          pop_i,
  input logic          mark_i,
  input vta_pkg::cmd_t cmd_i
);
  localparam int unsigned Depth = vta_pkg::CommandDepth;

  logic rst_n_q = 1'b0;
  logic room;
  logic head_valid;
  logic behind_empty;
  vta_pkg::cmd_t head;

  (* hierconn *) wire [1:0] \dut.u_behind.count ;
  (* hierconn *) wire [1:0] \dut.u_stored.count ;
  (* hierconn *) wire \dut.next_valid_q ;
  (* hierconn *) wire [$bits(cmd_i)-1:0] \dut.u_ram.rdata_q ;
  (* hierconn *) wire [1:0] \dut.read_q ;
  (* hierconn *) wire [1:0] \dut.write_q ;
  (* hierconn *) wire [$bits(cmd_i)-1:0] \dut.u_ram.mem_q[0] ;
  (* hierconn *) wire [$bits(cmd_i)-1:0] \dut.u_ram.mem_q[1] ;
  (* hierconn *) wire [$bits(cmd_i)-1:0] \dut.u_ram.mem_q[2] ;

  // On its way, as through vta_bounds: pushed one to three cycles ago, and two more in the memory.
  logic [4:0] push_q = '0;
  logic [2:0] marked_q = '0;
  logic [$bits(cmd_i)-1:0] cmd1_q, cmd2_q, cmd3_q;
  logic follow;

  always_ff @(posedge clk_i) begin
    rst_n_q <= 1'b1;
    push_q <= rst_n_q && !clear_i ? {push_q[3:0], push_i} : '0;
    marked_q <= rst_n_q && !clear_i ? {marked_q[1:0], follow} : '0;
    cmd1_q <= cmd_i;
    cmd2_q <= cmd1_q;
    cmd3_q <= cmd2_q;
  end

  vta_cmd_queue dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i,
    .push_i,
    .room_o(room),
    .arrive_i(push_q[2]),
    .cmd_i(cmd3_q),
    .head_valid_o(head_valid),
    .head_o(head),
    .pop_i,
    .behind_empty_o(behind_empty)
  );

  logic [3:0] count_q = '0;  // the head included
  logic [3:0] behind;
  logic followed_q = 1'b0;
  logic [3:0] ahead_q = '0;
  logic [$bits(cmd_i)-1:0] value_q = '0;

  assign behind = count_q - 4'(head_valid);
  assign follow = push_i && mark_i && !followed_q;

  // Instructions pushed in the last three, four and five cycles.
  logic [3:0] young3, young4, young5;
  assign young3 = 4'(push_q[0]) + 4'(push_q[1]) + 4'(push_q[2]);
  assign young4 = young3 + 4'(push_q[3]);
  assign young5 = young4 + 4'(push_q[4]);

  always_ff @(posedge clk_i) begin
    if (!rst_n_q || clear_i) begin
      count_q <= '0;
      followed_q <= 1'b0;
    end else begin
      count_q <= count_q + 4'(push_i) - 4'(pop_i);
      if (followed_q) begin
        if (pop_i) begin
          followed_q <= ahead_q != '0;
          ahead_q <= ahead_q - 1'b1;
        end
      end else if (follow) begin
        followed_q <= 1'b1;
        ahead_q <= count_q - 4'(pop_i);
        value_q <= cmd_i;
      end
    end
  end

  // For the induction: where the followed instruction lies in the memory.
  logic [3:0] place;
  logic [$bits(cmd_i)-1:0] stored;
  assign place = 4'(\dut.read_q ) + ahead_q - 4'(head_valid) - 4'(\dut.next_valid_q );

  always_comb begin
    unique case (place >= 4'(Depth) ? place - 4'(Depth) : place)
      4'd0: stored = \dut.u_ram.mem_q[0] ;
      4'd1: stored = \dut.u_ram.mem_q[1] ;
      default: stored = \dut.u_ram.mem_q[2] ;
    endcase
  end

  always_comb begin
    assume (!push_i || room);
    assume (!pop_i || head_valid);
    if (rst_n_q) begin
      assert (young5 <= count_q);
      assert (head_valid == (count_q > young5));
      assert (\dut.next_valid_q == (behind > young4));
      assert (4'(\dut.u_stored.count ) + young3 + 4'(\dut.next_valid_q ) == behind);
      assert (room == (behind != 4'(Depth)));
      assert (behind_empty == (behind == '0));
      assert (behind <= 4'(Depth));
      if (followed_q && ahead_q == '0 && head_valid) assert (head == value_q);
      assert (4'(\dut.u_behind.count ) == behind && count_q >= 4'(head_valid));
      assert (\dut.read_q < 2'(Depth) && \dut.write_q < 2'(Depth));
      assert ((4'(\dut.read_q ) + 4'(\dut.u_stored.count )) % 4'(Depth) == 4'(\dut.write_q ));
      if (followed_q) assert (ahead_q < count_q);
      assert ((marked_q & (marked_q - 3'd1)) == '0 && (marked_q & ~push_q[2:0]) == '0);
      assert (followed_q || marked_q == '0);
      if (followed_q) begin
        assert ((marked_q != '0) == (ahead_q >= count_q - young3));
        if (marked_q[0]) assert (cmd1_q == value_q && ahead_q + 1'b1 == count_q);
        if (marked_q[1]) assert (cmd2_q == value_q && ahead_q + 1'b1 + 4'(push_q[0]) == count_q);
        if (marked_q[2]) assert (cmd3_q == value_q && ahead_q + 1'b1 + 4'(push_q[0]) + 4'(push_q[1]) == count_q);
        if (marked_q == '0 && ahead_q == 4'(head_valid) && \dut.next_valid_q ) begin
          assert (\dut.u_ram.rdata_q == value_q);
        end
        if (marked_q == '0 && ahead_q >= 4'(head_valid) + 4'(\dut.next_valid_q )) assert (stored == value_q);
      end
      cover (followed_q && ahead_q == 4'(Depth));
    end
  end
endmodule
