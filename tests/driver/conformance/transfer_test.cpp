// LOAD and STORE: strides, padding, widening, narrowing, and what x_size 0 means.
#include "isa/instruction/handover.h"
#include "isa/spec/accumulator.h"
#include "tests/driver/conformance/compute_program.h"

namespace vta::driver::conformance {
namespace {

class TransferTest : public ConformanceTest {};

/// Element values 1, 2, 3, ... in every lane.
Lanes counting(uint32_t elements, uint32_t lanes) {
  Lanes values;
  for (uint32_t i = 1; i <= elements; ++i)
    values.insert(values.end(), lanes, static_cast<int32_t>(i));
  return values;
}

Lanes spread(const std::vector<int32_t>& elements, uint32_t lanes) {
  Lanes values;
  for (const int32_t element : elements) values.insert(values.end(), lanes, element);
  return values;
}

/// Whether pads hold the least value, in all ways that `hw` has.
std::vector<bool> padKinds(const HwConfig& hw) {
  return hw.params().ext_pad_min ? std::vector{false, true} : std::vector{false};
}

/// 2 rows of 3 elements, stride 5, all four pads.
MemInsn paddedBlock(MemoryType type) {
  MemInsn mem;
  mem.memory_type = type;
  mem.sram_base = 0;
  mem.dram_base = 1;
  mem.y_size = 2;
  mem.x_size = 3;
  mem.x_stride = 5;
  mem.y_pad_0 = 1;
  mem.y_pad_1 = 1;
  mem.x_pad_0 = 2;
  mem.x_pad_1 = 1;
  return mem;
}

std::vector<int32_t> paddedBlockElements(int32_t pad) {
  return {pad, pad, pad, pad, pad, pad,  //
          pad, pad, 2,   3,   4,   pad,  //
          pad, pad, 7,   8,   9,   pad,  //
          pad, pad, pad, pad, pad, pad};
}

/// The products of the first elements of INP and WGT, into accumulators from 0 on; of the operand
/// with this factor the next `count` elements follow.
void addGemms(ComputeProgram& program, uint32_t count, uint32_t GemmInsn::*factor) {
  GemmInsn gemm = gemmOnce();
  gemm.iter_in = count;
  gemm.dst_factor_in = 1;
  gemm.reset = true;
  program.add(Instruction::gemm(gemm, {.pop_prev = true}));
  gemm.reset = false;
  gemm.*factor = 1;
  program.add(Instruction::gemm(gemm));
}

TEST_P(TransferTest, AccLoadPadsAndStrides) {
  for (const HwConfig& hw : configs()) {
    SCOPED_TRACE(hw.summary());
    for (const bool pad_min : padKinds(hw)) {
      ComputeProgram program(spec(), hw, {});
      const uint32_t lanes = program.machine().lanesOf(MemoryType::kAcc);
      program.machine().writeLanes(MemoryType::kAcc, 0, counting(10, lanes));
      MemInsn mem = paddedBlock(MemoryType::kAcc);
      mem.pad_kind = pad_min ? PadKind::kMin : PadKind::kZero;
      program.add(Instruction::load(mem));
      const int32_t pad = pad_min ? accumulatorRange(hw.params().acc_width_bits).least : 0;
      EXPECT_EQ(program.run(24), spread(paddedBlockElements(pad), lanes));
    }
  }
}

TEST_P(TransferTest, Acc8LoadSignExtends) {
  for (const HwConfig& hw : configs()) {
    SCOPED_TRACE(hw.summary());
    for (const bool pad_min : padKinds(hw)) {
      ComputeProgram program(spec(), hw, {});
      const uint32_t lanes = program.machine().lanesOf(MemoryType::kAcc8);
      Lanes values = counting(10, lanes);
      for (int32_t& value : values) value = -value;
      program.machine().writeLanes(MemoryType::kAcc8, 0, values);
      MemInsn mem = paddedBlock(MemoryType::kAcc8);
      mem.pad_kind = pad_min ? PadKind::kMin : PadKind::kZero;
      program.add(Instruction::load(mem));
      std::vector<int32_t> expected = paddedBlockElements(pad_min ? 128 : 0);
      for (int32_t& value : expected) value = -value;
      EXPECT_EQ(program.run(24), spread(expected, lanes));
    }
  }
}

// INP and WGT cannot be stored, so they are seen through a GEMM with ones.
TEST_P(TransferTest, InpLoadPadsAndStrides) {
  for (const HwConfig& hw : configs()) {
    SCOPED_TRACE(hw.summary());
    for (const bool pad_min : padKinds(hw)) {
      ComputeProgram program(spec(), hw, {{0, 0, 0}});
      Machine& machine = program.machine();
      machine.writeLanes(MemoryType::kInp, 0, counting(10, machine.lanesOf(MemoryType::kInp)));
      machine.writeLanes(MemoryType::kWgt, 0, Lanes(machine.lanesOf(MemoryType::kWgt), 1));
      MemInsn mem = paddedBlock(MemoryType::kInp);
      mem.pad_kind = pad_min ? PadKind::kMin : PadKind::kZero;
      program.add(Instruction::load(mem));
      program.add(Instruction::load(row(MemoryType::kWgt, 0, 0, 1), {.push_next = true}));
      addGemms(program, 24, &GemmInsn::src_factor_in);
      Lanes expected =
          spread(paddedBlockElements(pad_min ? -128 : 0), machine.lanesOf(MemoryType::kAcc));
      for (int32_t& value : expected) value *= hw.blockIn();
      EXPECT_EQ(program.run(24), expected);
    }
  }
}

TEST_P(TransferTest, WgtLoadPadsAndStrides) {
  for (const HwConfig& hw : configs()) {
    SCOPED_TRACE(hw.summary());
    ComputeProgram program(spec(), hw, {{0, 0, 0}});
    Machine& machine = program.machine();
    machine.writeLanes(MemoryType::kWgt, 0, counting(10, machine.lanesOf(MemoryType::kWgt)));
    machine.writeLanes(MemoryType::kInp, 0, Lanes(machine.lanesOf(MemoryType::kInp), 1));
    program.add(Instruction::load(paddedBlock(MemoryType::kWgt)));
    program.add(Instruction::load(row(MemoryType::kInp, 0, 0, 1), {.push_next = true}));
    addGemms(program, 24, &GemmInsn::wgt_factor_in);
    Lanes expected = spread(paddedBlockElements(0), machine.lanesOf(MemoryType::kAcc));
    for (int32_t& value : expected) value *= hw.blockIn();
    EXPECT_EQ(program.run(24), expected);
  }
}

// GEMMs with random inputs tell every weight's place.
TEST_P(TransferTest, TransposingLoadTurnsEveryElement) {
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  std::vector<HwConfig> machines = {rtlTestConfig("short-queues-2x4x4"),
                                    rtlTestConfig("wide-bus-2x2x2")};
  for (const HwConfig& hw : configs()) {
    if (hw.params().ext_transpose) machines.push_back(hw);
  }
  for (const HwConfig& hw : machines) {
    SCOPED_TRACE(hw.summary());
    const auto inputs = static_cast<size_t>(hw.blockIn());
    const auto outputs = static_cast<size_t>(hw.blockOut());
    const size_t weights = inputs * outputs;  // of an element
    ComputeProgram program(spec(), hw, {{0, 0, 0}});
    Machine& machine = program.machine();
    const Lanes wgt = randomLanes(10 * weights, -128, 127, 11);
    machine.writeLanes(MemoryType::kWgt, 0, wgt);
    const Lanes inp = randomLanes(machine.lanesOf(MemoryType::kInp), -128, 127, 12);
    machine.writeLanes(MemoryType::kInp, 0, inp);
    program.add(Instruction::load(row(MemoryType::kInp, 0, 0, 1)));
    MemInsn mem = paddedBlock(MemoryType::kWgtTransposed);
    mem.pad_kind = PadKind::kMin;
    // As it is behind the transposed ones: each transfer has its own order.
    const MemInsn plain = row(MemoryType::kWgt, 24, 3, 1);
    program.add(Instruction::load(mem));
    program.add(Instruction::load(plain, {.push_next = true}));
    addGemms(program, 25, &GemmInsn::wgt_factor_in);
    Lanes expected;
    const auto addElement = [&](auto weightOf) {
      for (size_t b = 0; b < static_cast<size_t>(hw.batch()); ++b) {
        for (size_t oc = 0; oc < outputs; ++oc) {
          int32_t sum = 0;
          for (size_t ic = 0; ic < inputs; ++ic) sum += inp[b * inputs + ic] * weightOf(oc, ic);
          expected.push_back(sum);
        }
      }
    };
    // Elements of DRAM as counting() numbers them; 0 is padding.
    for (const int32_t number : paddedBlockElements(0)) {
      const size_t first = (static_cast<size_t>(number) - 1) * weights;
      addElement([&](size_t oc, size_t ic) {
        return number == 0 ? -128 : wgt[first + ic * outputs + oc];
      });
    }
    addElement([&](size_t oc, size_t ic) { return wgt[3 * weights + oc * inputs + ic]; });
    EXPECT_EQ(program.run(25), expected);
  }
}

// INP is seen through a GEMM with random weights. Elements of OUT hold one or two of INP.
TEST_P(TransferTest, HandoversTakeElementsFromOut) {
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  for (const char* name :
       {"short-queues-2x4x4", "wide-bus-2x2x2", "sequential-1x4x8", "odd-depths-wide-2x2x2"}) {
    const HwConfig hw = rtlTestConfig(name);
    SCOPED_TRACE(hw.summary());
    const auto batch = static_cast<size_t>(hw.batch());
    const auto inputs = static_cast<size_t>(hw.blockIn());
    const auto outputs = static_cast<size_t>(hw.blockOut());
    ComputeProgram program(spec(), hw, {{0, 0, 0}});
    Machine& machine = program.machine();
    const Lanes out = randomLanes(10 * batch * inputs, -128, 127, 21);
    machine.writeLanes(MemoryType::kAcc8, 0, out);
    const Lanes wgt = randomLanes(inputs * outputs, -128, 127, 22);
    machine.writeLanes(MemoryType::kWgt, 0, wgt);
    program.add(Instruction::load(
        row(MemoryType::kAcc8, 0, 0, (10 + handoverParts(hw) - 1) / handoverParts(hw)),
        {.push_prev = true}));
    MemInsn mem = paddedBlock(MemoryType::kInpFromOut);
    program.add(Instruction::load(mem, {.pop_next = true}));
    program.add(Instruction::load(row(MemoryType::kWgt, 0, 0, 1), {.push_next = true}));
    addGemms(program, 24, &GemmInsn::src_factor_in);
    Lanes expected;
    // Elements as counting() numbers them; 0 is padding.
    for (const int32_t number : paddedBlockElements(0)) {
      for (size_t b = 0; b < batch; ++b) {
        for (size_t oc = 0; oc < outputs; ++oc) {
          int32_t sum = 0;
          for (size_t ic = 0; ic < inputs && number != 0; ++ic) {
            const size_t lane = (static_cast<size_t>(number - 1) * batch + b) * inputs + ic;
            sum += out[lane] * wgt[oc * inputs + ic];
          }
          expected.push_back(sum);
        }
      }
    }
    EXPECT_EQ(program.run(24), expected);
  }
}

// The last result is read as soon as the token says that it is there, and is overwritten as soon as
// it has been read.
TEST_P(TransferTest, HandoversTakeTheLowBitsOfResults) {
  VTA_REQUIRE_FEATURE(Feature::kTestGeometries);
  for (const char* name :
       {"short-queues-2x4x4", "wide-bus-2x2x2", "sequential-1x4x8", "odd-depths-wide-2x2x2"}) {
    const HwConfig hw = rtlTestConfig(name);
    SCOPED_TRACE(hw.summary());
    const auto inputs = static_cast<size_t>(hw.blockIn());
    const auto outputs = static_cast<size_t>(hw.blockOut());
    ComputeProgram program(spec(), hw, {{0, 0, 0}});
    const uint32_t elements = 6 * handoverParts(hw);
    const Lanes acc =
        randomLanes(6 * program.machine().lanesOf(MemoryType::kAcc), -70000, 70000, 23);
    program.loadAcc(0, acc);
    const Lanes wgt = randomLanes(inputs * outputs, -128, 127, 24);
    program.machine().writeLanes(MemoryType::kWgt, 0, wgt);
    AluInsn add = immediateOnce(AluOpcode::kAdd);
    add.imm = 100;
    add.iter_in = 6;
    add.dst_factor_in = add.src_factor_in = 1;
    program.add(Instruction::alu(add, {.push_prev = true}));
    program.add(Instruction::load(row(MemoryType::kWgt, 0, 0, 1)));
    program.add(Instruction::load(row(MemoryType::kInpFromOut, 0, 0, elements),
                                  {.pop_next = true, .push_next = true}));
    addGemms(program, elements, &GemmInsn::src_factor_in);
    Lanes expected;
    for (size_t from = 0; from < acc.size(); from += inputs) {
      for (size_t oc = 0; oc < outputs; ++oc) {
        int32_t sum = 0;
        for (size_t ic = 0; ic < inputs; ++ic) {
          sum += static_cast<int8_t>(acc[from + ic] + 100) * wgt[oc * inputs + ic];
        }
        expected.push_back(sum);
      }
    }
    EXPECT_EQ(program.run(elements), expected);
  }
}

TEST_P(TransferTest, StrideZeroReadsTheRowAgain) {
  const HwConfig hw = configs().front();
  ComputeProgram program(spec(), hw, {});
  program.machine().writeLanes(MemoryType::kAcc, 0, counting(2, 16));
  MemInsn mem = row(MemoryType::kAcc, 0, 0, 2);
  mem.y_size = 3;
  mem.x_stride = 0;
  program.add(Instruction::load(mem));
  EXPECT_EQ(program.run(6), spread({1, 2, 1, 2, 1, 2}, 16));
}

TEST_P(TransferTest, RowsThatFollowEachOther) {
  const HwConfig hw = configs().front();
  ComputeProgram program(spec(), hw, {});
  program.machine().writeLanes(MemoryType::kAcc, 0, counting(6, 16));
  MemInsn mem = row(MemoryType::kAcc, 0, 0, 2);
  mem.y_size = 3;
  program.add(Instruction::load(mem));
  EXPECT_EQ(program.run(6), counting(6, 16));
}

TEST_P(TransferTest, XSizeZeroMovesNothingPadsIncluded) {
  const HwConfig hw = configs().front();
  ComputeProgram program(spec(), hw, {});
  program.loadAcc(0, counting(8, 16));
  MemInsn mem = paddedBlock(MemoryType::kAcc);
  mem.x_size = 0;
  program.add(Instruction::load(mem));
  EXPECT_EQ(program.run(8), counting(8, 16));
}

TEST_P(TransferTest, StoreTruncatesAndStrides) {
  for (const HwConfig& hw : configs()) {
    SCOPED_TRACE(hw.summary());
    Machine machine(spec(), hw);
    const uint32_t lanes = machine.lanesOf(MemoryType::kOut);
    machine.fillOut(99);
    machine.writeLanes(MemoryType::kAcc, 0,
                       spread({1, 255, 256, -129, 1 << 20, 0x7fffff80}, lanes));
    machine.add(Instruction::load(row(MemoryType::kAcc, 0, 0, 6), {.push_next = true}));
    MemInsn mem = row(MemoryType::kOut, 0, 1, 2);
    mem.y_size = 3;
    mem.x_stride = 3;
    machine.add(Instruction::store(mem, {.pop_prev = true, .push_prev = true}));
    machine.add(Instruction::finish({.pop_next = true}));
    const LaunchResult result = machine.launch();
    ASSERT_FALSE(result.fault) << result.fault->reason;
    EXPECT_EQ(machine.readOut(0, 10), spread({99, 1, -1, 99, 0, 127, 99, 0, -128, 99}, lanes));
  }
}

TEST_P(TransferTest, UopLoadOfSeveralRows) {
  const HwConfig hw = configs().front();
  Machine machine(spec(), hw);
  // Micro-ops at 0, 1 and 4, 5 of DRAM go to 0 to 3: ACC 0, 1, 4 and 5 get 1 added.
  machine.writeUops({{0, 0, 0}, {1, 1, 0}, {9, 9, 0}, {9, 9, 0}, {4, 4, 0}, {5, 5, 0}});
  machine.writeLanes(MemoryType::kAcc, 0, Lanes(16 * 10, 10));
  MemInsn uops = row(MemoryType::kUop, 0, 0, 2);
  uops.y_size = 2;
  uops.x_stride = 4;
  machine.add(Instruction::load(uops));
  machine.add(Instruction::load(row(MemoryType::kAcc, 0, 0, 10)));
  AluInsn add = aluOnce(AluOpcode::kAdd, 4);
  add.use_imm = true;
  add.imm = 1;
  machine.add(Instruction::alu(add, {.push_next = true}));
  machine.add(
      Instruction::store(row(MemoryType::kOut, 0, 0, 10), {.pop_prev = true, .push_prev = true}));
  machine.add(Instruction::finish({.pop_next = true}));
  const LaunchResult result = machine.launch();
  ASSERT_FALSE(result.fault) << result.fault->reason;
  EXPECT_EQ(machine.readOut(0, 10), spread({11, 11, 10, 10, 11, 11, 10, 10, 10, 10}, 16));
}

VTA_INSTANTIATE_CONFORMANCE(TransferTest);

}  // namespace
}  // namespace vta::driver::conformance
