// The GEMM engine: one micro-op a cycle, an element of ACC += INP element x WGT element, or = 0 with `reset`. A
// depthwise one takes several elements of INP, and with `reset` assigns.
//
// Nothing between the loop sequencer and the sums ever waits: sums go into a FIFO, and the sequencer lets no more
// micro-ops start than it has room for. Beside them the places in ACC go through a FIFO to the access stage, which asks
// for the bank with acc_req_o until acc_gnt_i. An access in cycle a gets the old element in a+1, adds the sum in a+2
// and writes in a + AccLatency; what is not written yet is forwarded, so dependent micro-ops need no distance.
module vta_gemm #(
  // log2 of the banks of ACC.
  parameter int unsigned LogBanks = vta_pkg::AccLogBanks,
  // Elements that a read gives, see vta_acc_memory.
  localparam int unsigned Reads = LogBanks == 1 ? 2 : 1
) (
  // Clock; twice the clock, for double-pumped multipliers; synchronous reset; clear_i before a launch.
  input  logic clk_i,
  input  logic clk2x_i,
  input  logic rst_ni,
  input  logic clear_i,

  // An instruction and its place in the reorder buffer. That comes back in the cycle before its last write.
  input  logic                             start_i,
  input  logic [vta_pkg::InsnBits-1:0]     insn_i,
  input  logic [vta_pkg::ReorderWidth-1:0] slot_i,
  output logic                             done_o,
  output logic [vta_pkg::ReorderWidth-1:0] done_slot_o,

  // Reads of micro-ops and operands: data in the cycle after the enable, held until the next enable.
  output logic                            uop_re_o,
  output logic [vta_pkg::UopLogDepth-1:0] uop_raddr_o,
  input  logic [vta_pkg::UopElemBits-1:0] uop_rdata_i,
  // Of INP one element, or with inp_rmany_o InpReadElems of them.
  output logic                            inp_re_o,
  output logic                            inp_rmany_o,
  output logic [vta_pkg::InpLogDepth-1:0] inp_raddr_o,
  input  logic [vta_pkg::InpReadElems*vta_pkg::InpElemBits-1:0] inp_rdata_i,
  output logic                            wgt_re_o,
  output logic [vta_pkg::WgtLogDepth-1:0] wgt_raddr_o,
  input  logic [vta_pkg::WgtElemBits-1:0] wgt_rdata_i,

  // Access to ACC: request and grant in one cycle, the element in the next; its write AccLatency cycles after the
  // access.
  output logic                            acc_req_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_addr_o,
  input  logic                            acc_gnt_i,
  input  logic [Reads*vta_pkg::AccElemBits-1:0] acc_rdata_i,
  output logic                            acc_we_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_waddr_o,
  output logic [vta_pkg::AccElemBits-1:0] acc_wdata_o
);
  localparam int unsigned AccAw = vta_pkg::AccLogDepth;
  localparam int unsigned Width = vta_pkg::AccWidth;
  localparam int unsigned Outputs = vta_pkg::Batch * vta_pkg::BlockOut;
  localparam int unsigned ElemBits = vta_pkg::AccElemBits;
  localparam int unsigned Latency = vta_pkg::AccLatency;
  localparam int unsigned SlotWidth = vta_pkg::ReorderWidth;

  // Of the GemmDepth cycles from the entry of a micro-op to its access all but five are for the adders.
  localparam int unsigned OtherDepth = 5;
  localparam int unsigned MinLatency = 5;
  if (vta_pkg::GemmDepth <= OtherDepth) begin : gen_gemm_depth
    $error("GEMM depth: the stages before the access have 6 cycles");
  end
  if (Latency < MinLatency) begin : gen_acc_latency
    $error("ACC latency: a sum is made and kept in 5 cycles");
  end
  localparam int unsigned AddStages = vta_pkg::GemmDepth - OtherDepth;
  // Micro-ops between the sequencer's first stage and their access. With two more than GemmDepth an access never waits
  // for a micro-op that was not let in.
  localparam int unsigned LogCredits = $clog2(vta_pkg::GemmDepth + 2);
  localparam int unsigned Credits = 1 << LogCredits;

  // ---- Micro-ops -------------------------------------------------------------------------------
  typedef struct packed {
    logic                 last;
    logic                 reset;   // the result is 0
    logic                 assigns; // the result is the sum
    logic [SlotWidth-1:0] slot;
    logic [AccAw-1:0]     dst;
  } info_t;
  localparam int unsigned InfoWidth = 3 + SlotWidth + AccAw;
  localparam int unsigned TapsWidth = vta_pkg::TapsWidth;

  logic                         s2_valid, s2_last, s2_reset, s2_depthwise, granted;
  logic [TapsWidth-1:0]         s2_more_taps;
  logic [SlotWidth-1:0]         s2_slot;
  logic [vta_pkg::InsnBits-1:0] s0_insn;
  logic [AccAw-1:0]             s2_dst;

  vta_loop_sequencer #(
    .SrcWidth(vta_pkg::InpLogDepth),
    .SrcFactorOutLsb(vta_pkg::GemmSrcFactorOutLsb),
    .SrcFactorInLsb(vta_pkg::GemmSrcFactorInLsb),
    .HasWgt(1'b1),
    .InfoWidth(2 + TapsWidth),
    .LogCredits(LogCredits)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .start_i,
    .insn_i,
    .slot_i,
    .release_i(granted),
    .uop_re_o,
    .uop_raddr_o,
    .uop_rdata_i,
    .insn_o(s0_insn),
    .info_i({vta_pkg::more_taps_of(s0_insn), vta_pkg::is_depthwise(s0_insn), s0_insn[vta_pkg::GemmResetLsb]}),
    .valid_o(s2_valid),
    .last_o(s2_last),
    .slot_o(s2_slot),
    .info_o({s2_more_taps, s2_depthwise, s2_reset}),
    .dst_o(s2_dst),
    .src_o(inp_raddr_o),
    .wgt_o(wgt_raddr_o)
  );

  // ---- Products and sums -----------------------------------------------------------------------
  // Index i is the i-th cycle after that in which INP and WGT are read.
  localparam int unsigned SumCycle = AddStages + 3;
  logic [SumCycle:1] step_valid_q, step_works_q;  // a micro-op; one that is no reset

  assign inp_re_o = s2_valid && (!s2_reset || s2_depthwise);
  assign inp_rmany_o = s2_depthwise;
  assign wgt_re_o = inp_re_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      step_valid_q <= '0;
      step_works_q <= '0;
    end else begin
      step_valid_q <= {step_valid_q[SumCycle-1:1], s2_valid};
      step_works_q <= {step_works_q[SumCycle-1:1], inp_re_o};
    end
  end

  // Which elements of INP the multipliers take, when these are there.
  localparam int unsigned Elems = vta_pkg::InpReadElems;
  logic             depthwise_q;
  logic [Elems-1:0] takes_q;
  always_ff @(posedge clk_i) begin
    depthwise_q <= s2_depthwise;
    for (int unsigned t = 0; t < Elems; t++) takes_q[t] <= t <= 32'(s2_more_taps);
  end
  localparam int unsigned SumWidth = vta_pkg::GemmSumWidth;
  logic odd_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) odd_q <= 1'b0;
    else odd_q <= !odd_q;
  end
  logic [Outputs*SumWidth-1:0] sums;
  vta_gemm_sums #(
    .Stages(AddStages)
  ) u_sums (
    .clk_i,
    .clk2x_i,
    .odd_i(odd_q),
    .operand_en_i(step_works_q[1]),
    .product_en_i(step_works_q[2]),
    .bias_en_i(step_works_q[3]),
    .sum_en_i(step_works_q[SumCycle:4]),
    .depthwise_i(depthwise_q),
    .takes_i(takes_q),
    .inp_i(inp_rdata_i),
    .wgt_i(wgt_rdata_i),
    .sums_o(sums)
  );

  logic [Outputs*SumWidth-1:0] sum_mem_q [Credits];
  logic [LogCredits-1:0]       sum_wptr_q, sum_rptr_q;
  always_ff @(posedge clk_i) begin
    if (step_works_q[SumCycle]) sum_mem_q[sum_wptr_q] <= sums;
  end

  // ---- Access ----------------------------------------------------------------------------------
  logic                 pushed, next_valid, take, access_valid_q;
  logic [InfoWidth-1:0] pushed_info, next_info;
  info_t                access_q;

  vta_delay #(
    .Width(InfoWidth),
    .Cycles(AddStages)
  ) u_delay (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(s2_valid),
    .data_i({s2_last, s2_reset && !s2_depthwise, s2_reset && s2_depthwise, s2_slot, s2_dst}),
    .valid_o(pushed),
    .data_o(pushed_info)
  );
  vta_queue #(
    .Width(InfoWidth),
    .Depth(Credits)
  ) u_places (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(pushed),
    .data_i(pushed_info),
    .valid_o(next_valid),
    .data_o(next_info),
    .pop_i(take)
  );

  assign acc_req_o = access_valid_q;
  assign acc_addr_o = access_q.dst;
  assign granted = access_valid_q && acc_gnt_i;
  assign take = next_valid && (!access_valid_q || acc_gnt_i);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) access_valid_q <= 1'b0;
    else if (take) access_valid_q <= 1'b1;
    else if (acc_gnt_i) access_valid_q <= 1'b0;
    if (take) access_q <= next_info;
  end

  // ---- After the access: the element, and what of it is on its way ------------------------------
  // Index i is the cycle a + i of an access in a. Its result is made in a+2, in a register in a+3, and from a+4 until
  // its write in a memory that is written every cycle: an entry's age is the number of cycles since.
  localparam int unsigned LogAges = $clog2(Latency);
  logic [Latency:1]       valid_q;
  logic [AccAw-1:0]       dst_q [1:Latency] /*verilator split_var*/;
  logic [SlotWidth-1:0]   slot_q [1:Latency-1] /*verilator split_var*/;
  logic [Latency-1:1]     last_q;
  logic [2:1]             reset_q;
  logic [Latency:1]       match;
  logic [LogAges-1:0]     now_q, kept_raddr, kept_raddr_q, write_raddr_q;
  // Of an access in its cycle 1: where its element is. In ACC it is in the bank of odd elements or not, where GEMM chooses.
  typedef enum logic [1:0] {
    Even,
    Odd,
    Kept,
    Result
  } place_e;
  place_e                 place_q;
  logic                   assigns_q;
  logic [2:1]             use_newest_q;

  for (genvar i = 1; i <= Latency; i++) begin : gen_match
    assign match[i] = valid_q[i] && dst_q[i] == access_q.dst;
  end
  // The youngest result of the element that is kept in a+1: that of the access i cycles before is then i - 2 old.
  always_comb begin
    kept_raddr = now_q;
    for (int unsigned i = Latency; i >= 3; i--) begin
      if (match[i]) kept_raddr = now_q - LogAges'(i - 3);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      valid_q <= '0;
      sum_wptr_q <= '0;
      sum_rptr_q <= '0;
      now_q <= '0;
      write_raddr_q <= '0;
    end else begin
      valid_q <= {valid_q[Latency-1:1], granted};
      if (step_valid_q[SumCycle]) sum_wptr_q <= sum_wptr_q + 1'b1;
      if (valid_q[2]) sum_rptr_q <= sum_rptr_q + 1'b1;
      now_q <= now_q + 1'b1;
      write_raddr_q <= now_q + 1'b1 - LogAges'(Latency - 3);
    end
    dst_q[1] <= access_q.dst;
    slot_q[1] <= access_q.slot;
    last_q <= {last_q[Latency-2:1], access_q.last};
    reset_q <= {reset_q[1], access_q.reset};
    use_newest_q <= {use_newest_q[1], match[1] && !access_q.assigns};
    assigns_q <= access_q.assigns;
    if (match[2]) place_q <= Result;
    else if (match[Latency:3] != '0) place_q <= Kept;
    else place_q <= Reads == 2 && access_q.dst[0] ? Odd : Even;
    kept_raddr_q <= kept_raddr;
  end
  for (genvar i = 2; i <= Latency; i++) begin : gen_dst
    always_ff @(posedge clk_i) dst_q[i] <= dst_q[i-1];
  end
  for (genvar i = 2; i < Latency; i++) begin : gen_slot
    always_ff @(posedge clk_i) slot_q[i] <= slot_q[i-1];
  end

  // ---- Results ---------------------------------------------------------------------------------
  logic [Outputs*Width-1:0]    old_q, result_q, kept_q [1<<LogAges];
  logic [Outputs*SumWidth-1:0] sum;
  assign sum = sum_mem_q[sum_rptr_q];

  always_ff @(posedge clk_i) begin
    if (valid_q[1]) begin
      unique case (place_q)
        Result: old_q <= result_q;
        Kept: old_q <= kept_q[kept_raddr_q];
        Odd: old_q <= acc_rdata_i[(Reads-1)*ElemBits+:ElemBits];
        default: old_q <= acc_rdata_i[ElemBits-1:0];
      endcase
      if (assigns_q) old_q <= (Outputs * Width)'(0);
    end
    if (valid_q[3]) kept_q[now_q] <= result_q;
  end
  for (genvar o = 0; o < Outputs; o++) begin : gen_result
    always_ff @(posedge clk_i) begin : accumulate
      logic [Width-1:0] old;
      if (valid_q[2]) begin
        old = use_newest_q[2] ? result_q[o*Width+:Width] : old_q[o*Width+:Width];
        result_q[o*Width+:Width] <= old + Width'($signed(sum[o*SumWidth+:SumWidth]));
        if (reset_q[2]) result_q[o*Width+:Width] <= '0;
      end
    end
  end

  assign acc_we_o = valid_q[Latency];
  assign acc_waddr_o = dst_q[Latency];
  assign acc_wdata_o = kept_q[write_raddr_q];
  assign done_o = valid_q[Latency-1] && last_q[Latency-1];
  assign done_slot_o = slot_q[Latency-1];
endmodule
