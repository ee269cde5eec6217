// A load from its transfer to the words that go to the scratchpad: any byte of memory is followed. Whenever an operation
// of the DMA has the element that it belongs to, the byte stands at its place in the element's lane, with the element's
// address; wherever the element lies in a beat, in a burst and in its row.
module formal_read_dma (
  input logic                              clk_i,
  input logic                              cmd_valid_i,
  input vta_pkg::mem_cmd_t                 cmd_i,
  input logic [vta_pkg::AxiAddrWidth-1:0]  base_i,
  input logic                              grant_i,
  input logic                              rvalid_i,
  input logic [vta_pkg::AxiDataWidth-1:0]  rdata_i
);
  localparam int unsigned LenWidth = vta_pkg::BurstLenWidth;
  localparam int unsigned LogBytes = vta_pkg::AxiLogBytes;
  localparam int unsigned LogElem = vta_pkg::InpLogElemBytes;  // smaller than a beat
  localparam int unsigned ElemBits = vta_pkg::InpElemBits;
  localparam int unsigned AddrWidth = vta_pkg::AxiAddrWidth;
  localparam int unsigned Lanes = vta_pkg::AxiBytes >> LogElem;

  logic rst_n_q = 1'b0;
  logic start, in_flight;
  vta_pkg::dma_op_t op;
  logic rlast;
  vta_pkg::burst_t burst;
  logic [AddrWidth-1:0] burst_addr;
  logic [vta_pkg::AxiDataWidth-1:0] data;
  logic grant;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;
  assign grant = grant_i && burst.valid;
  assign burst_addr = burst.addr;

  vta_read_dma #(
    .MaxElemBits(vta_pkg::AxiDataWidth),
    .HasNarrow(1'b1)
  ) dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .clear_i(1'b0),
    .halt_i(1'b0),
    .cmd_valid_i,
    .cmd_ready_o(),
    .cmd_i,
    .base_i,
    .log_elem_i(5'(LogElem)),
    .start_o(start),
    .fault_o(),
    .burst_o(burst),
    .grant_i(grant),
    .beat_i({rvalid_i, 1'b0, rlast, rdata_i}),
    .bus_busy_o(),
    .out_re_o(),
    .out_raddr_o(),
    .out_rdata_i('0),
    .op_o(op),
    .data_o(data),
    .on_chip_o(),
    .retire_i(op.last),
    .in_flight_o(in_flight)
  );

  // Memory: the byte that is followed, and its value. Bursts are answered in their order, the oldest first.
  (* anyconst *) logic [AddrWidth-1:0] place;
  (* anyconst *) logic [7:0] value;
  logic [1:0] bursts_q = '0;
  logic [AddrWidth-LogBytes-1:0] first_q, second_q;  // the next beat of the oldest one, and the first of the next one
  logic [LenWidth-1:0] first_left_q, second_left_q;  // beats to come
  logic ends;
  logic [1:0] left;

  assign rlast = first_left_q == LenWidth'(1);
  assign ends = rvalid_i && rlast;
  assign left = bursts_q - 2'(ends);

  always_ff @(posedge clk_i) begin
    bursts_q <= rst_n_q ? left + 2'(grant) : '0;
    if (ends) begin
      first_q <= second_q;
      first_left_q <= second_left_q;
    end else if (rvalid_i) begin
      first_q <= first_q + 1'b1;
      first_left_q <= first_left_q - 1'b1;
    end
    if (grant && left == '0) begin
      first_q <= burst_addr[AddrWidth-1:LogBytes];
      first_left_q <= burst.beats;
    end
    if (grant && left != '0) begin
      second_q <= burst_addr[AddrWidth-1:LogBytes];
      second_left_q <= burst.beats;
    end
  end

  // The transfer, one from reset; the element that is written next.
  logic started_q = 1'b0;
  vta_pkg::mem_cmd_t cmd_q;
  logic [AddrWidth-1:0] base_q;
  logic [15:0] row_q = '0;
  logic [15:0] column_q = '0;
  logic [15:0] width;
  logic [AddrWidth-1:0] row_place;  // of the first element of the row
  logic writes;
  assign writes = op.we && !op.pad;
  assign width = cmd_q.x_size + 16'(cmd_q.x_pad_0) + 16'(cmd_q.x_pad_1);
  assign row_place = base_q + ((AddrWidth'(cmd_q.dram_base) + AddrWidth'(row_q * cmd_q.x_stride)) << LogElem);

  always_ff @(posedge clk_i) begin
    if (rst_n_q && start) begin
      started_q <= 1'b1;
      cmd_q <= cmd_i;
      base_q <= base_i;
    end
    if (rst_n_q && writes) begin
      column_q <= column_q + 16'(op.count);
      if (column_q + 16'(op.count) == cmd_q.x_size) begin
        column_q <= '0;
        row_q <= row_q + 1'b1;
      end
    end
  end

  logic was_there_q = 1'b0;  // the byte has been written
  logic [Lanes-1:0] is_there;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [AddrWidth-1:0] its_place;
    assign its_place = row_place + ((AddrWidth'(column_q) + AddrWidth'(l)) << LogElem);
    assign is_there[l] = writes && l < 32'(op.count) && its_place[AddrWidth-1:LogElem] == place[AddrWidth-1:LogElem];
    always_comb begin
      if (rst_n_q && is_there[l]) assert (data[l*ElemBits+32'(place[LogElem-1:0])*8+:8] == value);
    end
  end

  always_ff @(posedge clk_i) was_there_q <= was_there_q || (rst_n_q && is_there != '0);

  always_comb begin
    assume (!cmd_valid_i || (rst_n_q && !started_q));
    assume (!rvalid_i || bursts_q != '0);
    if (rvalid_i && first_q == place[AddrWidth-1:LogBytes]) begin
      assume (rdata_i[32'(place[LogBytes-1:0])*8+:8] == value);
    end
    // Of INP, inside the memory, with rows and elements; bases as launches have them.
    assume (cmd_i.memory_type == vta_pkg::MemTypeInp && cmd_i.has_data && !cmd_i.past_end);
    assume (cmd_i.y_size != '0 && cmd_i.y_size <= 16'd2 && cmd_i.x_size != '0 && cmd_i.x_size <= 16'd3);
    assume (cmd_i.x_stride <= 16'd7 && cmd_i.dram_base <= 32'd7);
    assume (cmd_i.y_pad_0 == '0 && cmd_i.y_pad_1 == '0 && cmd_i.x_pad_0 <= 4'd1 && cmd_i.x_pad_1 == '0);
    assume (base_i[LogElem-1:0] == '0 && base_i <= AddrWidth'(13'h1fe0));
    if (rst_n_q) begin
      if (writes) begin
        assert (started_q && row_q < cmd_q.y_size && column_q + 16'(op.count) <= cmd_q.x_size);
        assert (op.addr == cmd_q.sram_base + row_q * width + 16'(cmd_q.x_pad_0) + column_q);
      end
      cover (is_there[0] && row_q == 16'd0);
      cover (is_there[Lanes-1] && column_q == 16'd1);
      cover (is_there != '0 && row_q == 16'd1 && was_there_q);
    end
  end

  logic unused;
  assign unused = in_flight;
endmodule
