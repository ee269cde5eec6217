// Which unit executes an instruction, and whether it is legal: codes, extensions, token directions, taps, and the
// operands and immediates of ALU operations.
//
// Combinational. Ranges of indices are the units' business. At most one of is_load_o and is_store_o is set; with
// neither compute executes it.
module vta_decode (
  input  logic [vta_pkg::InsnBits-1:0] insn_i,
  // The unit, if the instruction is legal: load, store, else compute; FINISH is one of compute's.
  output logic                         is_load_o,
  output logic                         is_store_o,
  output logic                         is_finish_o,
  output logic                         illegal_o
);

  logic [2:0] opcode;
  logic [2:0] memory_type;
  logic [vta_pkg::MemPadKindWidth-1:0] pad_kind;
  logic [vta_pkg::AluAluPageWidth+vta_pkg::AluAluOpcodeWidth-1:0] alu_code;
  logic use_imm;
  logic [15:0] imm;
  vta_pkg::tokens_t tokens;

  assign opcode = insn_i[vta_pkg::InsnOpcodeLsb+:3];
  assign memory_type = insn_i[vta_pkg::MemMemoryTypeLsb+:3];
  assign pad_kind = insn_i[vta_pkg::MemPadKindLsb+:vta_pkg::MemPadKindWidth];
  assign alu_code = {
    insn_i[vta_pkg::AluAluPageLsb+:vta_pkg::AluAluPageWidth],
    insn_i[vta_pkg::AluAluOpcodeLsb+:vta_pkg::AluAluOpcodeWidth]
  };
  assign use_imm = insn_i[vta_pkg::AluUseImmLsb];
  assign imm = insn_i[vta_pkg::AluImmLsb+:16];
  assign tokens = vta_pkg::tokens_of(insn_i);

  // What the table of memories says of the type: bits indexed by it.
  localparam logic [7:0] MemTypesLoaded = vta_pkg::MemTypesLoaded;
  localparam logic [7:0] MemTypesOfLoadUnit = vta_pkg::MemTypesOfLoadUnit;

  logic bad_pad;
  logic bad_alu;
  logic signed [7:0] clip_low;
  logic signed [7:0] clip_high;

  assign clip_low = imm[7:0];
  assign clip_high = imm[15:8];
  assign bad_pad = pad_kind > vta_pkg::MemPadKindWidth'(vta_pkg::ExtPadMin);

  assign is_load_o = opcode == vta_pkg::OpcodeLoad && MemTypesOfLoadUnit[memory_type];
  assign is_store_o = opcode == vta_pkg::OpcodeStore;
  assign is_finish_o = opcode == vta_pkg::OpcodeFinish;

  // What the table of ALU operations says of the code: bits indexed by it.
  localparam int unsigned OpWidth = vta_pkg::AluOpWidth;
  localparam logic [(1<<OpWidth)-1:0] IsThere = vta_pkg::AluIsThere;
  localparam logic [(1<<OpWidth)-1:0] TakesTensor = vta_pkg::AluTakesTensor;
  localparam logic [(1<<OpWidth)-1:0] TakesImmediate = vta_pkg::AluTakesImmediate;
  localparam logic [(1<<OpWidth)-1:0] ImmIsShift = vta_pkg::AluImmIsShift;
  localparam logic [(1<<OpWidth)-1:0] ImmIsRange = vta_pkg::AluImmIsRange;
  localparam logic [(1<<OpWidth)-1:0] ImmIsZero = vta_pkg::AluImmIsZero;

  logic [OpWidth-1:0] alu_op;
  logic bad_code;
  logic bad_operand;
  logic bad_imm;

  assign alu_op = alu_code[OpWidth-1:0];
  assign bad_code = (alu_code >> OpWidth) != '0 || !IsThere[alu_op];
  assign bad_operand = use_imm ? !TakesImmediate[alu_op] : !TakesTensor[alu_op];
  assign bad_imm = (ImmIsShift[alu_op] && (imm[15:6] != '0 || imm[5:0] > 6'(vta_pkg::AluMaxShift))) ||
                   (ImmIsRange[alu_op] && clip_low > clip_high) || (ImmIsZero[alu_op] && imm != '0);
  assign bad_alu = bad_code || bad_operand || bad_imm;

  // A depthwise GEMM: whether there is such a mode, and the number of taps, less one.
  logic is_depthwise;
  logic bad_gemm;
  logic [vta_pkg::TapsWidth-1:0] more_taps;

  assign is_depthwise = insn_i[vta_pkg::GemmDepthwiseLsb];
  assign more_taps = insn_i[vta_pkg::GemmIterInLsb+vta_pkg::DepthwiseIterInWidth+:vta_pkg::TapsWidth];
  assign bad_gemm = is_depthwise && (!vta_pkg::ExtDepthwise || 32'(more_taps) >= vta_pkg::InpReadElems);

  always_comb begin
    unique case (opcode)
      vta_pkg::OpcodeLoad:
      illegal_o = bad_pad || !MemTypesLoaded[memory_type] || (is_load_o && (tokens.pop_prev || tokens.push_prev));
      vta_pkg::OpcodeStore:
      illegal_o = bad_pad || memory_type != vta_pkg::MemTypeOut || tokens.pop_next || tokens.push_next;
      vta_pkg::OpcodeAlu: illegal_o = bad_alu;
      vta_pkg::OpcodeGemm: illegal_o = bad_gemm;
      vta_pkg::OpcodeFinish: illegal_o = 1'b0;
      default: illegal_o = 1'b1;
    endcase
  end

  logic unused;
  assign unused = &{1'b0, insn_i};

endmodule
