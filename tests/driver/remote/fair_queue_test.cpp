#include "driver/remote/server/fair_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace vta::remote {
namespace {

using std::chrono::milliseconds;

TEST(FairQueueTest, OneAtATime) {
  FairQueue queue;
  std::atomic<int> inside = 0;
  int total = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto turn = queue.take("client" + std::to_string(t), nullptr);
        ASSERT_TRUE(turn.has_value());
        EXPECT_EQ(++inside, 1);
        ++total;
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(total, 200);
}

/// Has `client` wait for a turn, and notes when it has got it.
std::thread waiter(FairQueue& queue, const std::string& client, std::vector<std::string>& order) {
  const size_t before = queue.waiting();
  std::thread thread([&queue, client, &order] {
    const auto turn = queue.take(client, nullptr);
    order.push_back(client);
  });
  while (queue.waiting() == before) std::this_thread::yield();
  return thread;
}

TEST(FairQueueTest, WhoHadItForTheShortestTimeIsNext) {
  FairQueue queue;
  {
    const auto turn = queue.take("greedy", nullptr);
    std::this_thread::sleep_for(milliseconds(20));
  }
  std::vector<std::string> order;
  std::vector<std::thread> threads;
  {
    const auto turn = queue.take("other", nullptr);
    threads.push_back(waiter(queue, "greedy", order));
    threads.push_back(waiter(queue, "modest", order));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<std::string>{"modest", "greedy"}));
}

TEST(FairQueueTest, EqualClientsComeInTheOrderOfArrival) {
  FairQueue queue;
  std::vector<std::string> order;
  std::vector<std::thread> threads;
  {
    const auto turn = queue.take("first", nullptr);
    for (const char* const client : {"a", "b", "c"}) {
      threads.push_back(waiter(queue, client, order));
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order[0], "a");
}

TEST(FairQueueTest, WhoIsGoneWaitsNoLonger) {
  FairQueue queue;
  const auto turn = queue.take("holder", nullptr);
  EXPECT_FALSE(queue.take("gone", [] { return true; }).has_value());
  EXPECT_EQ(queue.waiting(), 0u);
}

}  // namespace
}  // namespace vta::remote
