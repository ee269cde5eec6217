// The zynq device on a virtual board with the registers of VTA 0.0.2.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <utility>
#include <vector>

#include "driver/board/four_block_core.h"
#include "driver/board/uio.h"
#include "driver/check_programs.h"
#include "driver/device_registry.h"
#include "driver/loader.h"
#include "driver/self_test.h"
#include "isa/instruction/encoding.h"
#include "tests/driver/board/board_process.h"
#include "tests/driver/core_checks.h"

namespace vta::driver {
namespace {

using test::BoardProcess;
using test::Copy;
using testing::HasSubstr;

constexpr uint32_t kCount = 64;  // elements that a launch copies
constexpr const char* kMap = ",map=four-block";
constexpr const char* kRegisters = "sys/class/uio/uio0/maps/";

HwConfig published() { return loadHwConfig(VTA_SOURCE_DIR "/configs/hw/vta-0.0.2.yaml").value(); }

sim::VirtualBoardOptions fourBlocks(const std::string& fault = "") {
  sim::VirtualBoardOptions options;
  if (!fault.empty()) options = test::withFault(fault);
  options.has_four_blocks = true;
  return options;
}

/// A board with four blocks.
class Board : public BoardProcess {
 public:
  explicit Board(const sim::VirtualBoardOptions& options = fourBlocks())
      : BoardProcess(options, published()) {}

