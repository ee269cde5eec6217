#include "sim/cycle/common/queues.h"

#include <gtest/gtest.h>

namespace vta::sim::cycle {
namespace {

TEST(CommandQueueTest, HeadFollowsDispatchAndTheStartBefore) {
  const std::vector<uint32_t> numbers = {3, 5};
  CommandQueue queue(numbers, 4);
  EXPECT_EQ(queue.headFrom(), kNever);
  queue.dispatch(10);
  queue.dispatch(11);
  EXPECT_EQ(queue.headFrom(), 10 + timing::kQueueLatency);
  EXPECT_EQ(queue.headNumber(), 3u);
  queue.start(40);
  EXPECT_EQ(queue.headFrom(), 41u);
  EXPECT_EQ(queue.headNumber(), 5u);
  queue.start(41);
  EXPECT_TRUE(queue.isEmpty());
}

TEST(CommandQueueTest, RoomWhenAnEntryHasMovedToTheHead) {
  const std::vector<uint32_t> numbers = {0, 1, 2, 3};
  CommandQueue queue(numbers, 2);
  queue.dispatch(10);
  EXPECT_EQ(queue.roomFrom(), 0u);
  queue.dispatch(11);
  // The first one moves to the head in the cycle before it is there.
  EXPECT_EQ(queue.roomFrom(), 10 + timing::kQueueLatency);
  queue.dispatch(12);
  EXPECT_EQ(queue.roomFrom(), kNever);  // the second one waits for the first one's start
  queue.start(50);
  EXPECT_EQ(queue.roomFrom(), 51u);
}

TEST(TokenQueuesTest, TokensArePoppedOneCycleAfterTheirPush) {
  TokenQueues tokens(2);
  EXPECT_EQ(tokens.availableFrom(0), 0u);
  EXPECT_EQ(tokens.availableFrom(1), kNever);
  tokens.push(1, 20);
  EXPECT_EQ(tokens.availableFrom(1), 21u);
  EXPECT_EQ(tokens.availableFrom(3), kNever);
  tokens.push(2, 30);
  EXPECT_EQ(tokens.availableFrom(3), 31u);
  EXPECT_TRUE(tokens.holdsAny());
  tokens.pop(3, 31);
  EXPECT_FALSE(tokens.holdsAny());
}

TEST(TokenQueuesTest, APopInTheSameCycleMakesRoom) {
  TokenQueues tokens(1);
  tokens.push(1, 10);
  tokens.push(1, 20);
  EXPECT_TRUE(tokens.mayOverflow(1));
  EXPECT_TRUE(tokens.overflowsAt(1, 20));
  tokens.pop(1, 20);
  EXPECT_FALSE(tokens.overflowsAt(1, 20));
  EXPECT_FALSE(tokens.mayOverflow(1));
}

}  // namespace
}  // namespace vta::sim::cycle
