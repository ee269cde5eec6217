// The writing side of a read DMA: walks the rows of each transfer and does one operation a cycle, a padding element or
// the data elements that are there.
//
// A transfer that writes nothing has one empty operation. Transfers follow each other without a gap.
module vta_dma_writer (
  // Clock; synchronous reset; clear_i before a launch; halt_i: do nothing.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  input  logic halt_i,

  // The oldest transfer that has been started and not taken here.
  input  logic              cmd_valid_i,
  input  vta_pkg::mem_cmd_t cmd_i,
  output logic              cmd_pop_o,

  // Elements from the bus: elem_count_i are there, all of one row. ACC takes one a cycle, the others take all.
  input  logic                               elem_valid_i,
  input  logic [vta_pkg::LaneCountWidth-1:0] elem_count_i,
  output logic                               elem_consume_o,
  output logic                               elem_consume_all_o,

  // The operation of this cycle.
  output logic                               op_o,       // there is one
  output logic                               we_o,       // it writes
  output logic                               pad_o,      // padding, not data
  output logic                               pad_min_o,  // padding is the least value, not zero
  output vta_pkg::mem_type_e                 type_o,
  output logic [15:0]                        addr_o,     // first element in the scratchpad
  output logic [vta_pkg::LaneCountWidth-1:0] count_o,    // elements
  output logic                               last_o,     // the last operation of its transfer
  output logic [vta_pkg::NumberWidth-1:0]    number_o    // of its transfer
);

  typedef enum logic [2:0] {
    Top,      // y_pad_0 rows
    Before,   // x_pad_0 elements of a data row
    Data,     // x_size elements
    After,    // x_pad_1 elements
    Bottom,   // y_pad_1 rows
    Nothing   // no element at all
  } phase_e;

  logic active_q;
  phase_e phase_q;
  logic [16:0] left_q;  // elements left in the phase, this one included
  logic [15:0] rows_q;  // rows left in the region of the phase, this one included
  logic [15:0] addr_q;
  vta_pkg::mem_cmd_t cmd_q;

  // The phase that follows: within the row, else the next row, else the next region that has rows.
  logic phase_end;
  logic last;
  phase_e next_phase;
  logic [15:0] next_rows;

  // Elements of a phase. Yosys resolves no members of a function's arguments, so these are plain vectors.
  function automatic logic [16:0] length_of(logic [2:0] phase, logic [15:0] x_size, logic [3:0] x_pad_0,
                                            logic [3:0] x_pad_1);
    unique case (phase)
      Before: length_of = 17'(x_pad_0);
      Data: length_of = 17'(x_size);
      After: length_of = 17'(x_pad_1);
      Nothing: length_of = 17'd1;
      default: length_of = 17'(x_size) + 17'(x_pad_0) + 17'(x_pad_1);
    endcase
  endfunction

  phase_e row_begin;  // of a row of data of the current transfer
  assign row_begin = cmd_q.x_pad_0 != '0 ? Before : Data;

  // Where the next transfer begins.
  phase_e first_phase;
  logic [15:0] first_rows;

  always_comb begin
    first_phase = Nothing;
    first_rows = 16'd1;
    if (cmd_i.x_size != '0) begin
      if (cmd_i.y_pad_0 != '0) begin
        first_phase = Top;
        first_rows = 16'(cmd_i.y_pad_0);
      end else if (cmd_i.y_size != '0) begin
        first_phase = cmd_i.x_pad_0 != '0 ? Before : Data;
        first_rows = cmd_i.y_size;
      end else if (cmd_i.y_pad_1 != '0) begin
        first_phase = Bottom;
        first_rows = 16'(cmd_i.y_pad_1);
      end
    end
  end

  logic take_all;
  assign take_all = cmd_q.memory_type != vta_pkg::MemTypeAcc && cmd_q.memory_type != vta_pkg::MemTypeAcc8;
  assign count_o = (phase_q == Data && take_all) ? elem_count_i : vta_pkg::LaneCountWidth'(1);
  assign phase_end = left_q == 17'(count_o);

  always_comb begin
    last = 1'b0;
    next_phase = phase_q;
    next_rows = rows_q;
    if (phase_q == Before) begin
      next_phase = Data;
    end else if (phase_q == Data && cmd_q.x_pad_1 != '0) begin
      next_phase = After;
    end else if (rows_q != 16'd1) begin
      next_rows = rows_q - 1'b1;
      if (phase_q == Data || phase_q == After) next_phase = row_begin;
    end else if (phase_q == Top && cmd_q.y_size != '0) begin
      next_phase = row_begin;
      next_rows = cmd_q.y_size;
    end else if (phase_q != Bottom && phase_q != Nothing && cmd_q.y_pad_1 != '0) begin
      next_phase = Bottom;
      next_rows = 16'(cmd_q.y_pad_1);
    end else begin
      last = 1'b1;
    end
  end

  logic op;
  assign op = active_q && !halt_i && (phase_q != Data || elem_valid_i);
  assign elem_consume_o = op && phase_q == Data;
  assign elem_consume_all_o = take_all;
  assign op_o = op;
  assign we_o = op && phase_q != Nothing;
  assign pad_o = phase_q != Data;
  assign pad_min_o = cmd_q.pad_min;
  assign type_o = cmd_q.memory_type;
  assign addr_o = addr_q;
  assign last_o = op && phase_end && last;
  assign number_o = cmd_q.number;
  assign cmd_pop_o = cmd_valid_i && (!active_q || last_o);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      active_q <= 1'b0;
    end else if (cmd_pop_o) begin
      active_q <= 1'b1;
    end else if (last_o) begin
      active_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cmd_pop_o) begin
      cmd_q <= cmd_i;
      phase_q <= first_phase;
      left_q <= length_of(first_phase, cmd_i.x_size, cmd_i.x_pad_0, cmd_i.x_pad_1);
      rows_q <= first_rows;
      addr_q <= cmd_i.sram_base;
    end else if (op) begin
      addr_q <= addr_q + 16'(count_o);
      left_q <= left_q - 17'(count_o);
      if (phase_end) begin
        phase_q <= next_phase;
        left_q <= length_of(next_phase, cmd_q.x_size, cmd_q.x_pad_0, cmd_q.x_pad_1);
        rows_q <= next_rows;
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, cmd_q};

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      elements_within_row : assert (!elem_consume_o || 17'(count_o) <= left_q);
    end
  end

endmodule
