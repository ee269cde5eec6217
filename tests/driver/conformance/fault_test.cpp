// Every kind of fault: its kind, the instruction's number, its disassembly and the reason.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>

#include "driver/device_registry.h"
#include "isa/instruction/encoding.h"
#include "isa/spec/accumulator.h"
#include "tests/driver/conformance/compute_program.h"

namespace vta::driver::conformance {
namespace {

using testing::HasSubstr;

class FaultTest : public ConformanceTest {
 protected:
  /// Launches and checks the fault.
  static void expectFault(Machine& machine, FaultKind kind, uint32_t instruction,
                          const std::string& disassembly, const std::string& reason) {
    const LaunchResult result = machine.launch();
    ASSERT_TRUE(result.fault.has_value());
    EXPECT_EQ(faultKindName(result.fault->kind), faultKindName(kind));
    EXPECT_EQ(result.fault->instruction, instruction);
    EXPECT_THAT(result.fault->disassembly, HasSubstr(disassembly));
    EXPECT_THAT(result.fault->reason, HasSubstr(reason));
  }

  /// `insn` alone, behind a LOAD of `uops`, is the fault.
  void expectFaultOf(const Instruction& insn, FaultKind kind, const std::string& disassembly,
                     const std::string& reason, const std::vector<Uop>& uops = {{0, 0, 0}}) {
    SCOPED_TRACE(disassembly);
    ComputeProgram program(spec(), HwConfig::makeDefault(), uops);
    Machine& machine = program.machine();
    machine.fillOut(0);
    machine.add(insn);
    machine.add(Instruction::finish());
    expectFault(machine, kind, 1, disassembly, reason);
  }

  /// The encoding of `insn` by a configuration with all extensions, after an edit of its first
  /// word.
  static std::vector<std::byte> rawInstruction(const Instruction& insn, uint64_t clear,
                                               uint64_t set,
                                               const HwConfig& hw = HwConfig::makeDefault()) {
    std::vector<std::byte> bytes;
    EXPECT_TRUE(encodeInstruction(insn, hw, bytes).ok());
    for (size_t i = 0; i < 8; ++i) {
      bytes[i] &= static_cast<std::byte>(~(clear >> (8 * i)) & 0xff);
      bytes[i] |= static_cast<std::byte>(set >> (8 * i) & 0xff);
    }
    return bytes;
  }
};

TEST_P(FaultTest, IllegalOpcodesAndMemoryTypes) {
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
                type == 6 ? "no extension transpose" : "memory_type");
  }
}

