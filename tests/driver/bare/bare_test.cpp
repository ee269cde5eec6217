// The runtime without an operating system, on a core behind its registers.
#include "driver/bare/vta_bare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "isa/registers/registers.h"
#include "sim/board/board_core.h"
#include "tests/isa/program/sample_program.h"

namespace vta::driver {
namespace {

constexpr uint64_t kAddress = 0x1000'0000;  // of the memory
constexpr uint64_t kMade = 0x1'0000;        // that the image was made for
constexpr uint32_t kCount = 4;

class Memory final : public sim::Dram {
 public:
  std::optional<sim::DramRange> findRange(uint64_t address) const override {
    if (address < kAddress || address >= kAddress + bytes.size()) return std::nullopt;
    return sim::DramRange{kAddress, kAddress + bytes.size(), bytes.data()};
  }
  mutable std::vector<std::byte> bytes = std::vector<std::byte>(1 << 16);
};

class BareTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = sim::makeModelCore(hw_, dram_);
    ASSERT_TRUE(made.ok()) << made.status().message();
    model_ = *std::move(made);
    core_.context = this;
    core_.read = [](void* self, uint32_t offset) { return of(self).readRegister(offset); };
    core_.write = [](void* self, uint32_t offset, uint32_t value) {
      EXPECT_TRUE(of(self).model_->write(offset, value).ok()) << offset;
    };
    core_.flush = [](void* self, const void* data, size_t size_bytes) {
      of(self).flushed_ += size_bytes;
      EXPECT_EQ(data, of(self).dram_.bytes.data());
    };
    core_.invalidate = [](void* self, void*, size_t size_bytes) {
      of(self).invalidated_ += size_bytes;
    };
    makeImage(vta::test::gemmProgram(hw_, kCount));
  }

  static BareTest& of(void* self) { return *static_cast<BareTest*>(self); }

  uint32_t readRegister(uint32_t offset) {
    if (offset == reg::kStatus && model_->isBusy() && is_moving_) {
      EXPECT_TRUE(model_->advance().ok());
    }
    const auto replaced = replaced_.find(offset);
    return replaced != replaced_.end() ? replaced->second : model_->read(offset).value();
  }

  /// As `vta-objdump --image` lays a program out: instructions first.
  void makeImage(const Program& program) {
    uint64_t end = kMade + program.instructions.size() * hw_.instructionBytes();
    addresses_.clear();
    for (const BufferDecl& buffer : program.buffers) {
      addresses_.push_back((end + 4095) / 4096 * 4096);
      end = addresses_.back() + buffer.size_bytes;
    }
    image_.assign(end - kMade, std::byte{});
    const auto stream = encodeInstructionStream(program, hw_, addresses_);
    ASSERT_TRUE(stream.ok());
    std::ranges::copy(*stream, image_.begin());
    const auto uops = encodeUopStream(program, hw_);
    ASSERT_TRUE(uops.ok());
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      if (program.buffers[i].kind == BufferKind::kUop) std::ranges::copy(*uops, at(i, image_));
    }
    program_ = {image_.data(),
                image_.size(),
                kMade,
                hw_.fingerprint(),
                0,
                static_cast<uint32_t>(program.instructions.size())};
    memory_ = {dram_.bytes.data(), dram_.bytes.size(), kAddress};
  }

  /// Where buffer `index` begins.
  std::vector<std::byte>::iterator at(size_t index, std::vector<std::byte>& bytes) const {
    return bytes.begin() + static_cast<std::ptrdiff_t>(addresses_[index] - kMade);
  }

  vta_bare_status load() { return vta_bare_load(&core_, &program_, &memory_); }
  vta_bare_status start() { return vta_bare_start(&core_, &program_, &memory_); }
  vta_bare_status wait(vta_bare_fault* fault = nullptr) {
    return vta_bare_wait(&core_, &memory_, 100'000, fault);
  }

  HwConfig hw_ = HwConfig::makeDefault();
  Memory dram_;
  std::unique_ptr<sim::BoardCore> model_;
  vta_bare_core core_ = {};
  vta_bare_program program_ = {};
  vta_bare_memory memory_ = {};
  std::vector<uint64_t> addresses_;
  std::vector<std::byte> image_;
  std::map<uint32_t, uint32_t> replaced_;  // registers that read otherwise
  bool is_moving_ = true;                  // launches go on while they are looked at
  size_t flushed_ = 0, invalidated_ = 0;
};

TEST_F(BareTest, CoreSaysWhatItIs) {
  vta_bare_identity identity = {};
  ASSERT_EQ(vta_bare_identify(&core_, &identity), VTA_BARE_OK);
  EXPECT_EQ(identity.fingerprint, hw_.fingerprint());
  EXPECT_EQ(identity.instruction_bytes, static_cast<uint32_t>(hw_.instructionBytes()));
  EXPECT_EQ(identity.address_bits, static_cast<uint32_t>(hw_.params().axi_addr_width_bits));
}

