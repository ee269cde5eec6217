// The published core in one block, on the model of our core, whose first registers are the same.
#include "driver/board/single_block_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "driver/device_registry.h"
#include "driver/devices/zynq_options.h"
#include "isa/instruction/contiguous_row.h"
#include "isa/instruction/encoding.h"
#include "sim/board/board_core.h"

namespace vta::driver {
namespace {

using testing::HasSubstr;

constexpr uint64_t kBusOffset = 0x8000'0000;
constexpr uint64_t kAddress = 0x1000'0000;  // of the memory, as the processor sees it

HwConfig published() { return loadHwConfig(VTA_SOURCE_DIR "/configs/hw/vta-0.0.2.yaml").value(); }

class Memory final : public sim::Dram {
 public:
  std::optional<sim::DramRange> findRange(uint64_t address) const override {
    constexpr uint64_t kSeen = kAddress + kBusOffset;
    if (address < kSeen || address >= kSeen + bytes.size()) return std::nullopt;
    return sim::DramRange{kSeen, kSeen + bytes.size(), bytes.data()};
  }
  mutable std::vector<std::byte> bytes = std::vector<std::byte>(1 << 16);
};

/// Our core's registers, without those that the published core does not have.
class PublishedRegisters final : public Registers {
 public:
  explicit PublishedRegisters(sim::BoardCore& core) : core_(core) {}
  uint32_t read(uint32_t offset) const override {
    if (const auto found = replaced.find(offset); found != replaced.end()) return found->second;
    if (offset > reg::kOutBase) return 0;
    if (core_.isBusy()) {
      EXPECT_TRUE(core_.advance().ok());
    }
    return core_.read(offset).value();
  }
  void write(uint32_t offset, uint32_t value) const override {
    // Cycles may be set there, and are counted from 0 here.
    if (offset == reg::kCycles) return;
    EXPECT_TRUE(core_.write(offset, value).ok()) << offset;
  }
  std::map<uint32_t, uint32_t> replaced;  // registers that read otherwise

 private:
  sim::BoardCore& core_;
};

class SingleBlockTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = sim::makeModelCore(hw_, dram_);
    ASSERT_TRUE(made.ok()) << made.status().message();
    model_ = *std::move(made);
    auto registers = std::make_unique<PublishedRegisters>(*model_);
    registers_ = registers.get();
    core_ = std::make_unique<SingleBlockCore>(std::move(registers), kBusOffset);
  }

  /// Stores the OUT element behind an ALU instruction that adds `immediate` to ACC.
  Launch makeLaunch(int32_t immediate) {
    AluInsn add;
    add.alu_opcode = AluOpcode::kAdd;
    add.use_imm = true;
    add.imm = immediate;
    add.uop_end = add.iter_out = add.iter_in = 1;
    const std::vector<Instruction> insns = {
        Instruction::load(contiguousRow(MemoryType::kUop, 0, 0, 1)),
        Instruction::load(contiguousRow(MemoryType::kAcc, 0, 0, 1)),
        Instruction::alu(add, {.push_next = true}),
        Instruction::store(contiguousRow(MemoryType::kOut, 0, 0, 1),
                           {.pop_prev = true, .push_prev = true}),
        Instruction::finish({.pop_next = true})};
    std::vector<std::byte> stream;
    for (const Instruction& insn : insns) EXPECT_TRUE(encodeInstruction(insn, hw_, stream).ok());
    std::ranges::copy(stream, dram_.bytes.begin());
    Launch launch;
    launch.instruction_address = kAddress;
    launch.instruction_count = static_cast<uint32_t>(insns.size());
    launch.uop_base = kAddress + 0x1000;
    launch.acc_base = kAddress + 0x2000;
    launch.out_base = kAddress + 0x3000;
    launch.inp_base = launch.wgt_base = kAddress;
    return launch;
  }

  HwConfig hw_ = published();
  Memory dram_;
  std::unique_ptr<sim::BoardCore> model_;
  PublishedRegisters* registers_ = nullptr;
  std::unique_ptr<SingleBlockCore> core_;
};

TEST_F(SingleBlockTest, LaunchesRunWhereTheBlockSeesMemory) {
  ASSERT_TRUE(core_->identify(hw_).ok());
  ASSERT_TRUE(core_->prepare(hw_, nullptr).ok());
  for (const int32_t immediate : {5, 7}) {
    ASSERT_TRUE(core_->start(makeLaunch(immediate)).ok());
    int polls = 0;
    while (!core_->status().done && ++polls < 100'000) {
    }
    EXPECT_FALSE(core_->status().running);
    EXPECT_EQ(dram_.bytes[0x3000], static_cast<std::byte>(immediate));
    EXPECT_GT(core_->counters().cycles, 0U);
  }
}

TEST_F(SingleBlockTest, OtherConfigurationsAndCoresAreRefused) {
  EXPECT_THAT(core_->identify(HwConfig::makeDefault()).message(),
              HasSubstr("compile the model with --hw vta-0.0.2"));
  registers_->replaced[reg::kId] = reg::kIdValue;
  EXPECT_THAT(core_->identify(hw_).message(), HasSubstr("leave out map=single-block"));
}

TEST_F(SingleBlockTest, RegistersOfSomethingElseAreNoticed) {
  registers_->replaced[reg::kAccBase] = 0;
  EXPECT_THAT(core_->prepare(hw_, nullptr).message(),
              HasSubstr("the register at 0x1c does not hold what is written"));
}

TEST_F(SingleBlockTest, AddressesBehind32BitsAreRefused) {
  Launch launch = makeLaunch(1);
  launch.out_base = kBusOffset;
  EXPECT_THAT(core_->start(launch).message(), HasSubstr("behind bus-offset=0x80000000"));
}

TEST_F(SingleBlockTest, LaunchThatHangsIsDescribed) {
  registers_->replaced[reg::kControl] = 1;
  EXPECT_TRUE(core_->status().running);
  EXPECT_THAT(core_->progress(), HasSubstr("control reads 0x1 after"));
}

TEST_F(SingleBlockTest, OptionsAreChecked) {
  const auto parsed = parseZynqOptions(
      {{"map", "single-block"}, {"registers", "0xff220000"}, {"bus-offset", "0x80000000"}});
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->map, RegisterMapKind::kSingleBlock);
  EXPECT_EQ(parsed->bus_offset, kBusOffset);
  EXPECT_EQ(parsed->wait, WaitMode::kPoll);
  EXPECT_THAT(parseZynqOptions({{"bus-offset", "0x80000000"}}).status().message(),
              HasSubstr("bus-offset needs map=single-block"));
  EXPECT_THAT(parseZynqOptions({{"map", "single-block"}, {"bus-offset", "far"}}).status().message(),
              HasSubstr("bus-offset=far is no address"));
}

}  // namespace
}  // namespace vta::driver
