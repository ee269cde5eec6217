// The writing side of a read DMA: every operation is one of its transfer, with its type, order and number, at the address
// behind the one before.
module formal_dma_writer (
  input logic                               clk_i,
  input logic                               halt_i,
  input logic                               cmd_valid_i,
  input vta_pkg::mem_cmd_t                  cmd_i,
  input logic                               elem_valid_i,
  input logic [vta_pkg::LaneCountWidth-1:0] elem_count_i
);
  logic rst_n_q = 1'b0;
  logic pop, consume, consume_all, on_chip;
  vta_pkg::dma_op_t op;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  // The transfer that was taken last, what of its row has come, and where the next element goes.
  logic active_q = 1'b0;
  vta_pkg::mem_cmd_t cmd_q = '0;
  logic [16:0] row_q = '0;
  logic [15:0] next_q = '0;
  logic [7:0] padding_q = '0;  // elements of padding left
  logic plain_q = 1'b0;        // the cycle before wrote data that is not transposed
  logic row_end;
  logic data_op;

  assign row_end = row_q + 17'(elem_count_i) == 17'(cmd_q.x_size);
  assign data_op = op.valid && op.we && !op.pad;

  vta_dma_writer dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i(1'b0),
    .halt_i,
    .cmd_valid_i,
    .cmd_i,
    .cmd_pop_o(pop),
    .elem_valid_i,
    .elem_only_i(elem_count_i == vta_pkg::LaneCountWidth'(1)),
    .elem_row_end_i(row_end),
    .elem_count_i,
    .elem_consume_o(consume),
    .elem_consume_all_o(consume_all),
    .op_o(op),
    .on_chip_o(on_chip)
  );

  // Elements of padding of a transfer.
  function automatic logic [7:0] padding_of(logic [1:0] y_size, logic [1:0] x_size, logic [1:0] y_0, logic [1:0] y_1,
                                            logic [1:0] x_0, logic [1:0] x_1);
    padding_of = x_size == '0 ? '0 : (8'(y_0) + 8'(y_1)) * (8'(x_0) + 8'(x_size) + 8'(x_1)) + 8'(y_size) * (8'(x_0) + 8'(x_1));
  endfunction

  always_ff @(posedge clk_i) begin
    plain_q <= data_op && !op.transposes;
    if (!rst_n_q) begin
      active_q <= 1'b0;
    end else if (pop) begin
      active_q <= 1'b1;
      cmd_q <= cmd_i;
      row_q <= '0;
      next_q <= cmd_i.sram_base;
      padding_q <= padding_of(cmd_i.y_size[1:0], cmd_i.x_size[1:0], cmd_i.y_pad_0[1:0], cmd_i.y_pad_1[1:0],
                              cmd_i.x_pad_0[1:0], cmd_i.x_pad_1[1:0]);
    end else begin
      if (op.last) active_q <= 1'b0;
      if (data_op) row_q <= row_end ? '0 : row_q + 17'(op.count);
      if (op.valid && op.we) next_q <= next_q + 16'(op.count);
      if (op.valid && op.we && op.pad) padding_q <= padding_q - 1'b1;
    end
  end

  always_comb begin
    assume (!halt_i);
    // Small transfers of the load unit, with at least one element and at most the rest of the row on the bus.
    assume (cmd_i.memory_type == vta_pkg::MemTypeInp || cmd_i.memory_type == vta_pkg::MemTypeWgt ||
            cmd_i.memory_type == vta_pkg::MemTypeWgtTransposed || cmd_i.memory_type == vta_pkg::MemTypeInpFromOut);
    assume (cmd_i.x_size < 16'd3 && cmd_i.y_size < 16'd3);
    assume (cmd_i.x_pad_0 < 4'd2 && cmd_i.x_pad_1 < 4'd2 && cmd_i.y_pad_0 < 4'd2 && cmd_i.y_pad_1 < 4'd2);
    assume (elem_count_i != '0 && row_q + 17'(elem_count_i) <= 17'(cmd_q.x_size) || !consume);
    if (rst_n_q) begin
      works_on_a_transfer : assert (!op.valid || active_q);
      if (op.valid) begin
        type_of_the_transfer : assert (op.memory_type == cmd_q.memory_type && op.number == cmd_q.number);
        order_of_the_transfer : assert (op.transposes == (cmd_q.memory_type == vta_pkg::MemTypeWgtTransposed));
        source_of_the_transfer : assert (on_chip == (cmd_q.memory_type == vta_pkg::MemTypeInpFromOut));
        padding_of_the_transfer : assert (op.pad_min == cmd_q.pad_min);
        without_a_gap : assert (!op.we || op.addr == next_q);
        waits_for_elements : assert (!op.we || op.pad || elem_valid_i && consume);
        all_the_padding : assert (padding_q != '0 || !(op.we && op.pad));
        padding_is_done : assert (!op.last || padding_q == 8'(op.we && op.pad));
        turned_behind_plain : cover (op.transposes && data_op && plain_q);
        padded_on_all_sides : cover (op.last && cmd_q.y_pad_0 != '0 && cmd_q.y_pad_1 != '0 && cmd_q.x_pad_0 != '0 &&
                                     cmd_q.x_pad_1 != '0 && cmd_q.x_size != '0 && cmd_q.y_size == 16'd1);
      end
    end
  end
endmodule
