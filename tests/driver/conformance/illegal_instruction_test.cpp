// Instructions that are illegal: opcodes, memory types, extensions that the hardware lacks, fields
// without a meaning.
#include "isa/instruction/handover.h"
#include "isa/spec/accumulator.h"
#include "tests/driver/conformance/fault_case.h"

namespace vta::driver::conformance {
namespace {

class IllegalInstructionTest : public FaultCase {};

TEST_P(IllegalInstructionTest, IllegalOpcodesAndMemoryTypes) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  const HwConfig hw = HwConfig::makeDefault();
  for (const uint64_t opcode : {5, 6, 7}) {
    Machine machine(spec(), hw);
    machine.addRaw(rawInstruction(Instruction::finish(), 7, opcode));
    machine.add(Instruction::finish());
    expectFault(machine, FaultKind::kIllegalInstruction, 0, "", "opcode");
  }
  for (const uint64_t type : {6, 7}) {
    Machine machine(spec(), hw);
    machine.addRaw(rawInstruction(Instruction::load({}), 7 << 7, type << 7));
    machine.add(Instruction::finish());
    expectFault(machine, FaultKind::kIllegalInstruction, 0, "",
                type == 6 ? "no extension transpose" : "no extension handover");
  }
}

TEST_P(IllegalInstructionTest, ExtensionsThatTheHardwareLacks) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  MemInsn padded;
  padded.memory_type = MemoryType::kAcc;
  padded.pad_kind = PadKind::kMin;
  const std::pair<Instruction, std::string> cases[] = {
      {Instruction::alu(aluOnce(AluOpcode::kQmul)), "qmul"},
      {Instruction::alu(aluOnce(AluOpcode::kClip)), "clip"},
      {Instruction::alu(aluOnce(AluOpcode::kPrelu)), "prelu"},
      {Instruction::alu(aluOnce(AluOpcode::kRequant)), "requant"},
      {Instruction::alu(immediateOnce(AluOpcode::kTable)), "lut"},
      {Instruction::alu(immediateOnce(AluOpcode::kLut)), "lut"},
      {Instruction::gemm({.depthwise = true, .taps = 2}), "depthwise"},
      {Instruction::load(padded), "pad_min"}};
  const HwConfig plain = rtlTestConfig("plain-1x16x4");
  HwParams extended = plain.params();
  extended.acc_width_bits = kAccDramBits;  // which a table's encoding needs
  extended.ext_qmul = extended.ext_clip = extended.ext_pad_min = true;
  extended.ext_prelu = extended.ext_requant = extended.ext_depthwise = extended.ext_lut = true;
  for (const auto& [insn, extension] : cases) {
    Machine machine(spec(), plain);
    machine.addRaw(rawInstruction(insn, 0, 0, HwConfig::create(extended).value()));
    machine.add(Instruction::finish());
    expectFault(machine, FaultKind::kIllegalInstruction, 0, "", extension);
  }
}

TEST_P(IllegalInstructionTest, MeaninglessInstructions) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  const FaultKind kind = FaultKind::kIllegalInstruction;
  expectFaultOf(Instruction::load(row(MemoryType::kOut, 0, 0, 1)), kind, "load out", "OUT");
  expectFaultOf(Instruction::store(row(MemoryType::kAcc, 0, 0, 1)), kind, "store acc", "ACC");
  const MemInsn inp = row(MemoryType::kInp, 0, 0, 1);
  expectFaultOf(Instruction::load(inp, {.pop_prev = true}), kind, "load inp", "previous unit");
  expectFaultOf(Instruction::load(inp, {.push_prev = true}), kind, "load inp", "previous unit");
  const MemInsn out = row(MemoryType::kOut, 0, 0, 1);
  expectFaultOf(Instruction::store(out, {.pop_next = true}), kind, "store out", "next unit");
  expectFaultOf(Instruction::store(out, {.push_next = true}), kind, "store out", "next unit");
  AluInsn qmul = aluOnce(AluOpcode::kQmul);
  qmul.imm = 63;
  expectFaultOf(Instruction::alu(qmul), kind, "qmul", "63");
  qmul.imm = 3;
  qmul.use_imm = true;
  expectFaultOf(Instruction::alu(qmul), kind, "qmul", "use_imm");
  AluInsn clip = aluOnce(AluOpcode::kClip);
  expectFaultOf(Instruction::alu(clip), kind, "clip", "use_imm");
  clip.use_imm = true;
  clip.imm = 5;
  expectFaultOf(Instruction::alu(clip), kind, "clip", "5 to 0");
  qmul.use_imm = false;
  qmul.imm = -1;
  expectFaultOf(Instruction::alu(qmul), kind, "qmul", "-1");
}

