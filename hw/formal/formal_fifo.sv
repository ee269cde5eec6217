// A FIFO keeps order and count: one entry, chosen freely, is followed from its push to its pop.
module formal_fifo (
  input logic       clk_i,
  input logic       clear_i,
  input logic       push_i,
  input logic       pop_i,
  input logic       mark_i,  // follow the entry pushed now
  input logic [1:0] data_i
);
  localparam int unsigned Depth = 3;

  logic rst_n_q = 1'b0;
  logic [1:0] head;
  logic empty;
  logic full;
  (* hierconn *) wire [1:0] \dut.u_more.count ;
  (* hierconn *) wire [1:0] \dut.read_q ;
  (* hierconn *) wire [1:0] \dut.write_q ;
  (* hierconn *) wire \dut.more ;
  (* hierconn *) wire \dut.head_valid_q ;
  (* hierconn *) wire [1:0] \dut.mem_q[0] ;
  (* hierconn *) wire [1:0] \dut.mem_q[1] ;
  (* hierconn *) wire [1:0] \dut.mem_q[2] ;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_fifo #(
    .Width(2),
    .Depth(Depth)
  ) dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i,
    .push_i,
    .data_i,
    .pop_i,
    .head_o(head),
    .empty_o(empty),
    .full_o(full)
  );

  logic [3:0] count_q = '0;
  logic followed_q = 1'b0;
  logic [3:0] ahead_q = '0;  // entries before the followed one
  logic [1:0] value_q = '0;

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
      end else if (push_i && mark_i) begin
        followed_q <= 1'b1;
        ahead_q <= count_q - 4'(pop_i);
        value_q <= data_i;
      end
    end
  end

  // For the induction: where the followed entry lies in the memory, unless it is the head.
  logic [3:0] place;
  logic [1:0] stored;
  assign place = 4'(\dut.read_q ) + ahead_q - 4'd1;

  always_comb begin
    unique case (place >= 4'(Depth) ? place - 4'(Depth) : place)
      4'd0: stored = \dut.mem_q[0] ;
      4'd1: stored = \dut.mem_q[1] ;
      default: stored = \dut.mem_q[2] ;
    endcase
  end

  always_comb begin
    assume (!push_i || !full);
    assume (!pop_i || !empty);
    if (rst_n_q) begin
      assert (empty == (count_q == '0));
      assert (full == (count_q == 4'(Depth)));
      assert (count_q <= 4'(Depth));
      if (followed_q) assert (ahead_q < count_q);
      if (followed_q && ahead_q == '0) assert (head == value_q);
      assert (4'(\dut.u_more.count ) == (count_q == '0 ? count_q : count_q - 1'b1));
      assert (\dut.read_q < 2'(Depth) && \dut.write_q < 2'(Depth));
      assert (\dut.head_valid_q == (count_q != '0) && \dut.more == (count_q > 4'd1));
      assert ((4'(\dut.read_q ) + (count_q == '0 ? count_q : count_q - 1'b1)) % 4'(Depth) == 4'(\dut.write_q ));
      if (followed_q && ahead_q != '0) assert (stored == value_q);
      cover (followed_q && ahead_q == 4'd2);
    end
  end
endmodule
