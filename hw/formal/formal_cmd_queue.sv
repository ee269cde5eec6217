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

  (* hierconn *) wire [1:0] \dut.count_q ;
  (* hierconn *) wire [1:0] \dut.read_q ;
  (* hierconn *) wire [1:0] \dut.write_q ;
  (* hierconn *) wire [$bits(cmd_i)-1:0] \dut.u_ram.mem_q[0] ;
  (* hierconn *) wire [$bits(cmd_i)-1:0] \dut.u_ram.mem_q[1] ;
  (* hierconn *) wire [$bits(cmd_i)-1:0] \dut.u_ram.mem_q[2] ;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_cmd_queue dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i,
    .push_i,
    .cmd_i,
    .room_o(room),
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
  logic due_q = 1'b0;  // an instruction has to be at the head

  assign behind = count_q - 4'(head_valid);

  always_ff @(posedge clk_i) begin
    if (!rst_n_q || clear_i) begin
      count_q <= '0;
      followed_q <= 1'b0;
      due_q <= 1'b0;
    end else begin
      count_q <= count_q + 4'(push_i) - 4'(pop_i);
      due_q <= count_q > 4'(pop_i);
      if (followed_q) begin
        if (pop_i) begin
          followed_q <= ahead_q != '0;
          ahead_q <= ahead_q - 1'b1;
        end
      end else if (push_i && mark_i) begin
        followed_q <= 1'b1;
        ahead_q <= count_q - 4'(pop_i);
        value_q <= cmd_i;
      end
    end
  end

  // For the induction: where the followed instruction lies in the memory.
  logic [3:0] place;
  logic [$bits(cmd_i)-1:0] stored;
  assign place = 4'(\dut.read_q ) + ahead_q - 4'(head_valid);

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
      assert (head_valid == due_q);
      assert (room == (behind != 4'(Depth)));
      assert (behind_empty == (behind == '0));
      assert (behind <= 4'(Depth));
      if (followed_q && ahead_q == '0 && head_valid) assert (head == value_q);
      assert (4'(\dut.count_q ) == behind && count_q >= 4'(head_valid));
      assert (\dut.read_q < 2'(Depth) && \dut.write_q < 2'(Depth));
      assert ((4'(\dut.read_q ) + behind) % 4'(Depth) == 4'(\dut.write_q ));
      if (followed_q) assert (ahead_q < count_q);
      if (followed_q && (ahead_q != '0 || !head_valid)) assert (stored == value_q);
      cover (followed_q && ahead_q == 4'(Depth));
    end
  end
endmodule
