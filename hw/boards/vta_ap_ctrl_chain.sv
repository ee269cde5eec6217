// The core as a kernel that XRT starts and waits for (xrt::kernel, xrt::run): control registers as ap_ctrl_chain has
// them, with the interrupt, and the launch's parameters as arguments from 0x10. Sits between XRT's AXI4-Lite port and
// the core's.
//
//   0x000  control     0 ap_start   1 ap_done   2 ap_idle   3 ap_ready   4 ap_continue
//   0x004  gier        0 interrupts are on
//   0x008  ip_ier      0 ap_done   1 ap_ready
//   0x00C  ip_isr      0 ap_done   1 ap_ready; writing ones toggles
//   0x010  insn   0x018 uop   0x020 inp   0x028 wgt   0x030 acc   0x038 out     64 bits, low word first
//   0x040  insn_count
//   0x400  the core's registers from 0x000 to 0x3FC (docs/isa.md), which can only be read
//
// ap_start enables and clears the core's interrupt and launches; the core's interrupt is the end. ap_start stays set
// until the end. ap_done and ap_ready are set with the end: ap_done until ap_continue is written, ap_ready until control
// is read. A start while ap_done is set waits for ap_continue. A launch that faults ends like any other; the core's
// registers tell. Other addresses read as 0 and ignore writes. A write of a part of a word is answered with SLVERR.
//
// One write and one read at a time. An access that the core serves takes two cycles more than the core.
module vta_ap_ctrl_chain (
  // Clock; synchronous reset.
  input  logic        clk_i,
  input  logic        rst_ni,
  // To XRT.
  output logic        irq_o,
  input  logic [11:0] s_axil_awaddr_i,
  input  logic        s_axil_awvalid_i,
  output logic        s_axil_awready_o,
  input  logic [31:0] s_axil_wdata_i,
  input  logic [ 3:0] s_axil_wstrb_i,
  input  logic        s_axil_wvalid_i,
  output logic        s_axil_wready_o,
  output logic [ 1:0] s_axil_bresp_o,
  output logic        s_axil_bvalid_o,
  input  logic        s_axil_bready_i,
  input  logic [11:0] s_axil_araddr_i,
  input  logic        s_axil_arvalid_i,
  output logic        s_axil_arready_o,
  output logic [31:0] s_axil_rdata_o,
  output logic [ 1:0] s_axil_rresp_o,
  output logic        s_axil_rvalid_o,
  input  logic        s_axil_rready_i,
  // To the core, which takes write address and data together.
  input  logic        irq_i,
  output logic [11:0] m_axil_awaddr_o,
  output logic        m_axil_awvalid_o,
  input  logic        m_axil_awready_i,
  output logic [31:0] m_axil_wdata_o,
  output logic [ 3:0] m_axil_wstrb_o,
  output logic        m_axil_wvalid_o,
  input  logic        m_axil_wready_i,
  input  logic [ 1:0] m_axil_bresp_i,
  input  logic        m_axil_bvalid_i,
  output logic        m_axil_bready_o,
  output logic [11:0] m_axil_araddr_o,
  output logic        m_axil_arvalid_o,
  input  logic        m_axil_arready_i,
  input  logic [31:0] m_axil_rdata_i,
  input  logic [ 1:0] m_axil_rresp_i,
  input  logic        m_axil_rvalid_i,
  output logic        m_axil_rready_o
);

  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  localparam logic [11:0] Control = 12'h000;
  localparam logic [11:0] Gier = 12'h004;
  localparam logic [11:0] IpIer = 12'h008;
  localparam logic [11:0] IpIsr = 12'h00c;
  localparam logic [11:0] FirstArgument = 12'h010;
  localparam logic [11:0] InsnCount = 12'h040;
  localparam logic [11:0] Window = 12'h400;
  localparam logic [11:0] WindowEnd = 12'h800;

  // The register of the core behind an argument.
  function automatic logic [11:0] argument_register(logic [11:0] addr);
    logic [11:0] word;  // the number of the argument times 4: both groups of registers have a word for each
    word = {7'd0, 3'(addr[5:3] - FirstArgument[5:3]), 2'd0};
    argument_register = addr[2] ? vta_pkg::RegInsnAddrHi + word : vta_pkg::RegInsnAddr + word;
    if (addr == InsnCount) argument_register = vta_pkg::RegInsnCount;
  endfunction

  function automatic logic is_argument(logic [11:0] addr);
    is_argument = addr >= FirstArgument && addr <= InsnCount;
  endfunction

  function automatic logic is_window(logic [11:0] addr);
    is_window = addr >= Window && addr < WindowEnd;
  endfunction

  // Launches: three writes to the core, then its interrupt.
  typedef enum logic [2:0] {
    LaunchIdle,
    LaunchEnable,  // irq_enable
    LaunchClear,   // irq_status
    LaunchStart,   // control
    LaunchRun
  } launch_e;
  launch_e launch_q;
  logic launch_writes;   // a write is due
  logic launch_written;  // it is answered
  logic [11:0] launch_addr;
  logic [31:0] launch_data;
  logic ends;  // the launch ends in this cycle

  logic start_q;
  logic done_q;
  logic ready_q;
  logic gier_q;
  logic [1:0] ier_q;  // ready, done
  logic [1:0] isr_q;

  assign launch_writes = launch_q == LaunchEnable || launch_q == LaunchClear || launch_q == LaunchStart;
  assign ends = launch_q == LaunchRun && irq_i;

  always_comb begin
    unique case (launch_q)
      LaunchEnable: launch_addr = vta_pkg::RegIrqEnable;
      LaunchClear: launch_addr = vta_pkg::RegIrqStatus;
      default: launch_addr = vta_pkg::RegControl;
    endcase
    launch_data = '0;
    if (launch_q == LaunchStart) begin
      launch_data[vta_pkg::RegControlLaunchLsb] = 1'b1;
    end else begin
      launch_data[vta_pkg::RegIrqStatusDoneLsb] = 1'b1;
      launch_data[vta_pkg::RegIrqStatusFaultLsb] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      launch_q <= LaunchIdle;
    end else begin
      unique case (launch_q)
        LaunchIdle: if (start_q && !done_q) launch_q <= LaunchEnable;
        LaunchEnable: if (launch_written) launch_q <= LaunchClear;
        LaunchClear: if (launch_written) launch_q <= LaunchStart;
        LaunchStart: if (launch_written) launch_q <= LaunchRun;
        LaunchRun: if (irq_i) launch_q <= LaunchIdle;
        default: launch_q <= LaunchIdle;
      endcase
    end
  end

  // Writes: of XRT, or of a launch.
  typedef enum logic [1:0] {
    WriteIdle,
    WriteSend,    // to the core
    WriteAnswer,  // from the core
    WriteReply    // to XRT
  } write_e;
  write_e write_q;
  logic write_is_launch_q;
  logic [11:0] write_addr_q;
  logic [31:0] write_data_q;
  logic [3:0] write_strobes_q;
  logic [1:0] write_resp_q;
  logic take_write;  // of XRT
  logic own_write;   // a whole word
  logic control_write;

  assign take_write = write_q == WriteIdle && !launch_writes && s_axil_awvalid_i && s_axil_wvalid_i;
  assign own_write = take_write && s_axil_wstrb_i == 4'hf;
  assign control_write = own_write && s_axil_awaddr_i == Control;
  assign launch_written = write_q == WriteAnswer && write_is_launch_q && m_axil_bvalid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= WriteIdle;
    end else begin
      unique case (write_q)
        WriteIdle: begin
          if (launch_writes) write_q <= WriteSend;
          else if (take_write) write_q <= is_argument(s_axil_awaddr_i) ? WriteSend : WriteReply;
        end
        WriteSend: if (m_axil_awready_i && m_axil_wready_i) write_q <= WriteAnswer;
        WriteAnswer: if (m_axil_bvalid_i) write_q <= write_is_launch_q ? WriteIdle : WriteReply;
        WriteReply: if (s_axil_bready_i) write_q <= WriteIdle;
        default: write_q <= WriteIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_q == WriteIdle) begin
      write_is_launch_q <= launch_writes;
      write_addr_q <= launch_writes ? launch_addr : argument_register(s_axil_awaddr_i);
      write_data_q <= launch_writes ? launch_data : s_axil_wdata_i;
      write_strobes_q <= launch_writes ? 4'hf : s_axil_wstrb_i;
      write_resp_q <= s_axil_wstrb_i == 4'hf ? RespOkay : RespSlvErr;
    end else if (write_q == WriteAnswer) begin
      write_resp_q <= m_axil_bresp_i;
    end
  end

  assign s_axil_awready_o = take_write;
  assign s_axil_wready_o = take_write;
  assign s_axil_bvalid_o = write_q == WriteReply;
  assign s_axil_bresp_o = write_resp_q;
  assign m_axil_awaddr_o = write_addr_q;
  assign m_axil_awvalid_o = write_q == WriteSend;
  assign m_axil_wdata_o = write_data_q;
  assign m_axil_wstrb_o = write_strobes_q;
  assign m_axil_wvalid_o = write_q == WriteSend;
  assign m_axil_bready_o = write_q == WriteAnswer;

  // Reads.
  typedef enum logic [1:0] {
    ReadIdle,
    ReadSend,    // to the core
    ReadAnswer,  // from the core
    ReadReply    // to XRT
  } read_e;
  read_e read_q;
  logic [11:0] read_addr_q;
  logic [31:0] read_data_q;
  logic [1:0] read_resp_q;
  logic [31:0] own_value;
  logic take_read;
  logic control_read;

  assign take_read = read_q == ReadIdle && s_axil_arvalid_i;
  assign control_read = take_read && s_axil_araddr_i == Control;

  always_comb begin
    own_value = '0;
    unique case (s_axil_araddr_i)
      Control: own_value[3:0] = {ready_q, !start_q && !done_q, done_q, start_q};
      Gier: own_value[0] = gier_q;
      IpIer: own_value[1:0] = ier_q;
      IpIsr: own_value[1:0] = isr_q;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q <= ReadIdle;
    end else begin
      unique case (read_q)
        ReadIdle: begin
          if (take_read) begin
            read_q <= is_argument(s_axil_araddr_i) || is_window(s_axil_araddr_i) ? ReadSend : ReadReply;
          end
        end
        ReadSend: if (m_axil_arready_i) read_q <= ReadAnswer;
        ReadAnswer: if (m_axil_rvalid_i) read_q <= ReadReply;
        ReadReply: if (s_axil_rready_i) read_q <= ReadIdle;
        default: read_q <= ReadIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_q == ReadIdle) begin
      read_addr_q <= is_window(s_axil_araddr_i) ? {2'b00, s_axil_araddr_i[9:0]} : argument_register(s_axil_araddr_i);
      read_data_q <= own_value;
      read_resp_q <= RespOkay;
    end else if (read_q == ReadAnswer) begin
      read_data_q <= m_axil_rdata_i;
      read_resp_q <= m_axil_rresp_i;
    end
  end

  assign s_axil_arready_o = take_read;
  assign s_axil_rvalid_o = read_q == ReadReply;
  assign s_axil_rdata_o = read_data_q;
  assign s_axil_rresp_o = read_resp_q;
  assign m_axil_araddr_o = read_addr_q;
  assign m_axil_arvalid_o = read_q == ReadSend;
  assign m_axil_rready_o = read_q == ReadAnswer;

  // Control and interrupt. Where an event and software meet in one cycle, the event wins.
  logic [1:0] isr_toggle;
  assign isr_toggle = own_write && s_axil_awaddr_i == IpIsr ? s_axil_wdata_i[1:0] : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      start_q <= 1'b0;
      done_q <= 1'b0;
      ready_q <= 1'b0;
      gier_q <= 1'b0;
      ier_q <= '0;
      isr_q <= '0;
    end else begin
      if (ends) start_q <= 1'b0;
      else if (control_write && s_axil_wdata_i[0]) start_q <= 1'b1;
      if (ends) done_q <= 1'b1;
      else if (control_write && s_axil_wdata_i[4]) done_q <= 1'b0;
      if (ends) ready_q <= 1'b1;
      else if (control_read) ready_q <= 1'b0;
      if (own_write && s_axil_awaddr_i == Gier) gier_q <= s_axil_wdata_i[0];
      if (own_write && s_axil_awaddr_i == IpIer) ier_q <= s_axil_wdata_i[1:0];
      isr_q <= (isr_q ^ isr_toggle) | (ends ? ier_q : '0);
    end
  end
  assign irq_o = gier_q && isr_q != '0;

  logic bvalid_waits_q;
  logic rvalid_waits_q;
  logic [31:0] past_data_q;
  always_ff @(posedge clk_i) begin
    bvalid_waits_q <= rst_ni && s_axil_bvalid_o && !s_axil_bready_i;
    rvalid_waits_q <= rst_ni && s_axil_rvalid_o && !s_axil_rready_i;
    past_data_q <= s_axil_rdata_o;
    if (rst_ni) begin
      response_stays_until_ready : assert (!bvalid_waits_q || s_axil_bvalid_o);
      read_stays_until_ready : assert (!rvalid_waits_q || (s_axil_rvalid_o && s_axil_rdata_o == past_data_q));
      core_takes_both_together : assert (write_q != WriteSend || m_axil_awready_i == m_axil_wready_i);
      core_runs_only_when_started : assert (launch_q == LaunchIdle || start_q);
    end
  end

endmodule
