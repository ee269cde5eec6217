#include "driver/runtime/background/launch_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

namespace vta::driver {
namespace {

TEST(LaunchQueue, RunsInOrderWhileTheCallerGoesOn) {
  LaunchQueue queue;
  std::promise<void> gate;
  std::vector<int> order;
  queue.add([&] {
    gate.get_future().wait();
    order.push_back(1);
    return Status();
  });
  queue.add([&] {
    order.push_back(2);
    return Status();
  });
  gate.set_value();  // reached although the first one has not ended
  EXPECT_TRUE(queue.wait(1).ok());
  EXPECT_TRUE(queue.finish().ok());
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(LaunchQueue, NothingRunsBehindAFailure) {
  LaunchQueue queue;
  std::atomic<int> runs = 0;
  queue.add([&] {
    ++runs;
    return Status(StatusCode::kIoError, "gone");
  });
  queue.add([&] {
    ++runs;
    return Status();
  });
  EXPECT_EQ(queue.wait(2).message(), "gone");
  EXPECT_EQ(queue.finish().message(), "gone");
  EXPECT_EQ(runs, 1);
  // The next run begins anew.
  queue.add([&] {
    ++runs;
    return Status();
  });
  EXPECT_TRUE(queue.wait(1).ok());
  EXPECT_TRUE(queue.finish().ok());
  EXPECT_EQ(runs, 2);
}

TEST(LaunchQueue, EndsWithWhatItWasGiven) {
  std::atomic<int> runs = 0;
  {
    LaunchQueue queue;
    for (int i = 0; i < 5; ++i) {
      queue.add([&] {
        ++runs;
        return Status();
      });
    }
  }
  EXPECT_EQ(runs, 5);
  LaunchQueue unused;
  EXPECT_TRUE(unused.finish().ok());
}

}  // namespace
}  // namespace vta::driver