TEST_P(FaultTest, ExtensionsThatTheHardwareLacks) {
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

TEST_P(FaultTest, MeaninglessInstructions) {
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

TEST_P(FaultTest, TransfersPastAnSram) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  const FaultKind kind = FaultKind::kSramBounds;
  expectFaultOf(Instruction::load(row(MemoryType::kUop, 8191, 0, 2)), kind, "load uop", "8192");
  expectFaultOf(Instruction::load(row(MemoryType::kInp, 2047, 0, 2)), kind, "load inp", "2048");
  expectFaultOf(Instruction::load(row(MemoryType::kWgt, 1023, 0, 2)), kind, "load wgt", "1024");
  expectFaultOf(Instruction::load(row(MemoryType::kAcc, 2047, 0, 2)), kind, "load acc", "2048");
  expectFaultOf(Instruction::load(row(MemoryType::kAcc8, 2047, 0, 2)), kind, "load acc_8bit",
                "2048");
  expectFaultOf(Instruction::store(row(MemoryType::kOut, 2047, 0, 2)), kind, "store out", "2048");
  MemInsn padded = row(MemoryType::kInp, 2040, 0, 2);
  padded.x_pad_0 = 7;
  expectFaultOf(Instruction::load(padded), kind, "load inp", "2048");
  padded = row(MemoryType::kInp, 2040, 0, 2);
  padded.y_pad_1 = 4;
  expectFaultOf(Instruction::load(padded), kind, "load inp", "2049");
}

TEST_P(FaultTest, TransposedWeights) {
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

// Writes what loads from element 0 on read, of each memory `count` elements and more.
void fillMemory(Machine& machine, uint32_t count) {
  machine.writeUops(std::vector<Uop>(count));
  for (const MemoryType type : {MemoryType::kInp, MemoryType::kWgt, MemoryType::kAcc}) {
    machine.writeLanes(type, 0, Lanes(size_t{count} * machine.lanesOf(type), 1));
  }
}

TEST_P(FaultTest, TransfersEndAtTheLastElement) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  for (const char* name : {"odd-depths-2x8x4", "odd-depths-wide-2x2x2"}) {
    const HwConfig hw = rtlTestConfig(name);
    for (const MemoryType type : {MemoryType::kUop, MemoryType::kInp, MemoryType::kWgt,
                                  MemoryType::kAcc, MemoryType::kAcc8, MemoryType::kOut}) {
      const uint32_t depth = hw.depthElems(type);
      EXPECT_FALSE(std::has_single_bit(depth));
      for (const uint32_t first : {depth - 2, depth - 1}) {
        SCOPED_TRACE(std::string(memoryTypeName(type)) + " from " + std::to_string(first));
        Machine machine(spec(), hw);
        fillMemory(machine, 2);
        const MemInsn two = row(type, first, 0, 2);
        const bool is_out = type == MemoryType::kOut;
        if (is_out) {
          machine.add(
              Instruction::load(row(MemoryType::kAcc, depth - 2, 0, 2), {.push_next = true}));
          machine.add(Instruction::store(two, {.pop_prev = true, .push_prev = true}));
        } else {
          machine.add(Instruction::load(two));
        }
        machine.add(Instruction::finish({.pop_next = is_out}));
        if (first == depth - 2) {
          EXPECT_FALSE(machine.launch().fault.has_value());
        } else {
          expectFault(machine, FaultKind::kSramBounds, is_out ? 1 : 0, "", std::to_string(depth));
        }
      }
    }
  }
}

TEST_P(FaultTest, IndexesEndAtTheLastElement) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  const HwConfig hw = rtlTestConfig("odd-depths-2x8x4");
  const Uop last = {hw.depthElems(MemoryType::kAcc) - 1, hw.depthElems(MemoryType::kInp) - 1,
                    hw.depthElems(MemoryType::kWgt) - 1};
  const auto reaches = [](const char* operand, uint32_t index) {
    return fmt::format("{} index reaches {}", operand, index + 1);
  };
  const struct {
    Uop uop;
    std::string reason;  // empty: it is legal
  } cases[] = {
      {last, ""},
      {{last.dst_idx + 1, last.src_idx, last.wgt_idx}, reaches("dst", last.dst_idx)},
      {{last.dst_idx, last.src_idx + 1, last.wgt_idx}, reaches("src", last.src_idx)},
      {{last.dst_idx, last.src_idx, last.wgt_idx + 1}, reaches("wgt", last.wgt_idx)},
  };
  for (const auto& [uop, reason] : cases) {
    SCOPED_TRACE(reason);
    Machine machine(spec(), hw);
    fillMemory(machine, 1);
    machine.writeUops({uop});
    machine.add(Instruction::load(row(MemoryType::kUop, 0, 0, 1)));
    machine.add(Instruction::load(row(MemoryType::kInp, last.src_idx, 0, 1)));
    machine.add(Instruction::load(row(MemoryType::kWgt, last.wgt_idx, 0, 1), {.push_next = true}));
    machine.add(Instruction::load(row(MemoryType::kAcc, last.dst_idx, 0, 1)));
    machine.add(Instruction::gemm(gemmOnce(), {.pop_prev = true}));
    machine.add(Instruction::finish());
    if (reason.empty()) {
      EXPECT_FALSE(machine.launch().fault.has_value());
    } else {
      expectFault(machine, FaultKind::kSramBounds, 4, "gemm", reason);
    }
  }
}

TEST_P(FaultTest, LoopsAndMicroOpsEndAtTheLastElement) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  const HwConfig hw = rtlTestConfig("odd-depths-2x8x4");
  const uint32_t accs = hw.depthElems(MemoryType::kAcc);
  const uint32_t uops = hw.depthElems(MemoryType::kUop);
  for (const uint32_t more : {0u, 1u}) {
    Machine machine(spec(), hw);
    fillMemory(machine, accs);
    machine.add(Instruction::load(row(MemoryType::kUop, uops - 1, 0, 1)));
    machine.add(Instruction::load(row(MemoryType::kAcc, 0, 0, accs)));
    AluInsn alu = immediateOnce(AluOpcode::kAdd);
    alu.uop_bgn = uops - 1;
    alu.uop_end = uops;
    alu.iter_in = accs + more;
    alu.dst_factor_in = 1;
    machine.add(Instruction::alu(alu));
    machine.add(Instruction::finish());
    if (more == 0) {
      EXPECT_FALSE(machine.launch().fault.has_value());
    } else {
      expectFault(machine, FaultKind::kSramBounds, 2, "alu",
                  fmt::format("dst index reaches {}", accs));
    }
    ComputeProgram past(spec(), hw, {{}});
    alu.uop_bgn = 0;
    alu.uop_end = uops + 1;
    past.machine().add(Instruction::alu(alu));
    past.machine().add(Instruction::finish());
    expectFault(past.machine(), FaultKind::kSramBounds, 1, "alu",
                fmt::format("uop_end is {}", uops + 1));
  }
}

