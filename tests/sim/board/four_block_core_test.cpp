// The model of VTA 0.0.2's four blocks, register by register.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>
#include <vector>

#include "isa/instruction/contiguous_row.h"
#include "isa/instruction/encoding.h"
#include "isa/registers/four_block.h"
#include "sim/board/board_core.h"

namespace vta::sim {
namespace {

using four_block::Block;
using Start = BoardCore::Start;

HwConfig published() { return loadHwConfig(VTA_SOURCE_DIR "/configs/hw/vta-0.0.2.yaml").value(); }

class Memory final : public Dram {
 public:
  static constexpr uint64_t kAddress = 0x1000'0000;
  std::optional<DramRange> findRange(uint64_t address) const override {
    if (address < kAddress || address >= kAddress + bytes_.size()) return std::nullopt;
    return DramRange{kAddress, kAddress + bytes_.size(), bytes_.data()};
  }
  std::byte& at(uint64_t offset) { return bytes_[offset]; }

 private:
  mutable std::vector<std::byte> bytes_ = std::vector<std::byte>(1 << 20);
};

class FourBlockCoreTest : public testing::Test {
 protected:
  static constexpr uint32_t kUops = 0x1'0000;  // from the begin of the memory
  static constexpr uint32_t kAcc = 0x2'0000;
  static constexpr uint32_t kOut = 0x3'0000;

  uint32_t read(Block block, uint32_t offset) { return core_->read(at(block, offset)).value(); }
  void write(Block block, uint32_t offset, uint32_t value) {
    ASSERT_TRUE(core_->write(at(block, offset), value).ok());
  }
  static uint32_t at(Block block, uint32_t offset) {
    return static_cast<uint32_t>(block) * four_block::kWindowBytes + offset;
  }
  uint32_t control(Block block) { return read(block, four_block::kControl); }
  uint32_t done() { return read(Block::kCompute, four_block::kComputeDone); }

  /// Starts everything as the published driver does. What fetch starts.
  Start launch(const std::vector<Instruction>& insns) {
    std::vector<std::byte> stream;
    for (const Instruction& insn : insns) {
      EXPECT_TRUE(encodeInstruction(insn, hw_, stream).ok());
    }
    std::ranges::copy(stream, &memory_.at(0));
    write(Block::kFetch, four_block::kFetchInsnCount, static_cast<uint32_t>(insns.size()));
    write(Block::kFetch, four_block::kFetchInsns, Memory::kAddress);
    write(Block::kCompute, four_block::kComputeUops, Memory::kAddress + kUops);
    write(Block::kCompute, four_block::kComputeBiases, Memory::kAddress + kAcc);
    write(Block::kStore, four_block::kStoreOutputs, Memory::kAddress + out_);
    const Start start = core_->startOf(at(Block::kFetch, 0), four_block::kControlStart);
    write(Block::kFetch, four_block::kControl, four_block::kControlStart);
    for (const Block block : {Block::kLoad, Block::kCompute, Block::kStore}) {
      write(block, four_block::kControl,
            four_block::kControlStart | four_block::kControlAutoRestart);
    }
    return start;
  }

  /// Until the core has nothing more to do. Errors: it hangs.
  Status run() {
    while (core_->isBusy()) VTA_RETURN_IF_ERROR(core_->advance());
    return {};
  }

  /// Adds 1 to an accumulator of `value` and stores it.
  std::vector<Instruction> program(uint8_t value) {
    memory_.at(kAcc) = static_cast<std::byte>(value);
    AluInsn add;
    add.alu_opcode = AluOpcode::kAdd;
    add.use_imm = true;
    add.imm = 1;
    add.uop_end = add.iter_out = add.iter_in = 1;
    return {Instruction::load(contiguousRow(MemoryType::kUop, 0, 0, 1)),
            Instruction::load(contiguousRow(MemoryType::kAcc, 0, 0, 1)),
            Instruction::alu(add, {.push_next = true}),
            Instruction::store(contiguousRow(MemoryType::kOut, 0, 0, 1),
                               {.pop_prev = true, .push_prev = true}),
            Instruction::finish({.pop_next = true})};
  }