  Result<std::unique_ptr<Device>> tryOpen(const std::string& more = "") const {
    return open(kMap + more, published());
  }
  std::unique_ptr<Device> openOrFail(const std::string& more = "") const {
    auto device = tryOpen(more);
    EXPECT_TRUE(device.ok()) << device.status().message();
    return device.ok() ? *std::move(device) : nullptr;
  }
};

TEST(FourBlockTest, TheSelfTestPasses) {
  const Board board;
  const auto device = board.openOrFail();
  ASSERT_NE(device, nullptr);
  const SelfTestReport report = selfTest(*device);
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_THAT(report.text(), HasSubstr("gemm: passed"));
  EXPECT_THAT(report.text(), HasSubstr("interrupt: skipped: the blocks of VTA 0.0.2 announce no"));
}

TEST(FourBlockTest, EachBlockMayHaveAMapOfItsOwn) {
  const Board board;
  for (const char* map : {"map0", "map1", "map2", "map3"}) {
    board.write(kRegisters + std::string(map) + "/size", "0x1000\n");
  }
  const auto device = board.openOrFail();
  ASSERT_NE(device, nullptr);
  EXPECT_TRUE(selfTest(*device).passed());
}

TEST(FourBlockTest, CoherentMemoryNeedsNoMaintenance) {
  sim::VirtualBoardOptions options = fourBlocks();
  options.is_coherent = true;
  const Board board(options);
  const auto device = board.openOrFail(",coherent");
  ASSERT_NE(device, nullptr);
  EXPECT_TRUE(selfTest(*device).passed());
}

// `done` of the launch before reads as 1 for a while behind every start but the first.
TEST(FourBlockTest, TheEndOfTheLaunchBeforeIsNotTakenForThisOnes) {
  const Board board;
  const auto device = board.openOrFail();
  ASSERT_NE(device, nullptr);
  Copy copy(*device, kCount);
  for (uint32_t i = 0; i < 200; ++i) ASSERT_TRUE(copy.run(i).value()) << i;
}

TEST(FourBlockTest, NorIsThatOfAnotherProcess) {
  const Board board;
  for (uint32_t i = 0; i < 3; ++i) {
    const auto device = board.openOrFail();
    ASSERT_NE(device, nullptr);
    Copy copy(*device, kCount);
    EXPECT_TRUE(copy.run(i).value());
  }
}

TEST(FourBlockTest, BaseAddressesMayChangeFromLaunchToLaunch) {
  const Board board;
  const auto device = board.openOrFail();
  ASSERT_NE(device, nullptr);
  Copy copy(*device, kCount);
  ASSERT_TRUE(copy.run(1).value());
  const Program program = sortingCopyProgram(device->info().hw, 1);
  const DeviceBuffer from = device->allocate(64, 4096).value();
  const DeviceBuffer to = device->allocate(8192, 4096).value();
  const std::vector<uint64_t> addresses = {0, from.address, 0};
  const auto loaded = LoadedProgram::load(*device, program, addresses);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  for (const uint64_t offset : {0, 4096}) {
    const std::vector<std::byte> bytes(64, static_cast<std::byte>(offset / 1024 + 7));
    ASSERT_TRUE(device->write(from.address, bytes).ok());
    Launch launch = loaded->launch();
    launch.out_base = to.address + offset;
    ASSERT_TRUE(device->submit(launch).ok());
    ASSERT_TRUE(device->wait(std::chrono::seconds(5)).ok());
    std::vector<std::byte> copied(64);
    ASSERT_TRUE(device->read(to.address + offset, copied).ok());
    EXPECT_EQ(copied, bytes);
  }
}

TEST(FourBlockTest, AddressesHave32Bits) {
  const Board board;
  const auto device = board.openOrFail();
  ASSERT_NE(device, nullptr);
  const Copy copy(*device, kCount);
  Launch launch = copy.launch();
  launch.acc_base = uint64_t{1} << 32;
  const Status status = device->submit(launch);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("0x100000000 has more than the 32 bits"));
}

TEST(FourBlockTest, SaysWhatItHasNot) {
  const Board board;
  const auto device = board.openOrFail();
  ASSERT_NE(device, nullptr);
  EXPECT_FALSE(device->info().capabilities.cycles);
  EXPECT_FALSE(device->info().capabilities.clears_tokens);
  EXPECT_THAT(device->info().limitations, HasSubstr("few counters"));
  EXPECT_EQ(device->testInterrupt().code(), StatusCode::kUnsupported);
  const auto hw = readConfiguration(parseDeviceSpec(board.spec(kMap)).value());
  EXPECT_THAT(hw.status().message(), HasSubstr("no registers that tell their configuration"));
}

TEST(FourBlockTest, AResetClearsTheScratchpads) {
  const Board board;
  const auto device = board.openOrFail();
  ASSERT_NE(device, nullptr);
  EXPECT_TRUE(selfTest(*device).passed());  // leaves something in ACC
  const Status reset = device->reset();
  ASSERT_TRUE(reset.ok()) << reset.message();
  const Program program = dumpProgram(device->info().hw);
  const auto out = device->allocate(program.buffers[1].size_bytes, 4096);
  const std::vector<uint64_t> addresses = {0, out->address};
  ASSERT_TRUE(device->write(out->address, std::vector<std::byte>(64, std::byte{1})).ok());
  ASSERT_TRUE(LoadedProgram::load(*device, program, addresses)->run().ok());
  std::vector<std::byte> bytes(out->size_bytes);
  ASSERT_TRUE(device->read(out->address, bytes).ok());
  EXPECT_THAT(bytes, testing::Each(std::byte{0}));
}

// Published hardware sees no faults: what goes wrong does not end.
TEST(FourBlockTest, WhatNeverEndsIsATimeOut) {
  for (const char* fault : {"stuck@1", "stuck@2", "bus-error@2"}) {
    const Board board(fourBlocks(fault));
    const auto device = board.openOrFail(",busy-wait=100");
    ASSERT_NE(device, nullptr);
    {
      Copy copy(*device, kCount);
      auto ran = copy.run(1, std::chrono::milliseconds(100));
      if (ran.ok()) ran = copy.run(2, std::chrono::milliseconds(100));
      EXPECT_EQ(ran.status().code(), StatusCode::kDeadlineExceeded) << fault;
      EXPECT_THAT(ran.status().message(), HasSubstr("compute has not executed FINISH"));
      EXPECT_THAT(ran.status().message(), HasSubstr("program the FPGA again with vta-flash"));
    }
    EXPECT_THAT(device->reset().message(), HasSubstr("cannot be stopped"));
  }
}

TEST(FourBlockTest, AResetInTheMiddleIsNoticed) {
  const Board board(fourBlocks("reset@2"));
  const auto device = board.openOrFail();
  ASSERT_NE(device, nullptr);
  Copy copy(*device, kCount);
  ASSERT_TRUE(copy.run(1).ok());
  EXPECT_THAT(copy.run(2).status().message(), HasSubstr("was reset while a launch ran"));
}

TEST(FourBlockTest, ABoardThatDisappearsIsNoticed) {
  const Board board(fourBlocks("gone@2"));
  const auto device = board.openOrFail();
  ASSERT_NE(device, nullptr);
  Copy copy(*device, kCount);
  ASSERT_TRUE(copy.run(1).ok());
  EXPECT_FALSE(copy.run(2, std::chrono::milliseconds(500)).ok());
}

TEST(FourBlockTest, TheSelfTestFindsBrokenMemory) {
  for (const auto& [fault, text] :
       std::vector<std::pair<const char*, const char*>>{{"stale-cpu@*", "load-store: failed"},
                                                        {"stale-device@*", "load-store: failed"},
                                                        {"truncated@*", "load-store: failed"},
                                                        {"wrong-address@*", "load-store: failed"},
                                                        {"arithmetic@*", "gemm: failed"}}) {
    const Board board(fourBlocks(fault));
    const auto device = board.openOrFail();
    ASSERT_NE(device, nullptr);
    EXPECT_THAT(selfTest(*device).text(), HasSubstr(text)) << fault;
  }
}

TEST(FourBlockTest, AProcessThatDiesInTheMiddleLeavesAUsableBoard) {
  const Board board;
  const pid_t other = fork();
  if (other == 0) {
    const auto device = board.tryOpen();
    if (!device.ok()) _exit(1);
    Copy copy(**device, 1536);
    if (!copy.run(1).ok() || !(*device)->submit(copy.launch()).ok()) _exit(1);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(other, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto device = board.openOrFail();
  ASSERT_NE(device, nullptr);
  EXPECT_TRUE(selfTest(*device).passed());
}

TEST(FourBlockTest, OnlyModulesForPublishedHardware) {
  const Board board;
  const auto device = board.open(kMap);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), StatusCode::kUnsupported);
  for (const char* text :
       {"configuration 'default' is not for them", "--hw vta-0.0.2", "leave out map=four-block"}) {
    EXPECT_THAT(device.status().message(), HasSubstr(text));
  }
}

TEST(FourBlockTest, TheOtherMapNamesThisOne) {
  const Board board;
  const auto device = board.open("", published());
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.status().message(), HasSubstr("give the device the option map=four-block"));
}

