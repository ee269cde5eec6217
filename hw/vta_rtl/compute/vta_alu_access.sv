// The ALU's way to ACC: a micro-op is checked, then accesses ACC.
//
// The check stage holds a micro-op until it may access ACC, the access stage asks for its banks until it has them. A
// tensor operation reads dst and src in one access when they are in different banks or the same element, else src in one
// access and dst in a later one; an element of src that the micro-op before had too is not read again. The check stage
// waits while an element that the access reads is still to be written by the ALU.
//
// REQUANT's src is a pair of elements, in two banks: one access reads both, with both ports, and a later one dst.
module vta_alu_access #(
  // log2 of the banks of ACC.
  parameter int unsigned LogBanks = vta_pkg::AccLogBanks,
  localparam int unsigned Banks = 1 << LogBanks,
  localparam int unsigned Latency = vta_pkg::AccLatency
) (
  // Clock; synchronous reset; clear_i before a launch.
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  // The oldest micro-op, and whether it is taken.
  input  logic              next_valid_i,
  input  vta_pkg::alu_uop_t next_i,
  output logic              take_o,

  // Access to ACC, as vta_alu says.
  output logic                            acc_dst_req_o,
  output logic [Banks-1:0]                acc_dst_banks_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_dst_addr_o,
  output logic                            acc_src_req_o,
  output logic [Banks-1:0]                acc_src_banks_o,
  output logic [Banks-1:0]                acc_banks_o,
  output logic [vta_pkg::AccLogDepth-1:0] acc_src_addr_o,
  input  logic                            acc_gnt_i,

  // What is read in this cycle: dst; src, with it or alone; a pair in the place of src. The micro-op in the access stage,
  // and whether its src has been read before.
  output logic              dst_read_o,
  output logic              src_read_o,
  output logic              pair_read_o,
  output vta_pkg::alu_uop_t uop_o,
  output logic              src_kept_o,

  // Index i: an access of dst was done i cycles ago. The element of the oldest, which is written in this cycle.
  output logic [Latency:1]                valid_o,
  output logic [vta_pkg::AccLogDepth-1:0] waddr_o
);
  localparam int unsigned AccAw = vta_pkg::AccLogDepth;
  localparam int unsigned Passes = vta_pkg::AluPasses;

  // ---- Check -----------------------------------------------------------------------------------
  // The micro-op that is checked, and what was found out about it when it came: the element of src is held, when the
  // micro-op before, of the same instruction, had the same and did not write it; the first of two accesses reads src
  // only.
  logic check_valid_q, may_hold_q, held_q, split_q, src_done_q;
  logic next_held, next_split;
  vta_pkg::alu_uop_t check_q;
  // In the access stage.
  logic access_valid_q, access_dst_q, access_src_q, access_held_q, granted;
  vta_pkg::alu_uop_t access_q;
  // Index i: i cycles after an access of dst.
  logic [Latency:1] valid_q;
  logic [AccAw-1:0] dst_q [1:Latency] /*verilator split_var*/;

  // Whether an element is the one that src names, or of the pair.
  function automatic logic is_src(logic [AccAw-1:0] src, logic [AccAw-1:0] element, logic pair);
    logic [AccAw-1:0] differs;
    differs = src ^ element;
    if (pair) differs[0] = 1'b0;
    is_src = differs == '0;
  endfunction

  logic next_pair;
  assign next_pair = vta_pkg::alu_reads_pair(next_i.op);
  assign next_held = may_hold_q && check_q.src == next_i.src;
  assign next_split = !next_i.use_imm && !next_held &&
                      (next_pair || (next_i.dst != next_i.src && next_i.dst[LogBanks-1:0] == next_i.src[LogBanks-1:0]));

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
  assign take_o = next_valid_i && (!check_valid_q || (move && !first_of_two));

  // Of the micro-op that is checked in the next cycle: with a new one all is compared, else what is known grows older.
  for (genvar i = 0; i < Latency; i++) begin : gen_meets
    logic dst_same, src_same, there;
    if (i == 0) begin : gen_access
      // The access stage then has what is checked now, or keeps what it has.
      assign there = move ? !first_of_two : access_valid_q && access_dst_q && !granted;
      assign dst_same = next_i.dst == (check_valid_q ? check_q.dst : access_q.dst);
      assign src_same = is_src(next_i.src, check_valid_q ? check_q.dst : access_q.dst, next_pair);
      assign dst_meets[0] = take_o ? there && dst_same : dst_meets_q[0] && !granted;
      assign src_meets[0] = take_o ? there && src_same : src_meets_q[0] && !granted;
    end else if (i == 1) begin : gen_done
      assign there = writes;
      assign dst_same = next_i.dst == access_q.dst;
      assign src_same = is_src(next_i.src, access_q.dst, next_pair);
      assign dst_meets[1] = take_o ? there && dst_same : dst_meets_q[0] && granted;
      assign src_meets[1] = take_o ? there && src_same : src_meets_q[0] && granted;
    end else begin : gen_older
      assign there = valid_q[i-1];
      assign dst_same = next_i.dst == dst_q[i-1];
      assign src_same = is_src(next_i.src, dst_q[i-1], next_pair);
      assign dst_meets[i] = take_o ? there && dst_same : dst_meets_q[i-1];
      assign src_meets[i] = take_o ? there && src_same : src_meets_q[i-1];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      check_valid_q <= 1'b0;
      src_done_q <= 1'b0;
      may_hold_q <= 1'b0;
    end else begin
      if (take_o) check_valid_q <= 1'b1;
      else if (move && !first_of_two) check_valid_q <= 1'b0;
      if (move) src_done_q <= first_of_two;
      if (take_o) may_hold_q <= !next_i.last && !next_i.use_imm && !is_src(next_i.src, next_i.dst, next_pair);
    end
    dst_meets_q <= dst_meets;
    src_meets_q <= src_meets;
    if (take_o) begin
      check_q <= next_i;
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
  assign first_of_pair = first_of_two && vta_pkg::alu_reads_pair(check_q.op);
  assign to_dst = first_of_pair ? check_q.src | AccAw'(1) : check_q.dst;
  assign to_src = first_of_pair ? check_q.src & ~(AccAw'(1)) : check_q.src;

  assign dst_banks = Banks'(!first_of_two || first_of_pair) << to_dst[LogBanks-1:0];
  assign src_banks = Banks'(reads_src && !src_done_q) << to_src[LogBanks-1:0];

  assign granted = acc_gnt_i;
  assign acc_dst_req_o = access_valid_q && (access_dst_q || access_pair_q);
  assign acc_src_req_o = access_valid_q && access_src_q;
  assign acc_dst_banks_o = dst_banks_q;
  assign acc_src_banks_o = src_banks_q;
  assign acc_banks_o = banks_q;
  assign acc_dst_addr_o = access_q.dst;
  assign acc_src_addr_o = access_q.src;
  assign access = access_valid_q && access_dst_q && granted;

  assign dst_read_o = access;
  assign src_read_o = acc_src_req_o && granted;
  assign pair_read_o = src_read_o && access_pair_q;
  assign src_kept_o = access_held_q;
  assign uop_o = access_q;
  assign valid_o = valid_q;
  assign waddr_o = dst_q[Latency];

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
    dst_q[1] <= access_q.dst;
  end
  for (genvar i = 2; i <= Latency; i++) begin : gen_dst
    always_ff @(posedge clk_i) dst_q[i] <= dst_q[i-1];
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      banks_of_requests : assert (acc_banks_o == (acc_dst_banks_o | acc_src_banks_o) &&
                                  acc_dst_req_o == (acc_dst_banks_o != '0) && acc_src_req_o == (acc_src_banks_o != '0));
      two_banks_at_once : assert ((acc_dst_banks_o & acc_src_banks_o) == '0 || acc_dst_addr_o == acc_src_addr_o);
      one_part_at_a_time : assert (!dst_read_o || (valid_q & PassMask[Latency-1:0]) == '0);
    end
  end
endmodule
