// The zynq device on a virtual board: what works, and what happens when the board does not.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "driver/check_programs.h"
#include "driver/loader.h"
#include "driver/self_test.h"
#include "tests/driver/board/board_process.h"
#include "tests/driver/core_checks.h"

namespace vta::driver {
namespace {

using test::BoardProcess;
using test::Copy;
using test::withFault;
using testing::HasSubstr;

std::unique_ptr<Device> openOrFail(const BoardProcess& board, const std::string& more = "") {
  auto device = board.open(more);
  EXPECT_TRUE(device.ok()) << device.status().message();
  return device.ok() ? *std::move(device) : nullptr;
}

TEST(ZynqDeviceTest, SelfTestPassesInEveryMode) {
  const BoardProcess board;
  for (const char* mode : {"", ",wait=poll", ",wait=adaptive"}) {
    const auto device = openOrFail(board, mode);
    ASSERT_NE(device, nullptr);
    const SelfTestReport report = selfTest(*device);
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_THAT(report.text(), HasSubstr("interrupt: passed"));
  }
}

TEST(ZynqDeviceTest, SelfTestPassesOnTheRtl) {
  sim::VirtualBoardOptions options;
  options.use_rtl = true;
  const BoardProcess board(options);
  const auto device = openOrFail(board);
  ASSERT_NE(device, nullptr);
  const SelfTestReport report = selfTest(*device);
  EXPECT_TRUE(report.passed()) << report.text();
}

TEST(ZynqDeviceTest, CoherentMemoryNeedsNoMaintenance) {
  sim::VirtualBoardOptions options;
  options.is_coherent = true;
  const BoardProcess board(options);
  board.write("sys/class/u-dma-buf/udmabuf0/sync_for_cpu", "");
  const auto device = openOrFail(board, ",coherent");
  ASSERT_NE(device, nullptr);
  EXPECT_TRUE(selfTest(*device).passed());
}

TEST(ZynqDeviceTest, SelfTestPassesInMemoryOfZocl) {
  const BoardProcess board;
  const auto device = openOrFail(board, ",zocl");
  ASSERT_NE(device, nullptr);
  const SelfTestReport report = selfTest(*device);
  EXPECT_TRUE(report.passed()) << report.text();
  test::expectWritesKeepTheLine(*device);
}

TEST(ZynqDeviceTest, CoherentMemoryOfZoclNeedsNoMaintenance) {
  sim::VirtualBoardOptions options;
  options.is_coherent = true;
  const BoardProcess board(options);
  board.write("sys/class/drm/renderD128/device/of_node/dma-coherent", "");
  const auto device = openOrFail(board, ",zocl,coherent");
  ASSERT_NE(device, nullptr);
  EXPECT_TRUE(selfTest(*device).passed());
}

TEST(ZynqDeviceTest, StaleLinesInMemoryOfZoclAreFound) {
  for (const char* fault : {"stale-device@1", "stale-cpu@*"}) {
    const BoardProcess board(withFault(fault));
    const auto device = openOrFail(board, ",zocl,zocl-size=1M");
    ASSERT_NE(device, nullptr);
    EXPECT_THAT(selfTest(*device).text(), HasSubstr("stale")) << fault;
  }
}

TEST(ZynqDeviceTest, CountsLikeTheCycleSimulator) {
  const BoardProcess board;
  const auto device = openOrFail(board);
  ASSERT_NE(device, nullptr);
  test::expectCounters(*device);
}

TEST(ZynqDeviceTest, AResetClearsTheScratchpads) {
  for (const bool use_rtl : {false, true}) {
    sim::VirtualBoardOptions options;
    options.use_rtl = use_rtl;
    const BoardProcess board(options);
    const auto device = openOrFail(board);
    ASSERT_NE(device, nullptr);
    test::expectResetClearsScratchpads(*device);
  }
}

TEST(ZynqDeviceTest, WritesKeepWhatTheCoreWroteInTheSameLine) {
  const BoardProcess board;
  const auto device = openOrFail(board);
  ASSERT_NE(device, nullptr);
  test::expectWritesKeepTheLine(*device);
}

TEST(ZynqDeviceTest, ALostInterruptCostsTimeOnly) {
  const BoardProcess board(withFault("lost-interrupt@*"));
  const auto device = openOrFail(board);
  ASSERT_NE(device, nullptr);
  Copy copy(*device);
  for (uint8_t i = 0; i < 3; ++i) EXPECT_TRUE(copy.run(i).value());
}

TEST(ZynqDeviceTest, AStuckCoreIsATimeOutAndWorksBehindAReset) {
  const BoardProcess board(withFault("stuck@1"));
  const auto device = openOrFail(board);
  ASSERT_NE(device, nullptr);
  {
    Copy copy(*device);
    const auto ran = copy.run(1, std::chrono::milliseconds(50));
    EXPECT_EQ(ran.status().code(), StatusCode::kDeadlineExceeded);
    EXPECT_THAT(ran.status().message(), HasSubstr("a reset of the device gives it up"));
  }
  const Status status = device->reset();
  EXPECT_TRUE(status.ok()) << status.message();
  Copy copy(*device);
  EXPECT_TRUE(copy.run(2).value());
}

TEST(ZynqDeviceTest, AStuckCoreIsResetByTheNextProcess) {
  const BoardProcess board(withFault("stuck@1"));
  {
    const auto device = openOrFail(board);
    ASSERT_NE(device, nullptr);
    Copy copy(*device);
    EXPECT_FALSE(copy.run(1, std::chrono::milliseconds(50)).ok());
  }
  const auto device = openOrFail(board, ",busy-wait=100");
  ASSERT_NE(device, nullptr);
  Copy copy(*device);
  EXPECT_TRUE(copy.run(2).value());
}

TEST(ZynqDeviceTest, AMemoryThatNeverAnswersIsToldBehindAReset) {
  const BoardProcess board(withFault("dead-bus@1"));
  auto device = openOrFail(board, ",busy-wait=100");
  ASSERT_NE(device, nullptr);
  {
    Copy copy(*device);
    const auto ran = copy.run(1, std::chrono::milliseconds(50));
    EXPECT_EQ(ran.status().code(), StatusCode::kDeadlineExceeded);
  }
  const std::string text = device->reset().message();
  EXPECT_THAT(text, HasSubstr("a launch of this process did not end"));
  EXPECT_THAT(text, HasSubstr("the memory has not answered its bursts 100 ms later"));
  EXPECT_THAT(text, HasSubstr("program the FPGA again with vta-flash"));
  // The next one finds the core draining.
  device = nullptr;
  const auto again = board.open(",busy-wait=100");
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.status().message(), HasSubstr("has not answered its bursts"));
}

TEST(ZynqDeviceTest, AResetThatHangsEndsInSeconds) {
  const BoardProcess board(withFault("stuck@*"));
  const auto device = openOrFail(board);
  ASSERT_NE(device, nullptr);
  const Status status = device->reset();
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(status.message(), HasSubstr("still runs after 5000 ms"));
}

TEST(ZynqDeviceTest, ABusErrorIsAFaultAndTheDeviceGoesOn) {
  const BoardProcess board(withFault("bus-error@1"));
  const auto device = openOrFail(board);
  ASSERT_NE(device, nullptr);
  Copy copy(*device);
  const auto ran = copy.run(1);
  EXPECT_EQ(ran.status().code(), StatusCode::kDeviceFault);
  EXPECT_THAT(ran.status().message(), HasSubstr("bus error"));
  EXPECT_TRUE(copy.run(2).value());
}

TEST(ZynqDeviceTest, AResetInTheMiddleIsNoticed) {
  const BoardProcess board(withFault("reset@1"));
  const auto device = openOrFail(board);
  ASSERT_NE(device, nullptr);
  Copy copy(*device);
  EXPECT_THAT(copy.run(1).status().message(), HasSubstr("was reset while a launch ran"));
  // Its registers are zero, so a launch that leaves some as they were would use address 0.
  EXPECT_THAT(copy.run(2).status().message(), HasSubstr("was reset since its last launch"));
  ASSERT_TRUE(device->reset().ok());
  EXPECT_TRUE(copy.run(3).value());
}

TEST(ZynqDeviceTest, ABoardThatDisappearsIsNoticed) {
  const BoardProcess board(withFault("gone@1"));
  const auto device = openOrFail(board);
  ASSERT_NE(device, nullptr);
  Copy copy(*device);
  EXPECT_THAT(copy.run(1).status().message(), HasSubstr("the core disappeared"));
}

TEST(ZynqDeviceTest, TheSelfTestFindsBrokenMemory) {
  for (const auto& [fault, text] :
       std::vector<std::pair<const char*, const char*>>{{"stale-cpu@*", "stale cache lines"},
                                                        {"stale-device@*", "stale cache lines"},
                                                        {"truncated@*", "truncated transfer"},
                                                        {"wrong-address@*", "wrong"},
                                                        {"arithmetic@*", "gemm: failed"}}) {
    const BoardProcess board(withFault(fault));
    const auto device = openOrFail(board);
    ASSERT_NE(device, nullptr);
    const SelfTestReport report = selfTest(*device);
    EXPECT_FALSE(report.passed()) << fault;
    EXPECT_THAT(report.text(), HasSubstr(text)) << fault;
  }
}

TEST(ZynqDeviceTest, OneProcessAtATimeAndADeadOneHoldsNothing) {
  const BoardProcess board;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t other = fork();
  if (other == 0) {
    const auto device = board.open();
    const char answer = device.ok() ? 'y' : 'n';
    if (write(ready[1], &answer, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  const auto second = board.open();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(second.status().message(), HasSubstr("process " + std::to_string(other)));
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  EXPECT_NE(openOrFail(board, ",lock-wait=2000"), nullptr);
}

TEST(ZynqDeviceTest, AProcessThatDiesInTheMiddleLeavesAUsableBoard) {
  sim::VirtualBoardOptions options;
  options.use_rtl = true;
  const BoardProcess board(options);
  const pid_t other = fork();
  if (other == 0) {
    auto device = board.open();
    if (!device.ok()) _exit(1);
    const Program program = copyProgram((*device)->info().hw, 4096);
    const auto from = (*device)->allocate(65536, 4096);
    const std::vector<uint64_t> addresses = {from->address, from->address};
    auto loaded = LoadedProgram::load(**device, program, addresses);
    if (!(*device)->submit(loaded->launch()).ok()) _exit(1);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(other, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto device = openOrFail(board);
  ASSERT_NE(device, nullptr);
  EXPECT_TRUE(selfTest(*device).passed());
}

}  // namespace
}  // namespace vta::driver
