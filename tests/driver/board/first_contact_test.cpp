// A board that nothing has run on tests itself before it is used.
#include <gmock/gmock.h>

#include <string>

#include "driver/self_test.h"
#include "tests/driver/board/board_process.h"
#include "tests/driver/core_checks.h"

namespace vta::driver {
namespace {

using test::BoardProcess;
using test::Copy;
using test::withFault;
using testing::HasSubstr;

TEST(FirstContactTest, ABrokenBoardIsRefusedEachTime) {
  for (const auto& [fault, says] : {std::pair("truncated@*", "load-store: failed"),
                                    std::pair("arithmetic@*", "gemm: failed")}) {
    const BoardProcess board(withFault(fault));
    for (const char* options :
         {",self-test=new", ",self-test=new,wait=poll", ",self-test=always"}) {
      const auto device = board.open(options);
      ASSERT_FALSE(device.ok()) << fault << options;
      EXPECT_EQ(device.status().code(), StatusCode::kDeviceFault);
      EXPECT_THAT(device.status().message(), HasSubstr("does not pass its self test"));
      EXPECT_THAT(device.status().message(), HasSubstr("self-test=never"));
      EXPECT_THAT(device.status().message(), HasSubstr(says));
    }
    EXPECT_TRUE(board.open(",self-test=never").ok());
  }
}

TEST(FirstContactTest, ABoardThatHasRunALaunchWellIsNotTestedAgain) {
  const BoardProcess board(withFault("truncated@30-1000"));
  {
    const auto device = board.open(",self-test=new");
    ASSERT_TRUE(device.ok()) << device.status().message();
    EXPECT_TRUE(Copy(**device).run(1).value());
  }
  // More launches than a test needs, so that the next test would fail.
  for (int opened = 0; opened < 40; ++opened) {
    const auto device = board.open(",self-test=new");
    ASSERT_TRUE(device.ok()) << device.status().message();
    static_cast<void>(Copy(**device).run(2));
  }
  EXPECT_THAT(board.open(",self-test=always").status().message(), HasSubstr("truncated transfer"));
}

TEST(FirstContactTest, ItNeedsNoInterrupt) {
  sim::VirtualBoardOptions options;
  options.interrupt_is_connected = false;
  const BoardProcess board(options);
  const auto device = board.open(",wait=poll,self-test=new");
  EXPECT_TRUE(device.ok()) << device.status().message();
}

}  // namespace
}  // namespace vta::driver
