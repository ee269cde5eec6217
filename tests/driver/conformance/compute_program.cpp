#include "tests/driver/conformance/compute_program.h"

namespace vta::driver::conformance {

ComputeProgram::ComputeProgram(const std::string& spec, const HwConfig& hw, std::vector<Uop> uops)
    : machine_(spec, hw), shift_uop_(static_cast<uint32_t>(uops.size())) {
  uops.push_back({0, 0, 0});
  machine_.writeUops(uops);
  machine_.add(Instruction::load(row(MemoryType::kUop, 0, 0, static_cast<uint32_t>(uops.size()))));
}

void ComputeProgram::loadAcc(uint32_t first, const Lanes& lanes) {
  const auto count = static_cast<uint32_t>(lanes.size() / machine_.lanesOf(MemoryType::kAcc));
  machine_.writeLanes(MemoryType::kAcc, acc_dram_, lanes);
  add(Instruction::load(row(MemoryType::kAcc, first, acc_dram_, count)));
  acc_dram_ += count;
}

void ComputeProgram::loadOperands(const Lanes& inp, const Lanes& wgt) {
  const auto inps = static_cast<uint32_t>(inp.size() / machine_.lanesOf(MemoryType::kInp));
  const auto wgts = static_cast<uint32_t>(wgt.size() / machine_.lanesOf(MemoryType::kWgt));
  machine_.writeLanes(MemoryType::kInp, 0, inp);
  machine_.writeLanes(MemoryType::kWgt, 0, wgt);
  machine_.add(Instruction::load(row(MemoryType::kInp, 0, 0, inps)));
  machine_.add(Instruction::load(row(MemoryType::kWgt, 0, 0, wgts), {.push_next = true}));
  waits_for_load_ = true;
}

void ComputeProgram::add(Instruction insn) {
  if (waits_for_load_ && insn.unit() == Unit::kCompute) {
    insn.tokens.pop_prev = true;
    waits_for_load_ = false;
  }
  machine_.add(insn);
}

Lanes ComputeProgram::run(uint32_t count) {
  for (uint32_t byte = 0; byte < 4; ++byte) {
    AluInsn shift = aluOnce(AluOpcode::kShr);
    shift.use_imm = true;
    shift.imm = byte == 0 ? 0 : 8;
    shift.uop_bgn = shift_uop_;
    shift.uop_end = shift_uop_ + 1;
    shift.iter_in = count;
    shift.dst_factor_in = 1;
    shift.src_factor_in = 1;
    machine_.add(Instruction::alu(shift, {.pop_next = byte > 0, .push_next = true}));
    machine_.add(Instruction::store(row(MemoryType::kOut, 0, byte * count, count),
                                    {.pop_prev = true, .push_prev = true}));
  }
  machine_.add(Instruction::finish({.pop_next = true}));
  const LaunchResult result = machine_.launch();
  if (result.fault) {
    ADD_FAILURE() << result.fault->instruction << ": " << result.fault->disassembly << ": "
                  << result.fault->reason;
    return {};
  }
  Lanes lanes(size_t{count} * machine_.lanesOf(MemoryType::kOut));
  for (uint32_t byte = 0; byte < 4; ++byte) {
    const Lanes bytes = machine_.readOut(byte * count, count);
    for (size_t i = 0; i < lanes.size(); ++i) {
      const uint32_t bits = static_cast<uint32_t>(bytes[i]) & 0xff;
      lanes[i] = static_cast<int32_t>(static_cast<uint32_t>(lanes[i]) | bits << (8 * byte));
    }
  }
  return lanes;
}

AluInsn aluOnce(AluOpcode opcode, uint32_t uop_end) {
  AluInsn insn;
  insn.alu_opcode = opcode;
  insn.uop_end = uop_end;
  insn.iter_out = 1;
  insn.iter_in = 1;
  return insn;
}

AluInsn immediateOnce(AluOpcode opcode) {
  AluInsn insn = aluOnce(opcode);
  insn.use_imm = true;
  return insn;
}

GemmInsn gemmOnce(uint32_t uop_end) {
  GemmInsn insn;
  insn.uop_end = uop_end;
  insn.iter_out = 1;
  insn.iter_in = 1;
  return insn;
}

}  // namespace vta::driver::conformance
