#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace vta {
namespace {

void increment(void* closure, int64_t begin, int64_t end) {
  auto& counts = *static_cast<std::vector<std::atomic<int>>*>(closure);
  for (int64_t i = begin; i < end; ++i) counts[i].fetch_add(1);
}

void expectOnceEach(ThreadPool& pool, int64_t count) {
  std::vector<std::atomic<int>> counts(count);
  pool.parallelFor(increment, &counts, count);
  for (const auto& value : counts) ASSERT_EQ(value, 1) << "of " << count;
}

TEST(ThreadPoolTest, RunsEveryIterationOnce) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.numThreads(), threads);
    for (int64_t count : {0, 1, 2, 3, 7, 31, 32, 1000}) expectOnceEach(pool, count);
  }
}

TEST(ThreadPoolTest, ManyShortLoopsInARow) {
  ThreadPool pool(4);
  for (int i = 0; i < 3000; ++i) expectOnceEach(pool, i % 9);
}

TEST(ThreadPoolTest, ZeroMeansTheMachinesThreads) {
  ThreadPool pool;
  EXPECT_GE(pool.numThreads(), 1u);
}

TEST(ThreadPoolTest, SeveralCallersAtOnce) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&pool] {
      for (int round = 0; round < 200; ++round) expectOnceEach(pool, 50);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

struct Nested {
  ThreadPool* pool;
  std::vector<std::atomic<int>>* counts;
};

TEST(ThreadPoolTest, LoopsWithinLoops) {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> counts(20);
  Nested nested{&pool, &counts};
  const auto body = [](void* closure, int64_t begin, int64_t end) {
    const Nested& nested = *static_cast<Nested*>(closure);
    for (int64_t i = begin; i < end; ++i) {
      nested.pool->parallelFor(increment, nested.counts, 20);
    }
  };
  pool.parallelFor(body, &nested, 10);
  for (const auto& value : counts) EXPECT_EQ(value, 10);
}

}  // namespace
}  // namespace vta