TEST_P(IllegalInstructionTest, TransposedWeights) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  const HwConfig hw = rtlTestConfig("short-queues-2x4x4");
  const uint32_t depth = hw.depthElems(MemoryType::kWgt);
  const MemInsn fits = row(MemoryType::kWgtTransposed, depth - 1, 0, 1);
  const FaultKind illegal = FaultKind::kIllegalInstruction;
  const struct {
    Instruction insn;
    FaultKind kind;
    std::string reason;
  } cases[] = {{Instruction::load(row(MemoryType::kWgtTransposed, depth - 1, 0, 2)),
                FaultKind::kSramBounds, std::to_string(depth)},
               {Instruction::load(fits, {.pop_prev = true}), illegal, "previous unit"},
               {Instruction::store(fits), illegal, "WGT_TRANSPOSED"}};
  for (const auto& [insn, kind, reason] : cases) {
    Machine machine(spec(), hw);
    machine.add(insn);
    machine.add(Instruction::finish());
    expectFault(machine, kind, 0, "wgt_transposed", reason);
  }
  Machine machine(spec(), hw);
  machine.writeLanes(MemoryType::kWgt, 0, Lanes(machine.lanesOf(MemoryType::kWgt), 1));
  machine.add(Instruction::load(fits));
  machine.add(Instruction::finish());
  EXPECT_FALSE(machine.launch().fault.has_value());
}

TEST_P(IllegalInstructionTest, Handovers) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  for (const char* name : {"short-queues-2x4x4", "sequential-1x4x8", "odd-depths-wide-2x2x2"}) {
    const HwConfig hw = rtlTestConfig(name);
    const uint32_t inp_depth = hw.depthElems(MemoryType::kInp);
    const auto out_depth = static_cast<uint32_t>(handoverDepth(hw));
    const MemInsn fits = row(MemoryType::kInpFromOut, inp_depth - 1, out_depth - 1, 1);
    MemInsn past_out = row(MemoryType::kInpFromOut, 0, 0, 1);
    past_out.y_size = 2;
    past_out.x_stride = out_depth;
    const FaultKind illegal = FaultKind::kIllegalInstruction;
    const struct {
      Instruction insn;
      FaultKind kind;
      std::string reason;
    } cases[] = {{Instruction::load(row(MemoryType::kInpFromOut, inp_depth - 1, 0, 2)),
                  FaultKind::kSramBounds, std::to_string(inp_depth)},
                 {Instruction::load(row(MemoryType::kInpFromOut, 0, out_depth - 1, 2)),
                  FaultKind::kSramBounds, std::to_string(out_depth)},
                 {Instruction::load(past_out), FaultKind::kSramBounds, std::to_string(out_depth)},
                 {Instruction::load(fits, {.push_prev = true}), illegal, "previous unit"},
                 {Instruction::store(fits), illegal, "INP_FROM_OUT"}};
    for (const auto& [insn, kind, reason] : cases) {
      Machine machine(spec(), hw);
      machine.add(insn);
      machine.add(Instruction::finish());
      expectFault(machine, kind, 0, "inp_from_out", reason);
    }
  }
}

TEST_P(IllegalInstructionTest, NothingBehindFinishRuns) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.add(Instruction::finish());
  machine.add(Instruction::load(row(MemoryType::kInp, 2047, 0, 2)));
  machine.addRaw(rawInstruction(Instruction::finish(), 7, 7));
  const LaunchResult result = machine.launch();
  EXPECT_FALSE(result.fault) << result.fault->reason;
}

VTA_INSTANTIATE_CONFORMANCE(IllegalInstructionTest);

}  // namespace
}  // namespace vta::driver::conformance
