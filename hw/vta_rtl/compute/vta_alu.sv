// The tensor ALU: one element of ACC in AluPasses cycles, op(ACC[dst], immediate or ACC[src]) lane by lane.
//
// The loop sequencer's micro-ops go through a FIFO to the check stage, which holds one until it may access ACC, then to
// the access stage, which asks for its banks until it has them. A tensor operation reads dst and src in one access when
// they are in different banks or the same element, else src in one access and dst in a later one; an element of src
// that the micro-op before had too is not read again. The check stage waits while an element that the access reads is
// still to be written by the ALU. An access (of dst) in cycle a has its operands in a+1 and writes in a + AccLatency.
//
// REQUANT's src is a pair of elements, in two banks: one access reads both, with both ports, and a later one dst.
//
// With AluPasses above 1 there are so many times fewer lanes than an element has. An element is read at once and kept;
// its parts, from the low bits up, go through the lanes one a cycle, and are written at once when the last one is done.
module vta_alu #(
  // log2 of the banks of ACC.
  parameter int unsigned LogBanks = vta_pkg::AccLogBanks,
  localparam int unsigned Banks = 1 << LogBanks,
  // Banks whose elements come together.
  localparam int unsigned Reads = LogBanks == 1 ? Banks : 1
) (
  // Clock; synchronous reset; clear_i before a launch.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  // An instruction and its place in the reorder buffer. That comes back in the cycle before its last write.
  input  logic                             start_i,
  input  logic [vta_pkg::InsnBits-1:0]     insn_i,
  input  logic [vta_pkg::ReorderWidth-1:0] slot_i,
  output logic                             done_o,
  output logic [vta_pkg::ReorderWidth-1:0] done_slot_o,

  // Read of micro-ops: data in the cycle after the enable.
  output logic                            uop_re_o,
  output logic [vta_pkg::UopLogDepth-1:0] uop_raddr_o,
  input  logic [vta_pkg::UopElemBits-1:0] uop_rdata_i,

  // Access to ACC: one read or both, granted together, in one cycle; the elements in the next, those of all banks where
  // there are two, the first in the low bits; the write of dst AccLatency cycles after its read. The banks are one-hot,
  // 0 without a request, and come from registers.
  output logic                            acc_dst_req_o,
  output logic [Banks-1:0]                acc_dst_banks_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_dst_addr_o,
  output logic                            acc_src_req_o,
  output logic [Banks-1:0]                acc_src_banks_o,
  output logic [Banks-1:0]                acc_banks_o,  // those of both
  output logic [vta_pkg::AccLogDepth-1:0] acc_src_addr_o,
  input  logic                            acc_gnt_i,
  input  logic [Reads*vta_pkg::AccElemBits-1:0] acc_dst_rdata_i,
  input  logic [Reads*vta_pkg::AccElemBits-1:0] acc_src_rdata_i,
  output logic                            acc_we_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_waddr_o,
  output logic [vta_pkg::AccElemBits-1:0] acc_wdata_o,

  // An access of dst is done.
  output logic uop_done_o
);
  localparam int unsigned AccAw = vta_pkg::AccLogDepth;
  localparam int unsigned Width = vta_pkg::AccWidth;
  localparam int unsigned Passes = vta_pkg::AluPasses;
  localparam int unsigned Lanes = vta_pkg::Batch * vta_pkg::BlockOut / Passes;
  localparam int unsigned PartBits = Lanes * Width;
  localparam int unsigned Latency = vta_pkg::AccLatency;
  localparam int unsigned SlotWidth = vta_pkg::ReorderWidth;

  // Stages of a lane; cycles from an access to the lanes' result of its first part. Parts are chosen a cycle before.
  localparam int unsigned LaneStages = vta_pkg::AluLaneStages;
  localparam int unsigned LaneLatency = LaneStages + (Passes > 1 ? 2 : 1);
  // Cycles from a micro-op's entry to its access.
  localparam int unsigned MinDepth = 6;
  if (Latency < LaneLatency + Passes - 1) begin : gen_acc_latency
    $error("ACC latency: the lanes of the ALU have 6 cycles, a relaxed pipeline 5; REQUANT and passes take more");
  end
  if (vta_pkg::AluDepth < MinDepth) begin : gen_alu_depth
    $error("ALU depth: the stages before the access have 6 cycles");
  end

  // ---- Micro-ops -------------------------------------------------------------------------------
  typedef struct packed {
    logic                           last;
    logic [SlotWidth-1:0]           slot;
    logic [vta_pkg::AluOpWidth-1:0] op;
    logic                           use_imm;
    logic [15:0]                    imm;
    logic [AccAw-1:0]               dst;
    logic [AccAw-1:0]               src;
  } uop_t;

  logic                            s2_valid, s2_last, next_valid, take;
  logic [SlotWidth-1:0]            s2_slot;
  vta_pkg::alu_info_t              s2_info;
  logic [AccAw-1:0]                s2_dst, s2_src;
  uop_t                            next;
  logic [vta_pkg::InsnBits-1:0]    s0_insn;
  vta_pkg::alu_info_t              s0_info;
  logic [vta_pkg::WgtLogDepth-1:0] unused_wgt;

  assign s0_info = {vta_pkg::alu_op_of(s0_insn), s0_insn[vta_pkg::AluUseImmLsb],
                    s0_insn[vta_pkg::AluImmLsb+:16]};

  // A micro-op leaves the FIFO AluDepth - 2 cycles after the sequencer's first stage, if nothing holds it up.
  localparam int unsigned LogCredits = $clog2(vta_pkg::AluDepth + 2);

  vta_loop_sequencer #(
    .SrcWidth(AccAw),
    .SrcFactorOutLsb(vta_pkg::AluSrcFactorOutLsb),
    .SrcFactorInLsb(vta_pkg::AluSrcFactorInLsb),
    .HasWgt(1'b0),
    .InfoWidth($bits(s0_info)),
    .LogCredits(LogCredits)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .start_i,
    .insn_i,
    .slot_i,
    .release_i(take),
    .uop_re_o,
    .uop_raddr_o,
    .uop_rdata_i,
    .insn_o(s0_insn),
    .info_i(s0_info),
    .valid_o(s2_valid),
    .last_o(s2_last),
    .slot_o(s2_slot),
    .info_o(s2_info),
    .dst_o(s2_dst),
    .src_o(s2_src),
    .wgt_o(unused_wgt)
  );

  logic                    pushed;
  logic [$bits(next)-1:0] pushed_uop, next_bits;

  vta_delay #(
    .Width($bits(next)),
    .Cycles(vta_pkg::AluDepth > MinDepth ? vta_pkg::AluDepth - MinDepth : 0)
  ) u_delay (
    .clk_i,
    .rst_ni,
    .clear_i,
    .valid_i(s2_valid),
    .data_i({s2_last, s2_slot, s2_info, s2_dst, s2_src}),
    .valid_o(pushed),
    .data_o(pushed_uop)
  );
  vta_queue #(
    .Width($bits(next)),
    .Depth(1 << LogCredits)
  ) u_uops (
    .clk_i,
    .rst_ni,
    .clear_i,
    .push_i(pushed),
    .data_i(pushed_uop),
    .valid_o(next_valid),
    .data_o(next_bits),
    .pop_i(take)
  );
  assign next = next_bits;

  // ---- Check -----------------------------------------------------------------------------------
  // The micro-op that is checked, and what was found out about it when it came: the element of src is held, when the
  // micro-op before, of the same instruction, had the same and did not write it; the first of two accesses reads src
  // only.
  logic check_valid_q, may_hold_q, held_q, split_q, src_done_q;
  logic next_held, next_split;
  uop_t check_q;
  // In the access stage.
  logic access_valid_q, access_dst_q, access_src_q, access_held_q, granted;
  uop_t access_q;
  // Index i: i cycles after an access of dst.
  logic [Latency:1] valid_q;
  logic [AccAw-1:0] dst_q [1:Latency] /*verilator split_var*/;

  function automatic logic is_pair(logic [vta_pkg::AluOpWidth-1:0] op);
    is_pair = vta_pkg::ExtRequant && op == vta_pkg::AluOpRequant;
  endfunction
  // Whether an element is the one that src names, or of the pair.
  function automatic logic is_src(logic [AccAw-1:0] src, logic [AccAw-1:0] element, logic pair);
    logic [AccAw-1:0] differs;
    differs = src ^ element;
    if (pair) differs[0] = 1'b0;
    is_src = differs == '0;
  endfunction

  logic next_pair;
  assign next_pair = is_pair(next.op);
  assign next_held = may_hold_q && check_q.src == next.src;
  assign next_split = !next.use_imm && !next_held &&
                      (next_pair || (next.dst != next.src && next.dst[LogBanks-1:0] == next.src[LogBanks-1:0]));

  // Which accesses wrote dst, or src, of the micro-op that is checked: index 0 is the one in the access stage, i one
  // that was done i cycles ago. One that is done Latency cycles ago does not matter any more when this one is.
  logic [Latency-1:0] dst_meets_q, src_meets_q, dst_meets, src_meets;
  logic               writes;  // the access stage does, and is done in this cycle
  logic               reads_src, first_of_two, waits, move;

  assign writes = access_valid_q && access_dst_q && granted;
  assign reads_src = !check_q.use_imm && !held_q;
  assign first_of_two = split_q && !src_done_q;
  always_comb begin
    waits = 1'b0;
    if (!first_of_two && dst_meets_q != '0) waits = 1'b1;
    if (reads_src && !src_done_q && src_meets_q != '0) waits = 1'b1;
  end
  // A part of an element before is still to go through the lanes when this access would be done; one that reads src only
  // needs its registers a cycle later. Bit i: an access of dst was done i cycles ago, or is now if it is granted.
  localparam logic [Latency:0] PassMask = (Latency + 1)'((1 << (Passes - 1)) - 1);
  logic [Latency:0] recent;
  logic             passes, src_passes;
  assign recent = {valid_q, access_valid_q && access_dst_q};
  assign passes = (recent & PassMask) != '0;
  assign src_passes = (recent & (PassMask >> 1)) != '0;
  // Without an access there is nothing that would not be granted.
  assign move = check_valid_q && !waits && !(first_of_two ? src_passes : passes) && granted;
  assign take = next_valid && (!check_valid_q || (move && !first_of_two));

  // Of the micro-op that is checked in the next cycle: with a new one all is compared, else what is known grows older.
  for (genvar i = 0; i < Latency; i++) begin : gen_meets
    logic dst_same, src_same, there;
    if (i == 0) begin : gen_access
      // The access stage then has what is checked now, or keeps what it has.
      assign there = move ? !first_of_two : access_valid_q && access_dst_q && !granted;
      assign dst_same = next.dst == (check_valid_q ? check_q.dst : access_q.dst);
      assign src_same = is_src(next.src, check_valid_q ? check_q.dst : access_q.dst, next_pair);
      assign dst_meets[0] = take ? there && dst_same : dst_meets_q[0] && !granted;
      assign src_meets[0] = take ? there && src_same : src_meets_q[0] && !granted;
    end else if (i == 1) begin : gen_done
      assign there = writes;
      assign dst_same = next.dst == access_q.dst;
      assign src_same = is_src(next.src, access_q.dst, next_pair);
      assign dst_meets[1] = take ? there && dst_same : dst_meets_q[0] && granted;
      assign src_meets[1] = take ? there && src_same : src_meets_q[0] && granted;
    end else begin : gen_older
      assign there = valid_q[i-1];
      assign dst_same = next.dst == dst_q[i-1];
      assign src_same = is_src(next.src, dst_q[i-1], next_pair);
      assign dst_meets[i] = take ? there && dst_same : dst_meets_q[i-1];
      assign src_meets[i] = take ? there && src_same : src_meets_q[i-1];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      check_valid_q <= 1'b0;
      src_done_q <= 1'b0;
      may_hold_q <= 1'b0;
    end else begin
      if (take) check_valid_q <= 1'b1;
      else if (move && !first_of_two) check_valid_q <= 1'b0;
      if (move) src_done_q <= first_of_two;
      if (take) may_hold_q <= !next.last && !next.use_imm && !is_src(next.src, next.dst, next_pair);
    end
    dst_meets_q <= dst_meets;
    src_meets_q <= src_meets;
    if (take) begin
      check_q <= next;
      held_q <= next_held;
      split_q <= next_split;
    end
  end

  // ---- Access ----------------------------------------------------------------------------------
  logic access;         // of dst
  logic access_pair_q;  // of src and its neighbour, this one by the port of dst
  logic [Banks-1:0] dst_banks_q, src_banks_q, banks_q;  // the last is both, from a register, for the grant
  logic [Banks-1:0] dst_banks, src_banks;
  logic first_of_pair;
  logic [AccAw-1:0] to_dst, to_src;  // of the access to come

  // The first access of a pair has the neighbour's address in the place of dst.
  assign first_of_pair = first_of_two && is_pair(check_q.op);
  assign to_dst = first_of_pair ? check_q.src | AccAw'(1) : check_q.dst;
  assign to_src = first_of_pair ? check_q.src & ~(AccAw'(1)) : check_q.src;

  assign dst_banks = Banks'(!first_of_two || first_of_pair) << to_dst[LogBanks-1:0];
  assign src_banks = Banks'(reads_src && !src_done_q) << to_src[LogBanks-1:0];

  // The number of the word that TABLE writes goes with it in the place of its immediate.
  vta_pkg::alu_info_t access_info;
  logic [15:0]        access_imm;
  always_comb begin
    access_imm = access_q.imm;
    if (vta_pkg::ExtLut && access_q.op == vta_pkg::AluOpTable) access_imm = access_q.imm + 16'(access_q.dst);
  end
  assign access_info = {access_q.op, access_q.use_imm, access_imm};

  assign granted = acc_gnt_i;
  assign acc_dst_req_o = access_valid_q && (access_dst_q || access_pair_q);
  assign acc_src_req_o = access_valid_q && access_src_q;
  assign acc_dst_banks_o = dst_banks_q;
  assign acc_src_banks_o = src_banks_q;
  assign acc_banks_o = banks_q;
  assign acc_dst_addr_o = access_q.dst;
  assign acc_src_addr_o = access_q.src;
  assign access = access_valid_q && access_dst_q && granted;
  assign uop_done_o = access;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      access_valid_q <= 1'b0;
      valid_q <= '0;
      dst_banks_q <= '0;
      src_banks_q <= '0;
      banks_q <= '0;
    end else begin
      if (move) begin
        access_valid_q <= 1'b1;
        dst_banks_q <= dst_banks;
        src_banks_q <= src_banks;
        banks_q <= dst_banks | src_banks;
      end else if (granted) begin
        access_valid_q <= 1'b0;
        dst_banks_q <= '0;
        src_banks_q <= '0;
        banks_q <= '0;
      end
      valid_q <= {valid_q[Latency-1:1], access};
    end
    // What does not move is taken too, and is no access.
    if (granted) begin
      access_q <= check_q;
      access_dst_q <= !first_of_two;
      access_src_q <= reads_src && !src_done_q;
      access_held_q <= src_done_q || held_q;
      access_pair_q <= first_of_pair;
      access_q.src <= to_src;
      access_q.dst <= to_dst;
    end
  end

  // ---- After the access ------------------------------------------------------------------------
  logic use_imm_q;
  // With several passes what is done stays as it is during them, and is in the lanes' first cycle a cycle later.
  logic [$bits(access_info):0]     read_q, read;  // and whether there is a bias
  // Cycles in which the lanes look at the operation and at the immediate.
  localparam int unsigned OpCycles = 3;
  localparam int unsigned ImmCycles = vta_pkg::ExtRequant ? vta_pkg::AluRoundsApart ? 5 : 4 : 2;
  vta_pkg::alu_op_e       op_q [1:OpCycles] /*verilator split_var*/;
  logic [15:0]            imm_q [1:ImmCycles] /*verilator split_var*/;
  logic [Latency-1:1]     last_q;
  logic [SlotWidth-1:0]   slot_q [1:Latency-1] /*verilator split_var*/;

  logic biases_q;
  assign read = Passes > 1 ? read_q : {access_info, is_pair(access_q.op)};
  always_ff @(posedge clk_i) begin
    if (access) read_q <= {access_info, is_pair(access_q.op)};
    {op_q[1], use_imm_q, imm_q[1], biases_q} <= read;
    dst_q[1] <= access_q.dst;
    slot_q[1] <= access_q.slot;
    last_q <= {last_q[Latency-2:1], access_q.last};
  end
  for (genvar i = 2; i <= Latency; i++) begin : gen_dst
    always_ff @(posedge clk_i) dst_q[i] <= dst_q[i-1];
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
    .dst_read_i(access),
    .src_read_i(acc_src_req_o && granted),
    .pair_read_i(acc_src_req_o && granted && access_pair_q),
    .dst_odd_i(access_q.dst[0]),
    .src_odd_i(access_q.src[0]),
    .src_kept_i(access_held_q),
    .dst_rdata_i(acc_dst_rdata_i),
    .src_rdata_i(acc_src_rdata_i),
    .dst_o(dst_part),
    .src_o(src_part),
    .bias_o(bias_part),
    .pass_o(pass),
    .shift_o(requant_shift)
  );

  // Index i: a part of an element is in the lanes' cycle i.
  logic [LaneStages:1] works;
  if (Passes == 1) begin : gen_whole
    assign works = valid_q[LaneStages:1];
  end else begin : gen_parts
    logic [LaneStages:1] works_q;
    assign works = works_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) works_q <= '0;
      else works_q <= {works_q[LaneStages-1:1], valid_q[Passes:1] != '0};
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
  assign amount = !is_pair(op_q[1]) ? imm_q[1][5:0] :
                  Passes > 1 ? held_amount_q : requant_shift;
  always_ff @(posedge clk_i) held_amount_q <= requant_shift;
  logic       clips_round_q, clips_shift_q;
  always_ff @(posedge clk_i) begin
    subtract_q <= op_q[1] != vta_pkg::AluOpAdd;
    amount_q <= amount;
    clips_round_q <= is_pair(op_q[3]);
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
        if (valid_q[LaneLatency+p]) done_q[p*PartBits+:PartBits] <= result;
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
    .valid_i(valid_q[LastPart]),
    .data_i(element),
    .valid_o(acc_we_o),
    .data_o(acc_wdata_o)
  );
  assign acc_waddr_o = dst_q[Latency];
  assign done_o = valid_q[Latency-1] && last_q[Latency-1];
  assign done_slot_o = slot_q[Latency-1];
endmodule
