// What the conformance suite of devices does not see: single steps, caches, the order of units.
#include "sim/functional/functional_model.h"
#include "isa/instruction/handover.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "isa/instruction/encoding.h"
#include "tests/sim/functional/flat_dram.h"

namespace vta::sim {
namespace {

using test::FlatDram;
using testing::HasSubstr;

MemInsn row(MemoryType type, uint32_t sram, uint32_t dram, uint32_t count) {
  MemInsn mem;
  mem.memory_type = type;
  mem.sram_base = sram;
  mem.dram_base = dram;
  mem.y_size = 1;
  mem.x_size = count;
  mem.x_stride = count;
  return mem;
}

std::vector<std::byte> encode(const std::vector<Instruction>& program, const HwConfig& hw) {
  std::vector<std::byte> stream;
  for (const Instruction& insn : program) EXPECT_TRUE(encodeInstruction(insn, hw, stream).ok());
  return stream;
}

class FunctionalModelTest : public testing::Test {
 protected:
  HwConfig hw_ = HwConfig::makeDefault();
  std::unique_ptr<FunctionalModel> model_ = FunctionalModel::create(hw_).value();
  FlatDram dram_{std::vector<std::byte>(1 << 16)};
};

TEST_F(FunctionalModelTest, StepReportsWhatRunWould) {
  const auto illegal = model_->step(Instruction::load(row(MemoryType::kOut, 0, 0, 1)), {}, dram_);
  ASSERT_TRUE(illegal.has_value());
  EXPECT_EQ(illegal->kind, FaultKind::kIllegalInstruction);
  const auto sram = model_->step(Instruction::load(row(MemoryType::kInp, 2048, 0, 1)), {}, dram_);
  ASSERT_TRUE(sram.has_value());
  EXPECT_EQ(sram->kind, FaultKind::kSramBounds);
  const auto dram = model_->step(Instruction::load(row(MemoryType::kInp, 0, 4095, 2)), {}, dram_);
  ASSERT_TRUE(dram.has_value());
  EXPECT_EQ(dram->kind, FaultKind::kDramBounds);
}

// Two loops over so many elements of ACC, which are written each time.
std::optional<Fault> runTwice(uint32_t elements, const HwConfig& hw) {
  FlatDram dram{std::vector<std::byte>(1 << 16)};
  std::vector<std::byte> uops;
  for (uint32_t i = 0; i < elements; ++i) {
    EXPECT_TRUE(encodeUop({.dst_idx = i, .src_idx = i}, hw, uops).ok());
  }
  std::ranges::copy(uops, dram.bytes().begin());
  AluInsn add;
  add.alu_opcode = AluOpcode::kAdd;
  add.use_imm = true;
  add.uop_end = elements;
  add.iter_out = 2;
  add.iter_in = 1;
  const std::vector<std::byte> stream =
      encode({Instruction::load(row(MemoryType::kUop, 0, 0, elements)),
              Instruction::load(row(MemoryType::kAcc, 0, 16, elements)), Instruction::alu(add),
              Instruction::finish()},
             hw);
  return FunctionalModel::create(hw, {.checked = true}).value()->run(stream, {}, dram).fault;
}

TEST(CheckedModeTest, SeesWhatPublishedHardwareDoesNotInterlock) {
  const HwConfig published = *loadHwConfig(VTA_SOURCE_DIR "/configs/hw/vta-0.0.2.yaml");
  const std::optional<Fault> fault = runTwice(2, published);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kRace);
  EXPECT_EQ(fault->instruction, 2u);
  EXPECT_THAT(fault->reason, HasSubstr("ACC[0] is used again 2 iterations after it is written"));
  EXPECT_FALSE(runTwice(3, published));
  EXPECT_FALSE(runTwice(2, HwConfig::makeDefault()));
}

TEST_F(FunctionalModelTest, TokensDoNotMatterToStep) {
  EXPECT_FALSE(model_->step(Instruction::gemm({}, {.pop_prev = true}), {}, dram_));
  EXPECT_FALSE(model_->step(Instruction::finish({.pop_next = true}), {}, dram_));
}

TEST_F(FunctionalModelTest, BaseRegistersAreAddedByMemory) {
  dram_.bytes()[1000] = std::byte{1};
  dram_.bytes()[2000] = std::byte{2};
  dram_.bytes()[3000] = std::byte{3};
  const BaseAddresses bases = {.uop = 4000, .inp = 1000, .wgt = 2000, .acc = 3000, .out = 5000};
  dram_.bytes()[4000] = std::byte{7};  // dst_idx
  for (const MemoryType type :
       {MemoryType::kInp, MemoryType::kWgt, MemoryType::kAcc, MemoryType::kUop}) {
    ASSERT_FALSE(model_->step(Instruction::load(row(type, 0, 0, 1)), bases, dram_));
  }
  ASSERT_FALSE(model_->step(Instruction::store(row(MemoryType::kOut, 0, 1, 1)), bases, dram_));
  const Scratchpads& pads = model_->scratchpads();
  EXPECT_EQ(pads.inp(0)[0], 1);
  EXPECT_EQ(pads.wgt(0)[0], 2);
  EXPECT_EQ(pads.acc(0)[0], 3);
  EXPECT_EQ(pads.uops()[0].dst_idx, 7u);
  EXPECT_EQ(dram_.bytes()[5016], std::byte{3});
  ASSERT_FALSE(model_->step(Instruction::load(row(MemoryType::kAcc8, 1, 0, 1)), bases, dram_));
  EXPECT_EQ(pads.acc(1)[0], 3);
}

TEST(HandoverTest, TakesElementsOfInpFromOut) {
  HwParams params;
  params.block_in = 4;
  params.block_out = 8;
  params.ext_handover = true;
  const HwConfig hw = HwConfig::create(params).value();
  auto model = FunctionalModel::create(hw).value();
  FlatDram dram{std::vector<std::byte>(1 << 10)};
  for (size_t i = 0; i < 64; ++i) dram.bytes()[i] = static_cast<std::byte>(i);
  ASSERT_FALSE(model->step(Instruction::load(row(MemoryType::kAcc8, 2, 0, 4)), {}, dram));
  // Of elements 2 to 5 of OUT the second half of each of the first two, and padding behind.
  MemInsn mem = row(MemoryType::kInpFromOut, 7, 5, 1);
  mem.y_size = 2;
  mem.x_stride = 2;
  mem.x_pad_1 = 1;
  mem.pad_kind = PadKind::kMin;
  ASSERT_FALSE(model->step(Instruction::load(mem), {.inp = 1 << 20}, dram));
  const Scratchpads& pads = model->scratchpads();
  for (int ic = 0; ic < 4; ++ic) {
    EXPECT_EQ(pads.inp(7)[ic], 4 + ic);
    EXPECT_EQ(pads.inp(8)[ic], -128);
    EXPECT_EQ(pads.inp(9)[ic], 12 + ic);
    EXPECT_EQ(pads.inp(10)[ic], -128);
  }
  mem.dram_base = static_cast<uint32_t>(handoverDepth(hw)) - 2;
  const auto violation = model->step(Instruction::load(mem), {}, dram);
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->kind, FaultKind::kSramBounds);
}

