// The control registers behind an AXI4-Lite slave: docs/isa.md, "Control registers".
//
// One write and one read at a time, each answered in the next cycle. Launch parameters cannot be written while a launch
// runs. What is written behind a reset finds the core idle: the two writes are two cycles apart. A write of a part of a
// word is answered with SLVERR and ignored.
module vta_regs (
  // Clock; synchronous reset.
  input  logic        clk_i,
  input  logic        rst_ni,

  // AXI4-Lite: write address, write data and response; address and data are taken together.
  input  logic [11:0] awaddr_i,
  input  logic        awvalid_i,
  output logic        awready_o,
  input  logic [31:0] wdata_i,
  input  logic [ 3:0] wstrb_i,
  input  logic        wvalid_i,
  output logic        wready_o,
  output logic [ 1:0] bresp_o,
  output logic        bvalid_o,
  input  logic        bready_i,
  // AXI4-Lite: read address and data.
  input  logic [11:0] araddr_i,
  input  logic        arvalid_i,
  output logic        arready_o,
  output logic [31:0] rdata_o,
  output logic [ 1:0] rresp_o,
  output logic        rvalid_o,
  input  logic        rready_i,
  // High while an enabled interrupt is pending.
  output logic        irq_o,

  // A launch, for one cycle; its addresses are unusable. The core takes it only while ready_i.
  output logic            launch_o,
  output logic            bad_launch_o,
  input  logic            ready_i,
  // The launch is given up, for one cycle.
  output logic            reset_o,
  // State of the launch: see vta_control.
  input  logic            running_i,
  input  logic            draining_i,
  input  logic            ended_i,
  input  logic            done_i,
  input  vta_pkg::fault_t fault_i,

  // Parameters of the launch: length and address of the stream, base addresses of the memories.
  output logic [31:0]                      insn_count_o,
  output logic [vta_pkg::AxiAddrWidth-1:0] insn_addr_o,
  output logic [vta_pkg::AxiAddrWidth-1:0] uop_base_o,
  output logic [vta_pkg::AxiAddrWidth-1:0] inp_base_o,
  output logic [vta_pkg::AxiAddrWidth-1:0] wgt_base_o,
  output logic [vta_pkg::AxiAddrWidth-1:0] acc_base_o,
  output logic [vta_pkg::AxiAddrWidth-1:0] out_base_o,

  // The counter that is read, and its value in the same cycle.
  output logic [5:0]  counter_index_o,
  input  logic [63:0] counter_i
);

  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  // Positions of fields. irq_enable and irq_status have the same ones.
  localparam int unsigned IrqDone = vta_pkg::RegIrqStatusDoneLsb;
  localparam int unsigned IrqFault = vta_pkg::RegIrqStatusFaultLsb;

  logic [31:0] insn_count_q;
  logic [31:0] user_q;
  logic [63:0] insn_addr_q;
  logic [63:0] uop_base_q;
  logic [63:0] inp_base_q;
  logic [63:0] wgt_base_q;
  logic [63:0] acc_base_q;
  logic [63:0] out_base_q;
  logic [1:0] irq_enable_q;  // fault, done
  logic [1:0] irq_status_q;
  logic refused_q;
  logic launch_q;
  logic reset_q;

  // Writes: address and data are taken together.
  logic write;
  logic write_ok;
  logic bvalid_q;
  logic berror_q;

  assign write = awvalid_i && wvalid_i && !bvalid_q;
  assign write_ok = write && wstrb_i == 4'hf;
  assign awready_o = write;
  assign wready_o = write;
  assign bvalid_o = bvalid_q;
  assign bresp_o = berror_q ? RespSlvErr : RespOkay;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) bvalid_q <= 1'b0;
    else if (write) bvalid_q <= 1'b1;
    else if (bready_i) bvalid_q <= 1'b0;
    if (write) berror_q <= wstrb_i != 4'hf;
  end

  logic [1:0] irq_clear;  // bit 0 the end of a launch, 1 its fault
  logic [1:0] irq_event;
  assign irq_clear = (write_ok && awaddr_i == vta_pkg::RegIrqStatus) ? {wdata_i[IrqFault], wdata_i[IrqDone]} : '0;
  assign irq_event = ended_i ? {fault_i.valid, 1'b1} : '0;

  logic free;  // no launch is running or about to
  logic writes_control;
  logic wants_launch;
  logic wants_reset;  // which leaves no launch
  assign free = ready_i && !launch_q;
  assign writes_control = write_ok && awaddr_i == vta_pkg::RegControl;
  assign wants_reset = writes_control && wdata_i[vta_pkg::RegControlResetLsb];
  assign wants_launch = writes_control && wdata_i[vta_pkg::RegControlLaunchLsb] && !wants_reset;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      launch_q <= 1'b0;
      reset_q <= 1'b0;
      refused_q <= 1'b0;
      user_q <= '0;
      irq_enable_q <= '0;
      irq_status_q <= '0;
    end else begin
      launch_q <= wants_launch && free;
      reset_q <= wants_reset;
      if (wants_launch || wants_reset) refused_q <= wants_launch && !free;
      if (write_ok && awaddr_i == vta_pkg::RegUser) user_q <= wdata_i;
      if (write_ok && awaddr_i == vta_pkg::RegIrqEnable) irq_enable_q <= {wdata_i[IrqFault], wdata_i[IrqDone]};
      // What happens in the cycle in which software clears the bits stays: the event wins.
      irq_status_q <= (irq_status_q & ~irq_clear) | irq_event;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      insn_count_q <= '0;
      insn_addr_q <= '0;
      uop_base_q <= '0;
      inp_base_q <= '0;
      wgt_base_q <= '0;
      acc_base_q <= '0;
      out_base_q <= '0;
    end else if (write_ok && free) begin
      unique case (awaddr_i)
        vta_pkg::RegInsnCount: insn_count_q <= wdata_i;
        vta_pkg::RegInsnAddr: insn_addr_q[31:0] <= wdata_i;
        vta_pkg::RegInsnAddrHi: insn_addr_q[63:32] <= wdata_i;
        vta_pkg::RegUopBase: uop_base_q[31:0] <= wdata_i;
        vta_pkg::RegUopBaseHi: uop_base_q[63:32] <= wdata_i;
        vta_pkg::RegInpBase: inp_base_q[31:0] <= wdata_i;
        vta_pkg::RegInpBaseHi: inp_base_q[63:32] <= wdata_i;
        vta_pkg::RegWgtBase: wgt_base_q[31:0] <= wdata_i;
        vta_pkg::RegWgtBaseHi: wgt_base_q[63:32] <= wdata_i;
        vta_pkg::RegAccBase: acc_base_q[31:0] <= wdata_i;
        vta_pkg::RegAccBaseHi: acc_base_q[63:32] <= wdata_i;
        vta_pkg::RegOutBase: out_base_q[31:0] <= wdata_i;
        vta_pkg::RegOutBaseHi: out_base_q[63:32] <= wdata_i;
        default: ;
      endcase
    end
  end

  // A launch is bad when the stream is at zero, unaligned or past the bus's addresses, or when a base is not aligned to
  // its element or, for elements larger than a beat, to a beat.
  function automatic logic past_bus(logic [63:0] addr);
    past_bus = (addr >> vta_pkg::AxiAddrWidth) != '0;
  endfunction

  function automatic logic bad_base(logic [63:0] addr, logic [4:0] log_elem);
    logic [4:0] log_align;
    log_align = log_elem > 5'(vta_pkg::AxiLogBytes) ? 5'(vta_pkg::AxiLogBytes) : log_elem;
    bad_base = (addr & ((64'd1 << log_align) - 64'd1)) != '0 || past_bus(addr);
  endfunction

  // In two steps: between two writes there is a cycle for the answer, and from a write to launch_q another one. What
  // they depend on is written only while the core is free.
  logic [64:0] insn_end_q;
  logic bad_launch_q;

  always_ff @(posedge clk_i) begin
    if (free) begin
      insn_end_q <= {1'b0, insn_addr_q} + (65'(insn_count_q) << vta_pkg::InsnLogBytes) - 65'd1;
      bad_launch_q <= insn_addr_q == '0 || insn_addr_q[vta_pkg::InsnLogBytes-1:0] != '0 ||
                      past_bus(insn_addr_q) || past_bus(insn_end_q[63:0]) || insn_end_q[64] ||
                      bad_base(uop_base_q, 5'(vta_pkg::UopLogElemBytes)) ||
                      bad_base(inp_base_q, 5'(vta_pkg::InpLogElemBytes)) ||
                      bad_base(wgt_base_q, 5'(vta_pkg::WgtLogElemBytes)) ||
                      bad_base(acc_base_q, 5'(vta_pkg::AccLogElemBytes)) ||
                      bad_base(out_base_q, 5'(vta_pkg::OutLogElemBytes));
    end
  end
  assign bad_launch_o = bad_launch_q;
  assign launch_o = launch_q;
  assign reset_o = reset_q;
  assign insn_count_o = insn_count_q;
  assign insn_addr_o = insn_addr_q[vta_pkg::AxiAddrWidth-1:0];
  assign uop_base_o = uop_base_q[vta_pkg::AxiAddrWidth-1:0];
  assign inp_base_o = inp_base_q[vta_pkg::AxiAddrWidth-1:0];
  assign wgt_base_o = wgt_base_q[vta_pkg::AxiAddrWidth-1:0];
  assign acc_base_o = acc_base_q[vta_pkg::AxiAddrWidth-1:0];
  assign out_base_o = out_base_q[vta_pkg::AxiAddrWidth-1:0];
  assign irq_o = (irq_status_q & irq_enable_q) != '0;

  // Reads, in four steps: the address; two for the counter of that index; the value.
  logic [3:1] reading_q;  // a read in its second step, its third, its fourth
  logic [11:0] addr_q;
  logic [5:0] index_q;  // of the counter
  logic [63:0] counter_q;
  logic rvalid_q;
  logic [31:0] rdata_q;
  logic [31:0] value;
  logic busy;

  assign busy = running_i || !free;
  assign counter_index_o = index_q;

  always_comb begin
    value = '0;
    if (reading_q[3]) begin
      unique case (addr_q)
        vta_pkg::RegControl: begin
          value[vta_pkg::RegControlLaunchLsb] = busy;
          value[vta_pkg::RegControlDoneLsb] = done_i;
        end
        vta_pkg::RegCycles: value = counter_q[31:0];
        vta_pkg::RegInsnCount: value = insn_count_q;
        vta_pkg::RegInsnAddr: value = insn_addr_q[31:0];
        vta_pkg::RegInsnAddrHi: value = insn_addr_q[63:32];
        vta_pkg::RegUopBase: value = uop_base_q[31:0];
        vta_pkg::RegUopBaseHi: value = uop_base_q[63:32];
        vta_pkg::RegInpBase: value = inp_base_q[31:0];
        vta_pkg::RegInpBaseHi: value = inp_base_q[63:32];
        vta_pkg::RegWgtBase: value = wgt_base_q[31:0];
        vta_pkg::RegWgtBaseHi: value = wgt_base_q[63:32];
        vta_pkg::RegAccBase: value = acc_base_q[31:0];
        vta_pkg::RegAccBaseHi: value = acc_base_q[63:32];
        vta_pkg::RegOutBase: value = out_base_q[31:0];
        vta_pkg::RegOutBaseHi: value = out_base_q[63:32];
        vta_pkg::RegUser: value = user_q;
        vta_pkg::RegId: value = vta_pkg::RegIdValue;
        vta_pkg::RegVersion: value = vta_pkg::RegVersionValue;
        vta_pkg::RegFingerprintLo: value = vta_pkg::Fingerprint[31:0];
        vta_pkg::RegFingerprintHi: value = vta_pkg::Fingerprint[63:32];
        vta_pkg::RegConfig: value = vta_pkg::RegConfigValue;
        vta_pkg::RegDepths: value = vta_pkg::RegDepthsValue;
        vta_pkg::RegLastUopInp: value = vta_pkg::RegLastUopInpValue;
        vta_pkg::RegLastWgtAcc: value = vta_pkg::RegLastWgtAccValue;
        vta_pkg::RegExtensions: value = vta_pkg::RegExtensionsValue;
        vta_pkg::RegStatus: begin
          value[vta_pkg::RegStatusRunningLsb] = busy;
          value[vta_pkg::RegStatusDoneLsb] = done_i;
          value[vta_pkg::RegStatusFaultLsb] = fault_i.valid;
          value[vta_pkg::RegStatusLaunchRefusedLsb] = refused_q;
          value[vta_pkg::RegStatusDrainingLsb] = draining_i;
        end
        vta_pkg::RegFault: value = fault_i.valid ? 32'(fault_i.code) << vta_pkg::RegFaultCodeLsb : '0;
        vta_pkg::RegFaultInsn: value = fault_i.valid ? fault_i.number : '0;
        vta_pkg::RegIrqEnable: begin
          value[IrqDone] = irq_enable_q[0];
          value[IrqFault] = irq_enable_q[1];
        end
        vta_pkg::RegIrqStatus: begin
          value[IrqDone] = irq_status_q[0];
          value[IrqFault] = irq_status_q[1];
        end
        default: begin
          value = '0;
          if (addr_q >= vta_pkg::RegCounterCycles && addr_q < 12'h240) begin
            value = addr_q[2] ? counter_q[63:32] : counter_q[31:0];
          end
        end
      endcase
    end
  end

  assign arready_o = !rvalid_q && reading_q == '0;
  assign rvalid_o = rvalid_q;
  assign rdata_o = rdata_q;
  assign rresp_o = RespOkay;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) reading_q <= '0;
    else reading_q <= {reading_q[2:1], arvalid_i && arready_o};
    if (!rst_ni) rvalid_q <= 1'b0;
    else if (reading_q[3]) rvalid_q <= 1'b1;
    else if (rready_i) rvalid_q <= 1'b0;
    if (arready_o) begin
      addr_q <= araddr_i;
      index_q <= araddr_i == vta_pkg::RegCycles ? '0 : araddr_i[8:3] - 6'd32;
    end
    if (reading_q[2]) counter_q <= counter_i;
    if (reading_q[3]) rdata_q <= value;
  end

  logic waiting_q;
  logic [31:0] past_data_q;

  always_ff @(posedge clk_i) begin
    waiting_q <= rst_ni && rvalid_o && !rready_i;
    past_data_q <= rdata_o;
    if (rst_ni) begin
      read_stable_until_ready : assert (!waiting_q || (rvalid_o && rdata_o == past_data_q));
    end
  end

endmodule