TEST(FourBlockTest, ThisMapNamesTheOtherOne) {
  const BoardProcess board({}, published());
  const auto device = board.open(kMap, published());
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.status().message(), HasSubstr("a core of this project answers"));
  EXPECT_THAT(device.status().message(), HasSubstr("leave out map=four-block"));
}

TEST(FourBlockTest, NothingAnswers) {
  const Board board;
  board.write("dev/mem", "");
  std::filesystem::resize_file(board.folder() / "dev/mem", uint64_t{0x43c0'4000});
  const auto device = board.tryOpen(",registers=0x43c00000");
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.status().message(),
              HasSubstr("no fetch block answers in window 0: its control register reads 0x0000"));
}

TEST(FourBlockTest, WindowsInAnotherOrder) {
  const Board board;
  BoardOptions options;
  options.root = board.folder();
  options.map = RegisterMapKind::kFourBlock;
  const auto uio = Uio::open(options);
  ASSERT_TRUE(uio.ok()) << uio.status().message();
  std::vector<MappedRegisters> windows = uio->windows();
  const auto prepare = [&] {
    return FourBlockCore(windows).prepare(
        published(), [](std::span<const std::byte>) -> Result<uint64_t> { return 0x1000; });
  };
  EXPECT_TRUE(prepare().ok());
  std::swap(windows[1], windows[3]);
  const Status status = prepare();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("window 1 is not the load block of VTA 0.0.2"));
  EXPECT_THAT(status.message(), HasSubstr("in the order fetch, load, compute, store"));
}

TEST(FourBlockTest, TooFewRegisters) {
  const Board board;
  board.write(kRegisters + std::string("map0/size"), "0x1000\n");
  EXPECT_THAT(board.tryOpen().status().message(),
              HasSubstr("has 4096 bytes of registers, four blocks have 4096 each: give one range"));
  board.write(kRegisters + std::string("map1/size"), "0x1000\n");
  EXPECT_THAT(board.tryOpen().status().message(), HasSubstr("maps/map2/size"));
}

TEST(FourBlockTest, BadOptions) {
  const Board board;
  for (const auto& [options, text] : std::vector<std::pair<const char*, const char*>>{
           {",map=two", "map=two; legal: core, four-block, single-block"},
           {",map=four-block,wait=interrupt", "wait=interrupt: the blocks of VTA 0.0.2 have no"},
           {",map=four-block,registers=0x1000/0x2000", "has 2 addresses; legal: one, or those of"},
           {",map=four-block,registers=0x1000/", "is no address"},
           {",registers=0x0/0x1000/0x2000/0x3000", "has 4 addresses; legal: one"}}) {
    const auto device = board.open(options, published());
    ASSERT_FALSE(device.ok()) << options;
    EXPECT_EQ(device.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(device.status().message(), HasSubstr(text));
  }
}

}  // namespace
}  // namespace vta::driver