TEST(TransposingLoadTest, TurnsEveryElementAndNoPadding) {
  HwParams params;
  params.block_in = params.block_out = 4;
  params.ext_transpose = true;
  const HwConfig hw = HwConfig::create(params).value();
  auto model = FunctionalModel::create(hw).value();
  FlatDram dram{std::vector<std::byte>(1 << 10)};
  for (size_t i = 0; i < 64; ++i) dram.bytes()[i] = static_cast<std::byte>(i);
  MemInsn mem = row(MemoryType::kWgtTransposed, 3, 1, 2);
  mem.x_pad_0 = 1;
  mem.pad_kind = PadKind::kMin;
  ASSERT_FALSE(model->step(Instruction::load(mem), {.wgt = 16}, dram));
  const Scratchpads& pads = model->scratchpads();
  for (int oc = 0; oc < 4; ++oc) {
    for (int ic = 0; ic < 4; ++ic) {
      EXPECT_EQ(pads.wgt(3)[oc * 4 + ic], -128);
      EXPECT_EQ(pads.wgt(4)[oc * 4 + ic], 32 + ic * 4 + oc);
      EXPECT_EQ(pads.wgt(5)[oc * 4 + ic], 48 + ic * 4 + oc);
    }
  }
  // GEMM reads the copy that is packed.
  std::vector<std::byte> uop;
  ASSERT_TRUE(encodeUop({.wgt_idx = 4}, hw, uop).ok());
  std::ranges::copy(uop, dram.bytes().begin() + 512);
  ASSERT_FALSE(model->step(Instruction::load(row(MemoryType::kUop, 0, 0, 1)), {.uop = 512}, dram));
  ASSERT_FALSE(model->step(Instruction::load(row(MemoryType::kInp, 0, 0, 1)), {}, dram));
  const GemmInsn gemm = {.uop_end = 1, .iter_out = 1, .iter_in = 1};
  ASSERT_FALSE(model->step(Instruction::gemm(gemm), {}, dram));
  for (int oc = 0; oc < 4; ++oc) {  // the inputs are 0 to 3
    EXPECT_EQ(pads.acc(0)[oc], 6 * (32 + oc) + 4 * (1 + 4 + 9));
  }
}

TEST_F(FunctionalModelTest, ChangedStreamAtTheSamePlaceIsDecodedAnew) {
  std::vector<std::byte> stream =
      encode({Instruction::load(row(MemoryType::kAcc, 0, 0, 1)), Instruction::finish()}, hw_);
  dram_.bytes()[0] = std::byte{9};
  EXPECT_FALSE(model_->run(stream, {}, dram_).fault);
  EXPECT_EQ(model_->scratchpads().acc(0)[0], 9);
  EXPECT_EQ(model_->scratchpads().acc(1)[0], 0);
  const std::vector<std::byte> other =
      encode({Instruction::load(row(MemoryType::kAcc, 1, 0, 1)), Instruction::finish()}, hw_);
  std::ranges::copy(other, stream.begin());
  EXPECT_FALSE(model_->run(stream, {}, dram_).fault);
  EXPECT_EQ(model_->scratchpads().acc(1)[0], 9);
}

