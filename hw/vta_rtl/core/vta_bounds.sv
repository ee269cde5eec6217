// Says of every LOAD and STORE on its way to a command queue whether it moves data, and whether it uses elements past
// the end of its scratchpad.
//
// All instructions pass in order with the same delay: what is pushed in cycle t arrives in t+3. A unit then has the
// answer when the instruction is at its queue's head.
module vta_bounds (
  // Clock; synchronous reset; clear_i forgets what is on its way.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  // From fetch: into which queue the instruction goes, if any. What is said here is not read there.
  input  logic [2:0]    push_i,
  input  vta_pkg::cmd_t cmd_i,
  // To the queues.
  output logic [2:0]    arrive_o,
  output vta_pkg::cmd_t cmd_o
);

  localparam int unsigned EndWidth = 35;

  // Elements of a row, and rows. The padding fields of STORE mean nothing.
  logic is_store;
  logic [16:0] columns, rows;
  logic [15:0] x_size;

  assign is_store = cmd_i.insn[vta_pkg::InsnOpcodeLsb+:3] == vta_pkg::OpcodeStore;
  assign x_size = cmd_i.insn[vta_pkg::MemXSizeLsb+:16];
  assign columns = 17'(x_size) + (is_store ? 17'd0 : 17'(cmd_i.insn[vta_pkg::MemXPad0Lsb+:4]) +
                                                     17'(cmd_i.insn[vta_pkg::MemXPad1Lsb+:4]));
  assign rows = 17'(cmd_i.insn[vta_pkg::MemYSizeLsb+:16]) +
                (is_store ? 17'd0 : 17'(cmd_i.insn[vta_pkg::MemYPad0Lsb+:4]) +
                                    17'(cmd_i.insn[vta_pkg::MemYPad1Lsb+:4]));

  // The stages: sums; their product; the element behind the last.
  logic [2:0] push1_q, push2_q, push3_q;
  vta_pkg::cmd_t cmd1_q, cmd2_q, cmd3_q;
  logic any1_q, any2_q, any3_q;     // rows have elements
  logic data1_q, data2_q, data3_q;  // and there are rows
  logic [16:0] columns_q, rows_q;
  logic [33:0] elems_q;
  logic [EndWidth-1:0] end_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      push1_q <= '0;
      push2_q <= '0;
      push3_q <= '0;
    end else begin
      push1_q <= push_i;
      push2_q <= push1_q;
      push3_q <= push2_q;
    end
  end

  always_ff @(posedge clk_i) begin
    cmd1_q <= cmd_i;
    any1_q <= x_size != '0;
    data1_q <= x_size != '0 && cmd_i.insn[vta_pkg::MemYSizeLsb+:16] != '0;
    columns_q <= columns;
    rows_q <= rows;

    cmd2_q <= cmd1_q;
    any2_q <= any1_q;
    data2_q <= data1_q;
    elems_q <= columns_q * rows_q;

    cmd3_q <= cmd2_q;
    any3_q <= any2_q;
    data3_q <= data2_q;
    end_q <= EndWidth'(cmd2_q.insn[vta_pkg::MemSramBaseLsb+:16]) + EndWidth'(elems_q);
  end

  // Whether the end is past each depth. Of a power of two: a bit above it, or its bit and one below.
  localparam int unsigned Kinds = 5;
  localparam int unsigned DepthWidth = 17;
  localparam logic [Kinds*DepthWidth-1:0] Depths = {
      DepthWidth'(vta_pkg::AccDepth), DepthWidth'(vta_pkg::OutDepth), DepthWidth'(vta_pkg::InpDepth),
      DepthWidth'(vta_pkg::WgtDepth), DepthWidth'(vta_pkg::UopDepth)};
  logic [Kinds-1:0] past;

  for (genvar i = 0; i < Kinds; i++) begin : gen_kind
    localparam int unsigned Depth = 32'(Depths[i*DepthWidth+:DepthWidth]);
    localparam int unsigned LogDepth = $clog2(Depth);
    logic past_low;
    if (Depth == 1 << LogDepth) begin : gen_power
      assign past_low = end_q[LogDepth] && end_q[LogDepth-1:0] != '0;
    end else begin : gen_other
      assign past_low = end_q[LogDepth:0] > (LogDepth + 1)'(Depth);
    end
    assign past[i] = end_q[EndWidth-1:LogDepth+1] != '0 || past_low;
  end

  logic past_end;

  always_comb begin
    unique case (cmd3_q.insn[vta_pkg::MemMemoryTypeLsb+:3])
      vta_pkg::MemTypeUop: past_end = past[0];
      vta_pkg::MemTypeWgt, vta_pkg::MemTypeWgtTransposed: past_end = past[1];
      vta_pkg::MemTypeInp, vta_pkg::MemTypeInpFromOut: past_end = past[2];
      vta_pkg::MemTypeOut: past_end = past[3];
      default: past_end = past[4];
    endcase
  end

  // A hand-over reads OUT as elements of INP, in rows with a stride. The one behind the last, in the same stages.
  localparam int unsigned HandDepth = vta_pkg::OutDepth << vta_pkg::LogHandParts;
  logic past_source;
  if (vta_pkg::ExtHandover) begin : gen_handover
    logic [15:0] more_rows_q, stride_q;
    logic [33:0] row_end_q, row_end2_q;
    logic [31:0] rows_before_q;
    logic [34:0] source_end_q;

    always_ff @(posedge clk_i) begin
      more_rows_q <= cmd_i.insn[vta_pkg::MemYSizeLsb+:16] - 1'b1;
      stride_q <= cmd_i.insn[vta_pkg::MemXStrideLsb+:16];
      row_end_q <= 34'(cmd_i.insn[vta_pkg::MemDramBaseLsb+:32]) + 34'(x_size);
      rows_before_q <= more_rows_q * stride_q;
      row_end2_q <= row_end_q;
      source_end_q <= 35'(row_end2_q) + 35'(rows_before_q);
    end
    assign past_source = data3_q && cmd3_q.insn[vta_pkg::MemMemoryTypeLsb+:3] == vta_pkg::MemTypeInpFromOut &&
                         source_end_q > 35'(HandDepth);
  end else begin : gen_no_handover
    assign past_source = 1'b0;
  end

  assign arrive_o = push3_q;
  assign cmd_o.past_end = (any3_q && past_end) || past_source;
  assign cmd_o.has_data = data3_q;
  assign cmd_o.number = cmd3_q.number;
  assign cmd_o.insn = cmd3_q.insn;

  logic unused;
  assign unused = &{1'b0, cmd_i.past_end, cmd_i.has_data, cmd1_q, cmd2_q, cmd3_q};

endmodule
