// Which unit executes an instruction, and whether it is legal: codes, extensions, token directions and the immediates
// of QMUL and CLIP.
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
  logic [2:0] alu_opcode;
  logic use_imm;
  logic signed [15:0] imm;
  vta_pkg::tokens_t tokens;

  assign opcode = insn_i[vta_pkg::InsnOpcodeLsb+:3];
  assign memory_type = insn_i[vta_pkg::MemMemoryTypeLsb+:3];
  assign pad_kind = insn_i[vta_pkg::MemPadKindLsb+:vta_pkg::MemPadKindWidth];
  assign alu_opcode = insn_i[vta_pkg::AluAluOpcodeLsb+:3];
  assign use_imm = insn_i[vta_pkg::AluUseImmLsb];
  assign imm = insn_i[vta_pkg::AluImmLsb+:16];
  assign tokens = vta_pkg::tokens_of(insn_i);

  logic bad_pad;
  logic bad_alu;
  logic signed [7:0] clip_low;
  logic signed [7:0] clip_high;

  assign clip_low = imm[7:0];
  assign clip_high = imm[15:8];
  assign bad_pad = pad_kind > vta_pkg::MemPadKindWidth'(vta_pkg::ExtPadMin);

  assign is_load_o = opcode == vta_pkg::OpcodeLoad &&
                     (memory_type == vta_pkg::MemTypeInp || memory_type == vta_pkg::MemTypeWgt);
  assign is_store_o = opcode == vta_pkg::OpcodeStore;
  assign is_finish_o = opcode == vta_pkg::OpcodeFinish;

  always_comb begin
    unique case (alu_opcode)
      vta_pkg::AluOpQmul: bad_alu = !vta_pkg::ExtQmul || use_imm || imm < 16'sd0 || imm > 16'(vta_pkg::AluMaxShift);
      vta_pkg::AluOpClip: bad_alu = !vta_pkg::ExtClip || !use_imm || clip_low > clip_high;
      vta_pkg::AluOpMin, vta_pkg::AluOpMax, vta_pkg::AluOpAdd, vta_pkg::AluOpShr, vta_pkg::AluOpMul: bad_alu = 1'b0;
      default: bad_alu = 1'b1;
    endcase
  end

  always_comb begin
    unique case (opcode)
      vta_pkg::OpcodeLoad:
      illegal_o = bad_pad || memory_type == vta_pkg::MemTypeOut || memory_type > vta_pkg::MemTypeAcc8 ||
                  (is_load_o && (tokens.pop_prev || tokens.push_prev));
      vta_pkg::OpcodeStore:
      illegal_o = bad_pad || memory_type != vta_pkg::MemTypeOut || tokens.pop_next || tokens.push_next;
      vta_pkg::OpcodeAlu: illegal_o = bad_alu;
      vta_pkg::OpcodeGemm, vta_pkg::OpcodeFinish: illegal_o = 1'b0;
      default: illegal_o = 1'b1;
    endcase
  end

  logic unused;
  assign unused = &{1'b0, insn_i};

endmodule
