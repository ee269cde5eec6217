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

  // The operation of this cycle. And, there or not, whether elements of data are those of OUT: from a register, and apart,
  // because it decides which elements there are, and so the operation.
  output vta_pkg::dma_op_t                   op_o,
  output logic                               on_chip_o
);

  // The place in a transfer, and what follows it: all as registers, so that the next place is few gates away.
  typedef struct packed {
    // The phase, where the next place depends on it. Others: x_size elements of data, x_pad_1 elements behind these, and
    // no element at all.
    logic top;     // y_pad_0 rows
    logic lead;    // x_pad_0 elements of a data row
    logic bottom;  // y_pad_1 rows
    // What follows.
    logic to_trail;  // it is data, and x_pad_1 elements follow
    logic row_end;   // a row of data ends with it
    logic to_rows;   // it is above, and rows of data follow
    logic ending;    // a row ends with it, and no region follows
  } place_t;

  logic active_q;  // there is a transfer
  place_t place_q;
  logic data_q;  // it is data, and there is a transfer
  logic pad_q;   // it is another one; a register of its own, because all bits of the elements depend on it
  logic transposes_q;    // elements are transposed; a register of its own for the same reason
  logic on_chip_q;       // they come from OUT; likewise
  logic take_all_q;      // data comes with all elements of a beat in a cycle
  logic [16:0] left_q;   // padding elements left in the phase, this one included; anything for data
  logic pad_last_q;      // that is one; also set while there is no transfer
  logic turns_q;         // behind the phase there is another transfer, or none; also set while there is none
  logic [15:0] rows_q;   // rows left in the region of the phase, this one included
  logic row_last_q;      // that is one
  logic [15:0] addr_q;
  vta_pkg::mem_cmd_t cmd_q;
  logic [16:0] width, width_q;  // elements of a row with its padding
  // It has padding before and behind the data of a row, and behind the rows.
  logic has_lead_q;
  logic has_trail_q;
  logic has_bottom_q;
  // Each of these is one: elements of a row with its padding, before its data and behind it; rows of data, and behind them.
  logic one_wide;
  logic one_wide_q;
  logic one_lead_q;
  logic one_trail_q;
  logic one_row_q;
  logic one_bottom_q;
  // There is a transfer, and it has elements; these are micro-ops, or others. Registers of their own, because much
  // depends on what is written.
  logic writes, writes_q, writes_uop_q, writes_elem_q;

  assign width = 17'(cmd_i.x_size) + 17'(cmd_i.x_pad_0) + 17'(cmd_i.x_pad_1);
  assign one_wide = cmd_i.x_size == 16'd1 && cmd_i.x_pad_0 == '0 && cmd_i.x_pad_1 == '0;

  // Where the next transfer begins.
  place_t first;
  logic first_data;     // with data
  logic first_in_rows;  // above there is nothing
  logic [15:0] first_rows;

  always_comb begin
    first = '0;
    first.ending = 1'b1;
    first_data = 1'b0;
    first_in_rows = cmd_i.y_pad_0 == '0 && cmd_i.y_size != '0;
    first_rows = 16'd1;
    if (cmd_i.x_size != '0) begin
      first.top = cmd_i.y_pad_0 != '0;
      first.lead = first_in_rows && cmd_i.x_pad_0 != '0;
      first_data = first_in_rows && cmd_i.x_pad_0 == '0;
      first.bottom = cmd_i.y_pad_0 == '0 && cmd_i.y_size == '0 && cmd_i.y_pad_1 != '0;
      first.to_trail = first_data && cmd_i.x_pad_1 != '0;
      first.row_end = first_data && cmd_i.x_pad_1 == '0;
      first.to_rows = first.top && cmd_i.y_size != '0;
      if (first.top) first.ending = cmd_i.y_size == '0 && cmd_i.y_pad_1 == '0;
      if (first_in_rows) first.ending = first.row_end && cmd_i.y_pad_1 == '0;
      if (first.top) first_rows = 16'(cmd_i.y_pad_0);
      if (first_in_rows) first_rows = cmd_i.y_size;
      if (first.bottom) first_rows = 16'(cmd_i.y_pad_1);
    end
  end

  // The place that follows: within the row, else in the next row, else in the next region that has rows.
  logic step;
  logic phase_end;
  logic opens;  // the next transfer is taken, if there is one
  logic [vta_pkg::LaneCountWidth-1:0] count;  // elements of the operation
  place_t next;
  logic next_data;  // it is data
  logic next_row_last;
  logic to_row;  // it is at the begin of a row of data

  assign phase_end = data_q ? elem_row_end_i && (take_all_q || elem_only_i) : pad_last_q;
  assign to_row = place_q.row_end ? !row_last_q : place_q.to_rows && row_last_q;

  always_comb begin
    next.top = place_q.top && !row_last_q;
    next.lead = to_row && has_lead_q;
    next_data = place_q.lead || (to_row && !has_lead_q);
    next.bottom = place_q.bottom || (row_last_q && (place_q.row_end || (place_q.top && !place_q.to_rows)));
    next.to_trail = next_data && has_trail_q;
    next.row_end = place_q.to_trail || (next_data && !has_trail_q);
    next.to_rows = next.top && place_q.to_rows;
    next.ending = next.bottom || (!has_bottom_q && (next.row_end || (next.top && !place_q.to_rows)));
    next_row_last = row_last_q;
    if (place_q.top || place_q.bottom || place_q.row_end) begin
      next_row_last = rows_q == 16'd2;
      if (row_last_q) next_row_last = place_q.to_rows ? one_row_q : one_bottom_q;
    end
  end

  // A halted writer may walk on, until the next clear: nobody sees it.
  assign step = active_q && (!data_q || elem_valid_i);
  // Without a transfer all of these are so. It drives many enables, so there is one gate in it.
  assign opens = (!data_q || elem_valid_i) && phase_end && turns_q;
  assign count = (data_q && take_all_q) ? elem_count_i : vta_pkg::LaneCountWidth'(1);
  assign elem_consume_o = data_q;
  assign elem_consume_all_o = take_all_q;
  assign op_o.count = count;
  assign op_o.valid = step && !halt_i;
  assign writes = cmd_valid_i && (first.top || first.lead || first_data || first.bottom);
  assign op_o.we = writes_q && (!data_q || elem_valid_i) && !halt_i;
  assign op_o.uop_we = writes_uop_q && (!data_q || elem_valid_i) && !halt_i;
  assign op_o.elem_we = writes_elem_q && (!data_q || elem_valid_i) && !halt_i;
  assign op_o.pad = pad_q;
  assign op_o.pad_min = cmd_q.pad_min;
  assign op_o.transposes = transposes_q;
  assign on_chip_o = on_chip_q;
  assign op_o.memory_type = cmd_q.memory_type;
  assign op_o.addr = addr_q;
  assign op_o.last = active_q && opens && !halt_i;
  assign op_o.number = cmd_q.number;
  assign cmd_pop_o = cmd_valid_i && opens;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      active_q <= 1'b0;
      writes_q <= 1'b0;
      writes_uop_q <= 1'b0;
      writes_elem_q <= 1'b0;
      data_q <= 1'b0;
    end else if (opens) begin
      active_q <= cmd_valid_i;
      writes_q <= writes;
      writes_uop_q <= writes && cmd_i.memory_type == vta_pkg::MemTypeUop;
      writes_elem_q <= writes && cmd_i.memory_type != vta_pkg::MemTypeUop;
      data_q <= cmd_valid_i && first_data;
    end else if (step && phase_end) begin
      data_q <= next_data;
    end
  end

  always_ff @(posedge clk_i) begin
    if (opens) begin
      cmd_q <= cmd_i;
      width_q <= width;
      one_wide_q <= one_wide;
      has_lead_q <= cmd_i.x_pad_0 != '0;
      has_trail_q <= cmd_i.x_pad_1 != '0;
      has_bottom_q <= cmd_i.y_pad_1 != '0;
      one_lead_q <= cmd_i.x_pad_0 == 4'd1;
      one_trail_q <= cmd_i.x_pad_1 == 4'd1;
      one_row_q <= cmd_i.y_size == 16'd1;
      one_bottom_q <= cmd_i.y_pad_1 == 4'd1;
      transposes_q <= vta_pkg::ExtTranspose && cmd_i.memory_type == vta_pkg::MemTypeWgtTransposed;
      on_chip_q <= vta_pkg::ExtHandover && cmd_i.memory_type == vta_pkg::MemTypeInpFromOut;
      take_all_q <= cmd_i.memory_type != vta_pkg::MemTypeAcc && cmd_i.memory_type != vta_pkg::MemTypeAcc8;
    end
    // The place in the transfer. The next one is taken at the end of the last phase: what is taken is known before whether
    // the phase ends.
    if (!data_q || elem_valid_i) begin
      addr_q <= addr_q + 16'(count);
      left_q <= left_q - 1'b1;
      pad_last_q <= left_q == 17'd2;
      if (phase_end) begin
        if (turns_q) begin
          place_q <= first;
          pad_q <= !first_data;
          left_q <= first_in_rows ? 17'(cmd_i.x_pad_0) : width;
          pad_last_q <= first_in_rows ? cmd_i.x_pad_0 == 4'd1 : one_wide;
          if (!first.top && !first.lead && !first.bottom || !cmd_valid_i) pad_last_q <= 1'b1;
          turns_q <= (first.ending && first_rows == 16'd1) || !cmd_valid_i;
          rows_q <= first_rows;
          row_last_q <= first_rows == 16'd1;
          addr_q <= cmd_i.sram_base;
        end else begin
          place_q <= next;
          pad_q <= !next_data;
          left_q <= place_q.to_trail ? 17'(cmd_q.x_pad_1) : to_row ? 17'(cmd_q.x_pad_0) : width_q;
          pad_last_q <= place_q.to_trail ? one_trail_q : to_row ? one_lead_q : one_wide_q;
          turns_q <= next.ending && next_row_last;
          row_last_q <= next_row_last;
          if (place_q.top || place_q.bottom || place_q.row_end) begin
            rows_q <= rows_q - 1'b1;
            if (row_last_q) rows_q <= place_q.to_rows ? cmd_q.y_size : 16'(cmd_q.y_pad_1);
          end
        end
      end
    end
    if (!rst_ni || clear_i) begin
      pad_last_q <= 1'b1;
      turns_q <= 1'b1;
    end
  end

  logic unused;
  assign unused = &{1'b0, cmd_q};

  // For the check that rows end when their elements have come.
  logic [16:0] elems_q;

  always_ff @(posedge clk_i) begin
    if (op_o.valid && data_q) elems_q <= phase_end ? '0 : elems_q + 17'(count);
    if (!rst_ni || clear_i) elems_q <= '0;
    if (rst_ni && !clear_i) begin
      open_without_a_transfer : assert (active_q || (opens && !data_q));
      writes_of_its_type : assert (!(op_o.uop_we && op_o.elem_we) && op_o.we == (op_o.uop_we || op_o.elem_we) &&
                                   (!op_o.uop_we || op_o.memory_type == vta_pkg::MemTypeUop));
      padding_or_data : assert (!active_q || pad_q == !data_q);
      writes_in_its_operation : assert (!op_o.we || op_o.valid);
      turns_at_the_end : assert (!active_q || turns_q == (place_q.ending && row_last_q));
      order_of_its_transfer : assert (!op_o.valid || op_o.transposes ==
                                      (vta_pkg::ExtTranspose && op_o.memory_type == vta_pkg::MemTypeWgtTransposed));
      row_of_its_length : assert (!(op_o.valid && data_q) || phase_end == (elems_q + 17'(count) == 17'(cmd_q.x_size)));
    end
  end

endmodule
