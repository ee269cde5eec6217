// vta_queue keeps order and count, with and without bypass, and where it writes in every cycle: one entry, chosen
// freely, is followed.
module formal_queue #(
  parameter bit Bypass = 1'b0,
  parameter bit Eager  = 1'b0
) (
  input logic       clk_i,
  input logic       clear_i,
  input logic       push_i,
  input logic       pop_i,
  input logic       mark_i,
  input logic [1:0] data_i
);
  localparam int unsigned Depth = 4;
  localparam int unsigned Most = Eager ? Depth - 1 : Depth;  // entries

  logic rst_n_q = 1'b0;
  logic valid;
  logic [1:0] data;
  (* hierconn *) wire [2:0] \dut.wptr_q ;
  (* hierconn *) wire [2:0] \dut.rptr_q ;
  (* hierconn *) wire [1:0] \dut.mem_q[0] ;
  (* hierconn *) wire [1:0] \dut.mem_q[1] ;
  (* hierconn *) wire [1:0] \dut.mem_q[2] ;
  (* hierconn *) wire [1:0] \dut.mem_q[3] ;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_queue #(
    .Width(2),
    .Depth(Depth),
    .Bypass(Bypass),
    .Eager(Eager)
  ) dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i,
    .push_i,
    .data_i,
    .valid_o(valid),
    .data_o(data),
    .pop_i
  );

  logic [2:0] count_q = '0;
  logic followed_q = 1'b0;
  logic [2:0] ahead_q = '0;
  logic [1:0] value_q = '0;
  logic through;  // pushed and popped in one cycle
  assign through = Bypass && count_q == '0 && push_i && pop_i;

  always_ff @(posedge clk_i) begin
    if (!rst_n_q || clear_i) begin
      count_q <= '0;
      followed_q <= 1'b0;
    end else begin
      count_q <= count_q + 3'(push_i) - 3'(pop_i);
      if (followed_q) begin
        if (pop_i) begin
          followed_q <= ahead_q != '0;
          ahead_q <= ahead_q - 1'b1;
        end
      end else if (push_i && mark_i && !through) begin
        followed_q <= 1'b1;
        ahead_q <= count_q - 3'(pop_i);
        value_q <= data_i;
      end
    end
  end

  logic [1:0] place;
  logic [1:0] stored;
  assign place = \dut.rptr_q + 2'(ahead_q);

  always_comb begin
    unique case (place)
      2'd0: stored = \dut.mem_q[0] ;
      2'd1: stored = \dut.mem_q[1] ;
      2'd2: stored = \dut.mem_q[2] ;
      default: stored = \dut.mem_q[3] ;
    endcase
  end

  always_comb begin
    assume (!pop_i || valid);
    assume (!push_i || pop_i || count_q != 3'(Most));
    if (rst_n_q) begin
      assert (valid == (count_q != '0 || (Bypass && push_i)));
      assert (count_q <= 3'(Most));
      if (through) assert (data == data_i);
      if (followed_q) assert (ahead_q < count_q);
      if (followed_q && ahead_q == '0) assert (data == value_q);
      assert (3'(\dut.wptr_q - \dut.rptr_q ) == count_q);
      if (followed_q) assert (stored == value_q);
      cover (count_q == 3'(Most) && push_i && pop_i);
    end
  end
endmodule