TEST_F(BareTest, ProgramRunsWhereItsMemoryIs) {
  for (int run = 1; run <= 2; ++run) {
    ASSERT_EQ(load(), VTA_BARE_OK);
    std::fill_n(at(1, dram_.bytes), 64, std::byte{1});
    std::fill_n(at(2, dram_.bytes), 4 * 256, std::byte{3});
    ASSERT_EQ(start(), VTA_BARE_OK);
    ASSERT_EQ(wait(), VTA_BARE_OK);
    const auto out = at(3, dram_.bytes);
    EXPECT_TRUE(std::all_of(out, out + kCount * 16, [](std::byte b) { return b == std::byte{3}; }));
    EXPECT_GT(vta_bare_cycles(&core_), 0U);
    EXPECT_EQ(flushed_, run * dram_.bytes.size());
    EXPECT_EQ(invalidated_, run * dram_.bytes.size());
  }
}

TEST_F(BareTest, LaunchThatIsNotOverIsWaitedForAgain) {
  ASSERT_EQ(load(), VTA_BARE_OK);
  replaced_[reg::kStatus] = 1;
  EXPECT_EQ(start(), VTA_BARE_BUSY);
  replaced_.clear();
  ASSERT_EQ(start(), VTA_BARE_OK);
  replaced_[reg::kStatus] = 1;
  EXPECT_EQ(wait(), VTA_BARE_RUNNING);
  EXPECT_EQ(invalidated_, 0U);
  replaced_.clear();
  EXPECT_EQ(wait(), VTA_BARE_OK);
}

TEST_F(BareTest, FaultsAreReportedWithTheirInstruction) {
  ASSERT_EQ(load(), VTA_BARE_OK);
  model_->setBusError(true);
  ASSERT_EQ(start(), VTA_BARE_OK);
  vta_bare_fault fault = {};
  EXPECT_EQ(wait(&fault), VTA_BARE_FAULT);
  EXPECT_NE(fault.code, 0U);
  EXPECT_LT(fault.instruction, program_.insn_count);
  EXPECT_EQ(wait(), VTA_BARE_FAULT);
  vta_bare_reset(&core_);
  model_->setBusError(false);
  ASSERT_EQ(start(), VTA_BARE_OK);
  EXPECT_EQ(wait(), VTA_BARE_OK);
}

TEST_F(BareTest, OtherHardwareIsRefused) {
  replaced_[reg::kId] = 0;
  EXPECT_EQ(load(), VTA_BARE_NO_CORE);
  replaced_ = {{reg::kVersion, 9}};
  EXPECT_EQ(load(), VTA_BARE_OTHER_VERSION);
  replaced_.clear();
  ++program_.fingerprint;
  EXPECT_EQ(load(), VTA_BARE_OTHER_HARDWARE);
  program_.fingerprint = 0;
  EXPECT_EQ(load(), VTA_BARE_OK);
}

TEST_F(BareTest, WhatDoesNotFitIsRefused) {
  memory_.size_bytes = program_.image_bytes - 1;
  EXPECT_EQ(load(), VTA_BARE_TOO_LARGE);
  memory_.size_bytes = dram_.bytes.size();
  program_.insn_count = 1 << 20;
  EXPECT_EQ(load(), VTA_BARE_TOO_LARGE);
  program_.insn_count = 1;
  program_.insn_offset = 1;
  EXPECT_EQ(load(), VTA_BARE_MISALIGNED);
  program_.insn_offset = 0;
  memory_.address = kAddress + 16;
  EXPECT_EQ(load(), VTA_BARE_MISALIGNED);
  memory_.address = 0;
  EXPECT_EQ(load(), VTA_BARE_MISALIGNED);
  memory_.address = uint64_t{1} << 40;
  EXPECT_EQ(load(), VTA_BARE_TOO_LARGE);
}

TEST_F(BareTest, RefusedLaunchIsTold) {
  ASSERT_EQ(load(), VTA_BARE_OK);
  replaced_[reg::kStatus] = 8;
  EXPECT_EQ(start(), VTA_BARE_REFUSED);
}

TEST_F(BareTest, EveryStatusHasAName) {
  std::set<std::string> names;
  for (int status = VTA_BARE_OK; status <= VTA_BARE_FAULT; ++status) {
    names.insert(vta_bare_status_name(static_cast<vta_bare_status>(status)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(VTA_BARE_FAULT) + 1);
  EXPECT_STREQ(vta_bare_status_name(static_cast<vta_bare_status>(99)), "unknown");
}

}  // namespace
}  // namespace vta::driver