TEST_P(FaultTest, DepthwiseGemmsReadUpToTheLastInput) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  for (const HwConfig& hw : configs()) {
    if (!hw.params().ext_depthwise) continue;
    SCOPED_TRACE(hw.summary());
    const auto taps = static_cast<uint32_t>(hw.params().depthwise_taps);
    const uint32_t depth = hw.depthElems(MemoryType::kInp);
    for (const uint32_t src : {depth - taps, depth - taps + 1}) {
      ComputeProgram program(spec(), hw, {{0, src, 0}});
      Machine& machine = program.machine();
      machine.writeLanes(MemoryType::kInp, 0, Lanes(machine.lanesOf(MemoryType::kInp) * taps, 1));
      machine.writeLanes(MemoryType::kWgt, 0, Lanes(machine.lanesOf(MemoryType::kWgt), 1));
      machine.add(Instruction::load(row(MemoryType::kInp, depth - taps, 0, taps)));
      machine.add(Instruction::load(row(MemoryType::kWgt, 0, 0, 1), {.push_next = true}));
      GemmInsn gemm = gemmOnce();
      gemm.reset = gemm.depthwise = true;
      gemm.taps = taps;
      machine.add(Instruction::gemm(gemm, {.pop_prev = true}));
      machine.add(Instruction::finish());
      if (src + taps <= depth) {
        EXPECT_FALSE(machine.launch().fault.has_value());
      } else {
        expectFault(machine, FaultKind::kSramBounds, 3, "gemm", std::to_string(depth));
      }
    }
  }
}

TEST_P(FaultTest, IndexesPastAnSram) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  const FaultKind kind = FaultKind::kSramBounds;
  const auto gemm = [](auto edit) {
    GemmInsn insn = gemmOnce();
    insn.iter_in = 3;
    edit(insn);
    return Instruction::gemm(insn);
  };
  const std::vector<Uop> last = {{2046, 2046, 1022}};
  expectFaultOf(gemm([](GemmInsn& i) { i.dst_factor_in = 1; }), kind, "gemm",
                "dst index reaches 2048", last);
  expectFaultOf(gemm([](GemmInsn& i) { i.src_factor_in = 1; }), kind, "gemm",
                "src index reaches 2048", last);
  expectFaultOf(gemm([](GemmInsn& i) { i.wgt_factor_in = 1; }), kind, "gemm",
                "wgt index reaches 1024", last);
  expectFaultOf(gemm([](GemmInsn& i) { i.dst_factor_in = 1, i.reset = true; }), kind, "gemm",
                "dst index reaches 2048", last);
  expectFaultOf(gemm([](GemmInsn& i) { i.uop_bgn = 8191, i.uop_end = 8193; }), kind, "gemm",
                "uop_end is 8193");

  AluInsn alu = aluOnce(AluOpcode::kAdd);
  alu.iter_out = 3;
  alu.dst_factor_out = 1;
  expectFaultOf(Instruction::alu(alu), kind, "alu", "dst index reaches 2048", last);
  alu.dst_factor_out = 0;
  alu.src_factor_out = 1;
  expectFaultOf(Instruction::alu(alu), kind, "alu", "src index reaches 2048", last);
  alu.uop_end = 8193;
  expectFaultOf(Instruction::alu(alu), kind, "alu", "uop_end is 8193");
}

TEST_P(FaultTest, MemoryOutsideBuffers) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  const FaultKind kind = FaultKind::kDramBounds;
  const uint32_t inp_elems = Machine::kOperandBytes / 16;
  expectFaultOf(Instruction::load(row(MemoryType::kInp, 0, inp_elems - 1, 2)), kind, "load inp",
                "past the end");
  expectFaultOf(Instruction::store(row(MemoryType::kOut, 0, inp_elems - 1, 2)), kind, "store out",
                "past the end");
  expectFaultOf(Instruction::load(row(MemoryType::kAcc, 0, 0xffffffff, 1)), kind, "load acc",
                "outside");
  MemInsn strided = row(MemoryType::kInp, 0, 0, 4);
  strided.y_size = 3;
  strided.x_stride = inp_elems / 2 - 1;
  expectFaultOf(Instruction::load(strided), kind, "load inp", "row 2");
}