TEST_F(FunctionalModelTest, UnitsRunAheadOfEachOther) {
  // The store stands in the stream before the instructions that it waits for.
  const auto stream = encode(
      {Instruction::store(row(MemoryType::kOut, 0, 100, 1), {.pop_prev = true, .push_prev = true}),
       Instruction::gemm({}, {.pop_prev = true, .push_next = true}),
       Instruction::load(row(MemoryType::kInp, 0, 0, 1), {.push_next = true}),
       Instruction::finish({.pop_next = true})},
      hw_);
  const FunctionalRun result = model_->run(stream, {}, dram_);
  EXPECT_FALSE(result.fault) << result.fault->reason;
  EXPECT_EQ(result.activity.store.instructions, 1u);
}

TEST_F(FunctionalModelTest, FinishWaitsForTheOtherUnits) {
  dram_.bytes()[0] = std::byte{5};
  const auto stream =
      encode({Instruction::load(row(MemoryType::kAcc, 0, 0, 1)),
              Instruction::store(row(MemoryType::kOut, 0, 100, 1)), Instruction::finish()},
             hw_);
  EXPECT_FALSE(model_->run(stream, {}, dram_).fault);
  const auto blocked =
      encode({Instruction::store(row(MemoryType::kOut, 0, 0, 1), {.pop_prev = true}),
              Instruction::finish()},
             hw_);
  const FunctionalRun result = model_->run(blocked, {}, dram_);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::kDeadlock);
  EXPECT_THAT(result.fault->reason, HasSubstr("store waits at instruction 0"));
}

TEST_F(FunctionalModelTest, IllegalInstructionFaultsOnlyAfterWhatStandsBefore) {
  auto stream = encode({Instruction::load(row(MemoryType::kAcc, 0, 0, 1))}, hw_);
  dram_.bytes()[0] = std::byte{5};
  stream.resize(stream.size() + 16, std::byte{0xff});
  const FunctionalRun result = model_->run(stream, {}, dram_);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->instruction, 1u);
  EXPECT_THAT(result.fault->disassembly, HasSubstr("0xffffffffffffffffffffffffffffffff"));
  EXPECT_EQ(model_->scratchpads().acc(0)[0], 5);
}

TEST_F(FunctionalModelTest, EmptyStreamHasNoFinish) {
  const FunctionalRun result = model_->run({}, {}, dram_);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_THAT(result.fault->reason, HasSubstr("without FINISH"));
}

TEST_F(FunctionalModelTest, ResetZeroesEveryScratchpad) {
  std::ranges::fill(dram_.bytes(), std::byte{1});
  for (const MemoryType type :
       {MemoryType::kInp, MemoryType::kWgt, MemoryType::kAcc, MemoryType::kUop}) {
    ASSERT_FALSE(model_->step(Instruction::load(row(type, 0, 0, 1)), {}, dram_));
  }
  model_->reset();
  const Scratchpads& pads = model_->scratchpads();
  EXPECT_EQ(pads.inp(0)[0], 0);
  EXPECT_EQ(pads.wgt(0)[0], 0);
  EXPECT_EQ(pads.acc(0)[0], 0);
  EXPECT_EQ(pads.uops()[0], Uop{});
  // The packed copies too: a GEMM on cleared operands adds nothing.
  GemmInsn gemm;
  gemm.uop_end = gemm.iter_out = gemm.iter_in = 1;
  ASSERT_FALSE(model_->step(Instruction::gemm(gemm), {}, dram_));
  EXPECT_EQ(pads.acc(0)[0], 0);
}

TEST_F(FunctionalModelTest, ModelsOfOtherShapesLiveBesideEachOther) {
  HwParams p;
  p.block_in = p.block_out = 8;
  auto small = FunctionalModel::create(HwConfig::create(p).value()).value();
  std::ranges::fill(dram_.bytes(), std::byte{2});
  for (FunctionalModel* model : {model_.get(), small.get()}) {
    for (const MemoryType type : {MemoryType::kInp, MemoryType::kWgt}) {
      ASSERT_FALSE(model->step(Instruction::load(row(type, 0, 0, 1)), {}, dram_));
    }
    GemmInsn gemm;
    gemm.uop_end = gemm.iter_out = gemm.iter_in = 1;
    ASSERT_FALSE(model->step(Instruction::gemm(gemm), {}, dram_));
  }
  EXPECT_EQ(model_->scratchpads().acc(0)[15], 64);
  EXPECT_EQ(small->scratchpads().acc(0)[7], 32);
}

}  // namespace
}  // namespace vta::sim
