#include "explore/workers/farm/item_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta::launcher {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ItemQueue, HandsOutEachItemOnce) {
  ItemQueue queue(5, 3);
  EXPECT_THAT(queue.take(2), ElementsAre(0, 1));
  EXPECT_THAT(queue.take(2), ElementsAre(2, 3));
  EXPECT_TRUE(queue.hasWaiting());
  EXPECT_THAT(queue.take(2), ElementsAre(4));
  EXPECT_FALSE(queue.hasWaiting());
  EXPECT_THAT(queue.take(2), IsEmpty());
}

TEST(ItemQueue, IsFinishedWhenAllAreDone) {
  ItemQueue queue(2, 3);
  for (const size_t item : queue.take(2)) {
    EXPECT_FALSE(queue.isFinished());
    queue.finish(item, item + 10);
  }
  EXPECT_TRUE(queue.isFinished());
  const std::vector<ItemResult> results = queue.takeResults();
  ASSERT_EQ(results.size(), 2u);
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].state, ItemResult::State::kDone);
    EXPECT_EQ(results[i].result, i + 10);
    EXPECT_EQ(results[i].attempts, 1);
  }
}

TEST(ItemQueue, ItemsThatLostAWorkerGoAloneAndFirst) {
  ItemQueue queue(4, 3);
  queue.giveBack(queue.take(2));
  EXPECT_THAT(queue.take(4), ElementsAre(1));
  EXPECT_THAT(queue.take(4), ElementsAre(0));
  EXPECT_THAT(queue.take(4), ElementsAre(2, 3));
}

TEST(ItemQueue, AnItemIsLostWithItsLastAttempt) {
  ItemQueue queue(1, 2);
  queue.giveBack(queue.take(1));
  EXPECT_FALSE(queue.isFinished());
  queue.giveBack(queue.take(1));
  EXPECT_TRUE(queue.isFinished());
  EXPECT_FALSE(queue.hasWaiting());
  const std::vector<ItemResult> results = queue.takeResults();
  EXPECT_EQ(results[0].state, ItemResult::State::kLost);
  EXPECT_EQ(results[0].attempts, 2);
}

}  // namespace
}  // namespace vta::launcher
