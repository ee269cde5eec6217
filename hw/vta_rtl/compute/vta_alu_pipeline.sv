// Behind the ALU's access to ACC: from the elements that were read to the one that is written.
//
// An access of dst in cycle a has its operands in a+1 (vta_alu_operands); they go through the lanes, and the result is
// written in a + AccLatency. With AluPasses above 1 there are so many times fewer lanes than an element has. An element is
// read at once and kept; its parts, from the low bits up, go through the lanes one a cycle, and are written at once when
// the last one is done.
module vta_alu_pipeline #(
  // log2 of the banks of ACC.
  parameter int unsigned LogBanks = vta_pkg::AccLogBanks,
  // Banks whose elements come together.
  localparam int unsigned Reads = LogBanks == 1 ? 2 : 1,
  localparam int unsigned Latency = vta_pkg::AccLatency
) (
  // Clock; synchronous reset; clear_i before a launch.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  // The access of this cycle, as vta_alu_access says. Index i of valid_i: one of dst was done i cycles ago.
  input  logic              dst_read_i,
  input  logic              src_read_i,
  input  logic              pair_read_i,
  input  vta_pkg::alu_uop_t uop_i,
  input  logic              src_kept_i,
  input  logic [Latency:1]  valid_i,

  // The elements of the access in the cycle before, of Reads banks, the first in the low bits.
  input  logic [Reads*vta_pkg::AccElemBits-1:0] dst_rdata_i,
  input  logic [Reads*vta_pkg::AccElemBits-1:0] src_rdata_i,

  // What is written in this cycle.
  output logic                            we_o,
  output logic [vta_pkg::AccElemBits-1:0] wdata_o,

  // The place in the reorder buffer of an instruction whose last write is in the next cycle.
  output logic                             done_o,
  output logic [vta_pkg::ReorderWidth-1:0] done_slot_o
);
  localparam int unsigned Width = vta_pkg::AccWidth;
  localparam int unsigned Passes = vta_pkg::AluPasses;
  localparam int unsigned Lanes = vta_pkg::Batch * vta_pkg::BlockOut / Passes;
  localparam int unsigned PartBits = Lanes * Width;
  localparam int unsigned SlotWidth = vta_pkg::ReorderWidth;

  // Stages of a lane; cycles from an access to the lanes' result of its first part. Parts are chosen a cycle before.
  localparam int unsigned LaneStages = vta_pkg::AluLaneStages;
  localparam int unsigned LaneLatency = LaneStages + (Passes > 1 ? 2 : 1);
  if (Latency < LaneLatency + Passes - 1) begin : gen_acc_latency
    $error("ACC latency: the lanes of the ALU have 6 cycles, a relaxed pipeline 5; REQUANT and passes take more");
  end

  // ---- What is done with the operands ----------------------------------------------------------
  // The number of the word that TABLE writes goes with it in the place of its immediate.
  vta_pkg::alu_info_t info;
  logic [15:0]        imm;
  always_comb begin
    imm = uop_i.imm;
    if (vta_pkg::ExtLut && uop_i.op == vta_pkg::AluOpTable) imm = uop_i.imm + 16'(uop_i.dst);
  end
  assign info = {uop_i.op, uop_i.use_imm, imm};

  logic use_imm_q;
  // With several passes what is done stays as it is during them, and is in the lanes' first cycle a cycle later.
  logic [$bits(info):0]     read_q, read;  // and whether there is a bias
  // Cycles in which the lanes look at the operation and at the immediate.
  localparam int unsigned OpCycles = 3;
  localparam int unsigned ImmCycles = vta_pkg::ExtRequant ? vta_pkg::AluRoundsApart ? 5 : 4 : 2;
  vta_pkg::alu_op_e       op_q [1:OpCycles] /*verilator split_var*/;
  logic [15:0]            imm_q [1:ImmCycles] /*verilator split_var*/;
  logic [Latency-1:1]     last_q;
  logic [SlotWidth-1:0]   slot_q [1:Latency-1] /*verilator split_var*/;

  logic biases_q;
  assign read = Passes > 1 ? read_q : {info, vta_pkg::alu_reads_pair(uop_i.op)};
  always_ff @(posedge clk_i) begin
    if (dst_read_i) read_q <= {info, vta_pkg::alu_reads_pair(uop_i.op)};
    {op_q[1], use_imm_q, imm_q[1], biases_q} <= read;
    slot_q[1] <= uop_i.slot;
    last_q <= {last_q[Latency-2:1], uop_i.last};
  end
  for (genvar i = 2; i < Latency; i++) begin : gen_slot
    always_ff @(posedge clk_i) slot_q[i] <= slot_q[i-1];
  end
  for (genvar i = 2; i <= OpCycles; i++) begin : gen_op
    always_ff @(posedge clk_i) op_q[i] <= op_q[i-1];
  end
  for (genvar i = 2; i <= ImmCycles; i++) begin : gen_imm
    always_ff @(posedge clk_i) imm_q[i] <= imm_q[i-1];
  end

  // ---- Operands --------------------------------------------------------------------------------
  localparam int unsigned PassWidth = Passes > 1 ? $clog2(Passes) : 1;
  logic [PassWidth-1:0] pass;                          // the part in the lanes' second cycle
  logic [PartBits-1:0]  dst_part, src_part, bias_part; // in the first
  logic [5:0]           requant_shift;

  vta_alu_operands #(
    .LogBanks(LogBanks)
  ) u_operands (
    .clk_i,
    .dst_read_i,
    .src_read_i,
    .pair_read_i,
    .dst_odd_i(uop_i.dst[0]),
    .src_odd_i(uop_i.src[0]),
    .src_kept_i,
    .dst_rdata_i,
    .src_rdata_i,
    .dst_o(dst_part),
    .src_o(src_part),
    .bias_o(bias_part),
    .pass_o(pass),
    .shift_o(requant_shift)
  );

  // Index i: a part of an element is in the lanes' cycle i.
  logic [LaneStages:1] works;
  if (Passes == 1) begin : gen_whole
    assign works = valid_i[LaneStages:1];
  end else begin : gen_parts
    logic [LaneStages:1] works_q;
    assign works = works_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) works_q <= '0;
      else works_q <= {works_q[LaneStages-1:1], valid_i[Passes:1] != '0};
    end
  end

  // What the lanes are told.
  logic        subtract_q;
  logic [5:0]  shift;
  logic        rounds;
  logic [63:0] half_less_one;
  logic [32:0] sign_bits;

  // REQUANT's shift is in the first lane of its multiplier, which is held while parts of the element are chosen.
  logic [5:0] amount_q, amount, held_amount_q;
  assign amount = !vta_pkg::alu_reads_pair(op_q[1]) ? imm_q[1][5:0] :
                  Passes > 1 ? held_amount_q : requant_shift;
  always_ff @(posedge clk_i) held_amount_q <= requant_shift;
  logic       clips_round_q, clips_shift_q;
  always_ff @(posedge clk_i) begin
    subtract_q <= op_q[1] != vta_pkg::AluOpAdd;
    amount_q <= amount;
    clips_round_q <= vta_pkg::alu_reads_pair(op_q[3]);
    clips_shift_q <= clips_round_q;
  end
  vta_alu_rounding u_rounding (
    .clk_i,
    .enable_i(works[2]),
    .op_i(op_q[2]),
    .amount_i(amount_q),
    .shift_o(shift),
    .rounds_o(rounds),
    .half_less_one_o(half_less_one),
    .sign_bits_o(sign_bits)
  );

  logic [PartBits-1:0] result;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic signed [Width-1:0] y;
    assign y = use_imm_q ? Width'($signed(imm_q[1])) : src_part[l*Width+:Width];
    vta_alu_lane #(
      .Parts(Passes)
    ) u_lane (
      .clk_i,
      .enable_i(works),
      .op_operand_i(op_q[1]),
      .op_multiply_i(op_q[2]),
      .op_add_i(op_q[3]),
      .subtract_i(subtract_q),
      .lo_i(imm_q[2][7:0]),
      .hi_i(imm_q[2][15:8]),
      .word_i(imm_q[2][vta_pkg::TableIndexWidth-1:0]),
      .part_i(pass),
      .shift_i(shift),
      .rounds_i(rounds),
      .half_less_one_i(half_less_one),
      .sign_bits_i(sign_bits),
      .clips_i(vta_pkg::AluRoundsApart ? clips_shift_q : clips_round_q),
      .clip_lo_i(imm_q[ImmCycles][7:0]),
      .clip_hi_i(imm_q[ImmCycles][15:8]),
      .biases_i(biases_q),
      .bias_i(bias_part[l*Width+:Width]),
      .x_i(dst_part[l*Width+:Width]),
      .y_i(y),
      .result_o(result[l*Width+:Width])
    );
  end

  // The parts before the last wait for it.
  logic [vta_pkg::AccElemBits-1:0] element;
  if (Passes == 1) begin : gen_whole_result
    assign element = result;
  end else begin : gen_result_parts
    logic [vta_pkg::AccElemBits-PartBits-1:0] done_q;
    for (genvar p = 0; p < Passes - 1; p++) begin : gen_part
      always_ff @(posedge clk_i) begin
        if (valid_i[LaneLatency+p]) done_q[p*PartBits+:PartBits] <= result;
      end
    end
    assign element = {result, done_q};
  end

  localparam int unsigned LastPart = LaneLatency + Passes - 1;
  vta_delay #(
    .Width(vta_pkg::AccElemBits),
    .Cycles(Latency > LastPart ? Latency - LastPart : 0)
  ) u_result (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(valid_i[LastPart]),
    .data_i(element),
    .valid_o(we_o),
    .data_o(wdata_o)
  );
  assign done_o = valid_i[Latency-1] && last_q[Latency-1];
  assign done_slot_o = slot_q[Latency-1];

  logic unused;
  assign unused = &{1'b0, uop_i};

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      write_of_an_access : assert (we_o == valid_i[Latency]);
      pair_before_dst : assert (!pair_read_i || (src_read_i && !dst_read_i));
    end
  end
endmodule
