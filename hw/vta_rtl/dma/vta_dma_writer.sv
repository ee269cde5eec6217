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

  // Elements from the bus: elem_count_i are there, one if elem_only_i; the last of them is the last of its row. ACC takes
  // one a cycle, the others take all.
  input  logic                               elem_valid_i,
  input  logic                               elem_only_i,
  input  logic                               elem_row_end_i,
  input  logic [vta_pkg::LaneCountWidth-1:0] elem_count_i,
  output logic                               elem_consume_o,      // it takes them, if there are any
  output logic                               elem_consume_all_o,

  // The operation of this cycle.
  output logic                               op_o,       // there is one
  output logic                               we_o,       // it writes
  output logic                               pad_o,      // padding, not data
  output logic                               pad_min_o,  // padding is the least value, not zero
  output logic                               transposes_o,  // elements of data are transposed
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
  logic idle_q;  // its opposite, for the enables of wide registers: so these share no net with cmd_pop_o
  phase_e phase_q;
  logic data_q;  // it is Data, and there is a transfer
  logic pad_q;   // it is another one; a register of its own, because all bits of the elements depend on it
  logic transposes_q;    // elements are transposed; a register of its own for the same reason
  logic take_all_q;      // data comes with all elements of a beat in a cycle
  logic [16:0] left_q;   // padding elements left in the phase, this one included
  logic pad_last_q;      // that is one
  logic [15:0] rows_q;   // rows left in the region of the phase, this one included
  logic row_last_q;      // that is one
  logic [15:0] addr_q;
  vta_pkg::mem_cmd_t cmd_q;
  logic [16:0] width, width_q;  // elements of a row with its padding
  // It has rows, and padding behind the data of a row and behind the rows.
  logic has_rows_q;
  logic has_after_q;
  logic has_bottom_q;
  logic writes_q;  // there is a transfer, and it has elements

  assign width = 17'(cmd_i.x_size) + 17'(cmd_i.x_pad_0) + 17'(cmd_i.x_pad_1);

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

  // Padding elements of a phase, none for Data, and whether that is one. Yosys resolves no members of a function's
  // arguments, so these are plain vectors.
  function automatic logic [16:0] length_of(logic [2:0] phase, logic [16:0] row_width, logic [3:0] x_pad_0,
                                            logic [3:0] x_pad_1);
    unique case (phase)
      Before: length_of = 17'(x_pad_0);
      After: length_of = 17'(x_pad_1);
      Nothing: length_of = 17'd1;
      default: length_of = row_width;
    endcase
  endfunction

  function automatic logic is_one(logic [2:0] phase, logic [15:0] x_size, logic [3:0] x_pad_0, logic [3:0] x_pad_1);
    unique case (phase)
      Before: is_one = x_pad_0 == 4'd1;
      After: is_one = x_pad_1 == 4'd1;
      Nothing: is_one = 1'b1;
      default: is_one = x_size == 16'd1 && x_pad_0 == '0 && x_pad_1 == '0;
    endcase
  endfunction

  // The phase that follows: within the row, else the next row, else the next region that has rows.
  logic step;
  logic phase_end;
  logic last;
  logic ends;  // the transfer
  logic take;  // the next transfer, if there is one; opens is the same
  logic opens;
  phase_e next_phase;
  logic next_row;     // it is another row of the region
  logic next_region;  // it is in another region
  phase_e row_begin;  // of a row of data

  assign row_begin = cmd_q.x_pad_0 != '0 ? Before : Data;
  assign phase_end = data_q ? elem_row_end_i && (take_all_q || elem_only_i) : pad_last_q;

  always_comb begin
    last = 1'b0;
    next_phase = phase_q;
    next_row = 1'b0;
    next_region = 1'b0;
    if (phase_q == Before) begin
      next_phase = Data;
    end else if (phase_q == Data && has_after_q) begin
      next_phase = After;
    end else if (!row_last_q) begin
      next_row = 1'b1;
      if (phase_q == Data || phase_q == After) next_phase = row_begin;
    end else if (phase_q == Top && has_rows_q) begin
      next_phase = row_begin;
      next_region = 1'b1;
    end else if (phase_q != Bottom && phase_q != Nothing && has_bottom_q) begin
      next_phase = Bottom;
      next_region = 1'b1;
    end else begin
      last = 1'b1;
    end
  end

  // A halted writer may walk on, until the next clear: nobody sees it.
  assign step = active_q && (!data_q || elem_valid_i);
  assign ends = step && phase_end && last;
  assign take = !active_q || ends;
  assign opens = idle_q || ((!data_q || elem_valid_i) && phase_end && last);
  assign count_o = (data_q && take_all_q) ? elem_count_i : vta_pkg::LaneCountWidth'(1);
  assign elem_consume_o = data_q;
  assign elem_consume_all_o = take_all_q;
  assign op_o = step && !halt_i;
  assign we_o = writes_q && (!data_q || elem_valid_i) && !halt_i;
  assign pad_o = pad_q;
  assign pad_min_o = cmd_q.pad_min;
  assign transposes_o = transposes_q;
  assign type_o = cmd_q.memory_type;
  assign addr_o = addr_q;
  assign last_o = ends && !halt_i;
  assign number_o = cmd_q.number;
  assign cmd_pop_o = cmd_valid_i && take;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      active_q <= 1'b0;
      idle_q <= 1'b1;
      writes_q <= 1'b0;
      data_q <= 1'b0;
    end else if (cmd_pop_o) begin
      active_q <= 1'b1;
      idle_q <= 1'b0;
      writes_q <= first_phase != Nothing;
      data_q <= first_phase == Data;
    end else if (ends) begin
      active_q <= 1'b0;
      idle_q <= 1'b1;
      writes_q <= 1'b0;
      data_q <= 1'b0;
    end else if (step && phase_end) begin
      data_q <= next_phase == Data;
    end
  end

  always_ff @(posedge clk_i) begin
    if (opens) begin
      cmd_q <= cmd_i;
      width_q <= width;
      has_rows_q <= cmd_i.y_size != '0;
      has_after_q <= cmd_i.x_pad_1 != '0;
      has_bottom_q <= cmd_i.y_pad_1 != '0;
      transposes_q <= vta_pkg::ExtTranspose && cmd_i.memory_type == vta_pkg::MemTypeWgtTransposed;
      take_all_q <= cmd_i.memory_type != vta_pkg::MemTypeAcc && cmd_i.memory_type != vta_pkg::MemTypeAcc8;
    end
    // The place in the transfer. The next one is taken at the end of the last phase: what is taken is known before whether
    // the phase ends.
    if (idle_q || !data_q || elem_valid_i) begin
      addr_q <= addr_q + 16'(count_o);
      left_q <= left_q - 1'b1;
      pad_last_q <= left_q == 17'd2;
      if (idle_q || phase_end) begin
        if (idle_q || last) begin
          phase_q <= first_phase;
          pad_q <= first_phase != Data;
          left_q <= length_of(first_phase, width, cmd_i.x_pad_0, cmd_i.x_pad_1);
          pad_last_q <= is_one(first_phase, cmd_i.x_size, cmd_i.x_pad_0, cmd_i.x_pad_1);
          rows_q <= first_rows;
          row_last_q <= first_rows == 16'd1;
          addr_q <= cmd_i.sram_base;
        end else begin
          phase_q <= next_phase;
          pad_q <= next_phase != Data;
          left_q <= length_of(next_phase, width_q, cmd_q.x_pad_0, cmd_q.x_pad_1);
          pad_last_q <= is_one(next_phase, cmd_q.x_size, cmd_q.x_pad_0, cmd_q.x_pad_1);
          if (next_row) begin
            rows_q <= rows_q - 1'b1;
            row_last_q <= rows_q == 16'd2;
          end else if (next_region) begin
            rows_q <= next_phase == Bottom ? 16'(cmd_q.y_pad_1) : cmd_q.y_size;
            row_last_q <= next_phase == Bottom ? cmd_q.y_pad_1 == 4'd1 : cmd_q.y_size == 16'd1;
          end
        end
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, cmd_q};

  // For the check that rows end when their elements have come.
  logic [16:0] elems_q;

  always_ff @(posedge clk_i) begin
    if (op_o && data_q) elems_q <= phase_end ? '0 : elems_q + 17'(count_o);
    if (!rst_ni || clear_i) elems_q <= '0;
    if (rst_ni && !clear_i) begin
      opposites : assert (idle_q == !active_q && opens == take);
      order_of_its_transfer : assert (!op_o || transposes_o == (vta_pkg::ExtTranspose &&
                                                               type_o == vta_pkg::MemTypeWgtTransposed));
      row_of_its_length : assert (!(op_o && data_q) || phase_end == (elems_q + 17'(count_o) == 17'(cmd_q.x_size)));
    end
  end

endmodule