  HwConfig hw_ = published();
  Memory memory_;
  std::unique_ptr<BoardCore> core_ = makeFourBlockCore(hw_, memory_).value();
  uint32_t out_ = kOut;
};

TEST_F(FourBlockCoreTest, BlocksAreIdleAndTheirArgumentsHoldWhatIsWritten) {
  for (const Block block : {Block::kFetch, Block::kLoad, Block::kCompute, Block::kStore}) {
    EXPECT_EQ(control(block), four_block::kControlIdle);
  }
  write(Block::kLoad, four_block::kLoadWeights, 0x1234'5678);
  EXPECT_EQ(read(Block::kLoad, four_block::kLoadWeights), 0x1234'5678u);
  // Windows repeat their registers.
  EXPECT_EQ(read(Block::kLoad, four_block::kLoadWeights + 0x20), 0x1234'5678u);
  write(Block::kStore, 0x18, 1);
  EXPECT_EQ(read(Block::kStore, 0x18), 0u);
  write(Block::kCompute, four_block::kComputeDone, 1);
  EXPECT_EQ(done(), 0u);
  EXPECT_EQ(core_->read(4 * four_block::kWindowBytes).value(), ~0u);
}

TEST_F(FourBlockCoreTest, ALaunchComputesAndSetsDone) {
  EXPECT_EQ(launch(program(41)), Start::kLaunch);
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(memory_.at(kOut), std::byte{42});
  EXPECT_EQ(done(), 1u);
  EXPECT_EQ(read(Block::kCompute, four_block::kComputeDoneWritten), 1u);
  EXPECT_EQ(read(Block::kCompute, four_block::kComputeDoneWritten), 0u);
  // Fetch has ended, which reading clears; compute waits for the next instruction.
  EXPECT_EQ(control(Block::kFetch),
            four_block::kControlDone | four_block::kControlReady | four_block::kControlIdle);
  EXPECT_EQ(control(Block::kFetch), four_block::kControlIdle);
  EXPECT_EQ(control(Block::kCompute) & four_block::kControlIdle, 0u);
}

// A driver that takes this for the end of the second launch reads what the first one stored.
TEST_F(FourBlockCoreTest, DoneStaysUntilTheFirstComputeInstruction) {
  launch(program(41));
  ASSERT_TRUE(run().ok());
  launch(program(99));
  ASSERT_TRUE(core_->advance().ok());
  EXPECT_EQ(control(Block::kFetch) & four_block::kControlDone, four_block::kControlDone);
  EXPECT_EQ(done(), 1u);
  EXPECT_EQ(memory_.at(kOut), std::byte{42});
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(done(), 1u);
  EXPECT_EQ(memory_.at(kOut), std::byte{100});
}

TEST_F(FourBlockCoreTest, DoneStaysWhileTheFirstComputeInstructionWaitsForAToken) {
  launch(program(1));
  ASSERT_TRUE(run().ok());
  const Tokens waits = {.pop_prev = true};
  EXPECT_EQ(launch({Instruction::load(contiguousRow(MemoryType::kUop, 0, 0, 1), waits)}),
            Start::kTest);
  EXPECT_FALSE(run().ok());  // no token comes
  EXPECT_EQ(done(), 1u);
}

TEST_F(FourBlockCoreTest, WhatHasNoFinishClearsDone) {
  launch(program(1));
  ASSERT_TRUE(run().ok());
  launch({Instruction::load(MemInsn{})});
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(done(), 0u);
}

TEST_F(FourBlockCoreTest, ANewBaseAddressCountsFromTheSecondInstructionOn) {
  launch(program(1));
  ASSERT_TRUE(run().ok());
  memory_.at(kOut) = std::byte{0};
  out_ = kOut + 0x1000;
  launch(program(2));
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(memory_.at(kOut), std::byte{3});  // store was waiting already
  launch(program(3));
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(memory_.at(out_), std::byte{4});
}

TEST_F(FourBlockCoreTest, LatencyEndsForADriverThatSleeps) {
  launch(program(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  ASSERT_TRUE(core_->advance().ok());
  EXPECT_EQ(done(), 1u);
}

TEST_F(FourBlockCoreTest, FetchWaitsForRoomInAQueue) {
  std::vector<Instruction> insns(four_block::kQueueDepth + 8, Instruction::load(MemInsn{}));
  insns.push_back(Instruction::finish());
  launch(insns);
  ASSERT_TRUE(core_->advance().ok());
  EXPECT_EQ(control(Block::kFetch), four_block::kControlStart);
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(done(), 1u);
}

TEST_F(FourBlockCoreTest, FaultsHang) {
  auto insns = program(1);
  insns[1] = Instruction::load(contiguousRow(MemoryType::kAcc, 0, 0x100'0000, 1));
  launch(insns);
  EXPECT_THAT(run().message(), testing::HasSubstr("outside every allocated buffer"));
  core_->reset();
  EXPECT_EQ(control(Block::kCompute), four_block::kControlIdle);
  core_->setBusError(true);
  launch(program(1));
  EXPECT_FALSE(run().ok());
}

TEST_F(FourBlockCoreTest, StreamsOutsideMemoryHang) {
  launch(program(1));
  ASSERT_TRUE(run().ok());
  write(Block::kFetch, four_block::kFetchInsns, 0x10);
  write(Block::kFetch, four_block::kControl, four_block::kControlStart);
  EXPECT_FALSE(run().ok());
}

TEST(FourBlockCore, NeedsACompatibleConfiguration) {
  Memory memory;
  const auto core = makeFourBlockCore(HwConfig::makeDefault(), memory);
  ASSERT_FALSE(core.ok());
  EXPECT_THAT(core.status().message(), testing::HasSubstr("take --hw vta-0.0.2"));
}

}  // namespace
}  // namespace vta::sim
