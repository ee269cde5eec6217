// The control registers' AXI4-Lite side: one answer to each request, held until taken, to a write in the next cycle, to
// a read three later; and a launch only while none runs; a reset at any time, and never with a launch; an interrupt's bit is
// set by its event and stays until software clears it later.
module formal_regs (
  input logic            clk_i,
  input logic [11:0]     awaddr_i,
  input logic            awvalid_i,
  input logic [31:0]     wdata_i,
  input logic [3:0]      wstrb_i,
  input logic            wvalid_i,
  input logic            bready_i,
  input logic [11:0]     araddr_i,
  input logic            arvalid_i,
  input logic            rready_i,
  input logic            ready_i,
  input logic            running_i,
  input logic            draining_i,
  input logic            ended_i,
  input logic            done_i,
  input vta_pkg::fault_t fault_i,
  input logic [63:0]     counter_i
);
  logic rst_n_q = 1'b0;
  logic awready;
  logic wready;
  logic [1:0] bresp;
  logic bvalid;
  logic arready;
  logic [31:0] rdata;
  logic [1:0] rresp;
  logic rvalid;
  logic launch;
  logic reset;
  logic irq;
  (* hierconn *) wire [1:0] \dut.irq_status_q ;
  (* hierconn *) wire [2:0] \dut.reading_q ;

  always_ff @(posedge clk_i) rst_n_q <= 1'b1;

  vta_regs dut (
    .clk_i,
    .rst_ni(rst_n_q),
    .awaddr_i,
    .awvalid_i,
    .awready_o(awready),
    .wdata_i,
    .wstrb_i,
    .wvalid_i,
    .wready_o(wready),
    .bresp_o(bresp),
    .bvalid_o(bvalid),
    .bready_i,
    .araddr_i,
    .arvalid_i,
    .arready_o(arready),
    .rdata_o(rdata),
    .rresp_o(rresp),
    .rvalid_o(rvalid),
    .rready_i,
    .irq_o(irq),
    .launch_o(launch),
    .bad_launch_o(),
    .ready_i,
    .reset_o(reset),
    .running_i,
    .draining_i,
    .ended_i,
    .done_i,
    .fault_i,
    .insn_count_o(),
    .insn_addr_o(),
    .uop_base_o(),
    .inp_base_o(),
    .wgt_base_o(),
    .acc_base_o(),
    .out_base_o(),
    .counter_index_o(),
    .counter_i
  );

  logic write_due_q = 1'b0;  // an answer has to be there
  logic [3:0] read_due_q = '0;  // bit 0: in three cycles, bit 1: in two, bit 2: in one
  logic partial_q = 1'b0;    // the write had a strobe clear
  logic launched_q = 1'b0;
  logic resets_q = 1'b0;
  logic [1:0] irq_event_q = '0;  // of the cycle before: 0 the end of a launch, 1 its fault
  logic [1:0] irq_kept_q = '0;   // what was there and was not cleared
  logic past_q = 1'b0;
  logic [31:0] past_data_q = '0;

  always_ff @(posedge clk_i) begin
    write_due_q <= rst_n_q && ((awvalid_i && awready) || (bvalid && !bready_i));
    read_due_q <= rst_n_q ? {read_due_q[2] || (rvalid && !rready_i), read_due_q[1:0], arvalid_i && arready} : '0;
    if (awvalid_i && awready) partial_q <= wstrb_i != 4'hf;
    launched_q <= rst_n_q && awvalid_i && awready && wstrb_i == 4'hf && awaddr_i == vta_pkg::RegControl &&
                  wdata_i[0] && !wdata_i[2] && ready_i && !launch;
    resets_q <= rst_n_q && awvalid_i && awready && wstrb_i == 4'hf && awaddr_i == vta_pkg::RegControl && wdata_i[2];
    irq_event_q <= (rst_n_q && ended_i) ? {fault_i.valid, 1'b1} : '0;
    irq_kept_q <= rst_n_q ? \dut.irq_status_q : '0;
    if (rst_n_q && awvalid_i && awready && wstrb_i == 4'hf && awaddr_i == vta_pkg::RegIrqStatus) begin
      irq_kept_q <= \dut.irq_status_q & ~wdata_i[1:0];
    end
    past_q <= rst_n_q && rvalid && !rready_i;
    past_data_q <= rdata;
  end

  always_comb begin
    if (rst_n_q) begin
      assert ((awvalid_i && awready) == (wvalid_i && wready));  // address and data are taken together
      assert (bvalid == write_due_q);
      assert (rvalid == read_due_q[3] && \dut.reading_q == read_due_q[2:0]);
      assert ((read_due_q & (read_due_q - 4'd1)) == '0);
      if (bvalid) assert (!awready && bresp == (partial_q ? 2'b10 : 2'b00));
      if (rvalid) assert (!arready && rresp == 2'b00);
      if (past_q) assert (rdata == past_data_q);
      assert (launch == launched_q);
      assert (reset == resets_q && !(launch && reset));
      assert (\dut.irq_status_q == (irq_kept_q | irq_event_q));
      // Nothing waits for ever.
      if (awvalid_i && wvalid_i && !bvalid) assert (awready);
      if (arvalid_i && read_due_q == '0) assert (arready);
      cover (launch);
      cover (reset && running_i);
    end
  end
endmodule