TEST_P(FaultTest, MemoryHoldsWhatWasStoredBefore) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.fillOut(1);
  machine.writeLanes(MemoryType::kAcc, 0, Lanes(32, 5));
  machine.add(Instruction::load(row(MemoryType::kAcc, 0, 0, 2), {.push_next = true}));
  machine.add(Instruction::store(row(MemoryType::kOut, 0, 0, 1), {.pop_prev = true}));
  machine.add(Instruction::store(row(MemoryType::kOut, 2047, 1, 2)));
  machine.add(Instruction::finish());
  ASSERT_TRUE(machine.launch().fault.has_value());
  EXPECT_EQ(machine.readOut(0, 1), Lanes(16, 5));
  EXPECT_EQ(machine.readOut(1, 1), Lanes(16, 1));
}

TEST_P(FaultTest, DeadlockNamesWaitersAndPushers) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.writeLanes(MemoryType::kInp, 0, Lanes(16, 1));
  machine.add(Instruction::load(row(MemoryType::kInp, 0, 0, 1)));
  machine.add(
      Instruction::load(row(MemoryType::kInp, 0, 0, 1), {.pop_next = true, .push_next = true}));
  machine.add(Instruction::gemm({}, {.pop_prev = true, .push_prev = true}));
  machine.add(Instruction::finish({.pop_next = true}));
  const LaunchResult result = machine.launch();
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::kDeadlock);
  EXPECT_EQ(result.fault->instruction, 1u);
  EXPECT_THAT(result.fault->reason, HasSubstr("load waits at instruction 1"));
  EXPECT_THAT(result.fault->reason,
              HasSubstr("a token from compute, which instruction 2 would push"));
  EXPECT_THAT(result.fault->reason, HasSubstr("compute waits at instruction 2"));
  EXPECT_THAT(result.fault->reason, HasSubstr("a token from load, which instruction 1 would push"));
}

TEST_P(FaultTest, TokenThatNobodyPushes) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.add(Instruction::finish({.pop_next = true}));
  expectFault(machine, FaultKind::kDeadlock, 0, "finish", "which no instruction is left to push");
}

TEST_P(FaultTest, TokensLeftOver) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.add(Instruction::gemm({}, {.push_prev = true}));
  machine.add(Instruction::gemm({}, {.push_prev = true, .push_next = true}));
  machine.add(Instruction::finish());
  expectFault(machine, FaultKind::kTokensLeftOver, 2, "finish",
              "2 from compute to load, 1 from compute to store");
}

TEST_P(FaultTest, TokenQueueOverflow) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  Machine machine(spec(), rtlTestConfig("short-queues-2x4x4"));
  for (int i = 0; i < 5; ++i) machine.add(Instruction::gemm({}, {.push_next = true}));
  machine.add(Instruction::finish());
  expectFault(machine, FaultKind::kTokenOverflow, 4, "gemm",
              "from compute to store already holds 4");
}

TEST_P(FaultTest, StreamWithoutFinish) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.add(Instruction::gemm({}));
  machine.add(Instruction::gemm({}));
  expectFault(machine, FaultKind::kDeadlock, 1, "gemm", "without FINISH");
}

TEST_P(FaultTest, StreamOutsideBuffers) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kFaultReports);
  Machine machine(spec(), HwConfig::makeDefault());
  Launch launch;
  launch.instruction_address = 0;
  launch.instruction_count = 1;
  ASSERT_TRUE(machine.device().submit(launch).ok());
  const auto result = machine.device().wait(std::chrono::seconds(1));
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->fault.has_value());
  EXPECT_EQ(result->fault->kind, FaultKind::kDramBounds);
}

TEST_P(FaultTest, NothingBehindFinishRuns) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  Machine machine(spec(), HwConfig::makeDefault());
  machine.add(Instruction::finish());
  machine.add(Instruction::load(row(MemoryType::kInp, 2047, 0, 2)));
  machine.addRaw(rawInstruction(Instruction::finish(), 7, 7));
  const LaunchResult result = machine.launch();
  EXPECT_FALSE(result.fault) << result.fault->reason;
}

