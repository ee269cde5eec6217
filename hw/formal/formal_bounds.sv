// What is said of a LOAD or STORE on its way to its queue: whether it uses elements past the end of its scratchpad, of
// any depth, or a hand-over reads past the end of OUT, and whether it moves data; after three cycles, in order.
//
// Products are small ones, but for hand-overs of one column: their rows less one are a power of two, any one, and their
// stride is any.
module formal_bounds (
  input logic          clk_i,
  input logic          clear_i,
  input logic [2:0]    push_i,
  input vta_pkg::cmd_t cmd_i
);
  logic rst_n_q = 1'b0;
  logic [2:0] arrive;
  vta_pkg::cmd_t cmd;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_bounds dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i,
    .push_i,
    .cmd_i,
    .arrive_o(arrive),
    .cmd_o(cmd)
  );

  logic [7:0] x_size, columns;
  logic [15:0] y_size, more_rows;
  logic [16:0] rows;
  logic is_store;
  assign is_store = cmd_i.insn[vta_pkg::InsnOpcodeLsb+:3] == vta_pkg::OpcodeStore;
  assign x_size = cmd_i.insn[vta_pkg::MemXSizeLsb+:8];
  assign y_size = cmd_i.insn[vta_pkg::MemYSizeLsb+:16];
  assign more_rows = y_size - 1'b1;
  assign columns = x_size + (is_store ? 8'd0 : 8'(cmd_i.insn[vta_pkg::MemXPad0Lsb+:4]) +
                                               8'(cmd_i.insn[vta_pkg::MemXPad1Lsb+:4]));
  assign rows = 17'(y_size) + (is_store ? 17'd0 : 17'(cmd_i.insn[vta_pkg::MemYPad0Lsb+:4]) +
                                                  17'(cmd_i.insn[vta_pkg::MemYPad1Lsb+:4]));

  // A hand-over of one column without padding beside it, with 2^k + 1 rows.
  logic is_tall;
  logic [3:0] log_more_rows;
  always_comb begin
    log_more_rows = '0;
    for (int unsigned i = 0; i < 16; i++) begin
      if (more_rows[i]) log_more_rows = 4'(i);
    end
  end
  assign is_tall = cmd_i.insn[vta_pkg::MemMemoryTypeLsb+:3] == vta_pkg::MemTypeInpFromOut && !is_store &&
                   cmd_i.insn[vta_pkg::MemXSizeLsb+:16] == 16'd1 && columns == 8'd1 &&
                   more_rows == 16'd1 << log_more_rows;

  logic [17:0] depth, last;
  always_comb begin
    unique case (cmd_i.insn[vta_pkg::MemMemoryTypeLsb+:3])
      vta_pkg::MemTypeUop: depth = 18'(vta_pkg::UopDepth);
      vta_pkg::MemTypeInp, vta_pkg::MemTypeInpFromOut: depth = 18'(vta_pkg::InpDepth);
      vta_pkg::MemTypeWgt, vta_pkg::MemTypeWgtTransposed: depth = 18'(vta_pkg::WgtDepth);
      vta_pkg::MemTypeOut: depth = 18'(vta_pkg::OutDepth);
      default: depth = 18'(vta_pkg::AccDepth);
    endcase
  end
  assign last = 18'(cmd_i.insn[vta_pkg::MemSramBaseLsb+:16]) + (is_tall ? 18'(rows) : 18'(columns) * 18'(rows[6:0]));

  // Behind the last element of OUT that a hand-over reads.
  logic [34:0] source_end;
  logic past_source;
  assign source_end = 35'(cmd_i.insn[vta_pkg::MemDramBaseLsb+:32]) + 35'(x_size) +
                      (is_tall ? 35'(cmd_i.insn[vta_pkg::MemXStrideLsb+:16]) << log_more_rows
                               : 35'(cmd_i.insn[vta_pkg::MemXStrideLsb+:4]) * 35'(more_rows[3:0]));
  assign past_source = cmd_i.insn[vta_pkg::MemMemoryTypeLsb+:3] == vta_pkg::MemTypeInpFromOut && x_size != '0 &&
                       y_size != '0 && source_end > 35'(vta_pkg::OutDepth << vta_pkg::LogHandParts);

  // What has to arrive, three cycles later.
  logic [2:0] push1_q = '0, push2_q = '0, push3_q = '0;
  logic [2:0] past_q, data_q;
  logic [vta_pkg::NumberWidth-1:0] number1_q, number2_q, number3_q;

  always_ff @(posedge clk_i) begin
    push1_q <= push_i;
    push2_q <= push1_q;
    push3_q <= push2_q;
    if (!rst_n_q || clear_i) begin
      push1_q <= '0;
      push2_q <= '0;
      push3_q <= '0;
    end
    past_q <= {past_q[1:0], (x_size != '0 && last > depth) || past_source};
    data_q <= {data_q[1:0], x_size != '0 && y_size != '0};
    number1_q <= cmd_i.number;
    number2_q <= number1_q;
    number3_q <= number2_q;
  end

  always_comb begin
    assume (is_tall || (cmd_i.insn[vta_pkg::MemXSizeLsb+:16] < 16'd8 && y_size < 16'd8 &&
                        cmd_i.insn[vta_pkg::MemXStrideLsb+:16] < 16'd16));
    if (rst_n_q) begin
      arrives_after_three : assert (arrive == push3_q);
      if (arrive != '0) begin
        number_is_its_own : assert (cmd.number == number3_q);
        past_the_end : assert (cmd.past_end == past_q[2]);
        has_data : assert (cmd.has_data == data_q[2]);
      end
      cover (arrive != '0 && cmd.past_end);
      cover (arrive != '0 && !cmd.past_end && cmd.has_data);
    end
  end
endmodule