TEST_P(FaultTest, UninitialisedReads) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kCheckedMode);
  const FaultKind kind = FaultKind::kUninitialisedRead;
  expectFaultOf(Instruction::store(row(MemoryType::kOut, 3, 0, 1)), kind, "store out",
                "ACC element 3");
  expectFaultOf(Instruction::gemm(gemmOnce()), kind, "gemm", "ACC element 0");
  expectFaultOf(Instruction::alu(aluOnce(AluOpcode::kAdd)), kind, "alu", "ACC element 0");
  expectFaultOf(Instruction::load(row(MemoryType::kInp, 0, 4, 1)), kind, "load inp", "DRAM byte");
  GemmInsn gemm = gemmOnce(5);
  gemm.uop_bgn = 4;
  expectFaultOf(Instruction::gemm(gemm), kind, "gemm", "UOP element 4");
}

TEST_P(FaultTest, RaceOnAScratchpad) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kCheckedMode);
  ComputeProgram program(spec(), HwConfig::makeDefault(), {{0, 0, 0}});
  Machine& machine = program.machine();
  program.loadAcc(0, Lanes(16, 0));
  program.loadOperands(Lanes(16, 1), Lanes(256, 1));
  program.add(Instruction::gemm(gemmOnce()));
  // The next load of the same element does not wait for the GEMM.
  machine.add(Instruction::load(row(MemoryType::kInp, 0, 0, 1), {.push_next = true}));
  machine.add(Instruction::finish({.pop_prev = true}));
  expectFault(machine, FaultKind::kRace, 4, "gemm", "INP element 0 that instruction 5 uses");
}

TEST_P(FaultTest, RaceOnMemory) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kCheckedMode);
  const HwConfig hw = HwConfig::makeDefault();
  for (const bool ordered : {false, true}) {
    SCOPED_TRACE(ordered);
    auto device = createDevice(spec(), hw).value();
    const DeviceBuffer data = device->allocate(4096, 64).value();
    ASSERT_TRUE(device->write(data.address, std::vector<std::byte>(4096)).ok());
    // INP reads what the store writes.
    std::vector<std::byte> stream;
    const Tokens after_store = {.pop_next = true, .push_prev = ordered};
    for (const Instruction& insn :
         {Instruction::load(row(MemoryType::kAcc, 0, 0, 1), {.push_next = true}),
          Instruction::store(row(MemoryType::kOut, 0, 0, 1), {.pop_prev = true, .push_prev = true}),
          Instruction::gemm({}, after_store),
          Instruction::load(row(MemoryType::kInp, 0, 0, 1),
                            {.pop_next = ordered, .push_next = true}),
          Instruction::finish({.pop_prev = true})}) {
      ASSERT_TRUE(encodeInstruction(insn, hw, stream).ok());
    }
    const DeviceBuffer code = device->allocate(stream.size(), 64).value();
    ASSERT_TRUE(device->write(code.address, stream).ok());
    ASSERT_TRUE(device
                    ->submit({.instruction_address = code.address,
                              .instruction_count = 5,
                              .inp_base = data.address,
                              .acc_base = data.address,
                              .out_base = data.address})
                    .ok());
    const LaunchResult result = device->wait(std::chrono::seconds(1)).value();
    EXPECT_EQ(result.fault.has_value(), !ordered);
    if (ordered || !result.fault) continue;
    EXPECT_EQ(result.fault->kind, FaultKind::kRace);
    EXPECT_THAT(result.fault->reason, HasSubstr("DRAM byte"));
  }
}

TEST_P(FaultTest, DeadlockOfFiniteCommandQueues) {
  VTA_REQUIRE_FEATURE(Feature::kFaults);
  VTA_REQUIRE_FEATURE(Feature::kCheckedMode);
  HwParams p;
  p.command_queue_depth = 4;
  for (const int queued : {4, 5}) {
    SCOPED_TRACE(queued);
    Machine machine(spec(), HwConfig::create(p).value());
    machine.writeLanes(MemoryType::kInp, 0, Lanes(16, 1));
    // The first GEMM waits for a load that stands behind `queued` more compute instructions.
    machine.add(Instruction::gemm({}, {.pop_prev = true}));
    for (int i = 0; i < queued; ++i) machine.add(Instruction::gemm({}));
    machine.add(Instruction::load(row(MemoryType::kInp, 0, 0, 1), {.push_next = true}));
    machine.add(Instruction::finish());
    const LaunchResult result = machine.launch();
    EXPECT_EQ(result.fault.has_value(), queued == 5);
    if (!result.fault) continue;
    EXPECT_EQ(result.fault->kind, FaultKind::kDeadlock);
    EXPECT_THAT(result.fault->reason,
                HasSubstr("instruction 5 is not fetched because the compute unit has 4"));
  }
}

VTA_INSTANTIATE_CONFORMANCE(FaultTest);

}  // namespace
}  // namespace vta::driver::conformance
