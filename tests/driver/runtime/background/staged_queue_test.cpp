#include "driver/runtime/background/staged_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace vta::driver {
namespace {

/// What ran, in order; and doors that parts wait at.
class Record {
 public:
  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    texts_.push_back(text);
    changed_.notify_all();
  }
  /// False if it does not happen.
  bool waitFor(const std::string& text) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20),
                             [&] { return std::ranges::find(texts_, text) != texts_.end(); });
  }
  std::vector<std::string> texts() {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> texts_;
};

std::function<Status()> part(Record& record, const std::string& name) {
  return [&record, name]() -> Status {
    record.add(name);
    return {};
  };
}

TEST(StagedQueue, StagesOfOneWorkComeInOrder) {
  Record record;
  StagedQueue queue(3);
  for (const char* name : {"a", "b"}) {
    const std::string work = name;
    queue.add({part(record, work + "1"), part(record, work + "2"), part(record, work + "3")});
  }
  EXPECT_TRUE(queue.wait(2).ok());
  const std::vector<std::string> texts = record.texts();
  const auto place = [&](const char* text) { return std::ranges::find(texts, text); };
  EXPECT_EQ(texts.size(), 6U);
  for (const auto& [before, behind] :
       std::vector<std::pair<const char*, const char*>>{{"a1", "a2"},
                                                        {"a2", "a3"},
                                                        {"b1", "b2"},
                                                        {"b2", "b3"},
                                                        {"a1", "b1"},
                                                        {"a2", "b2"},
                                                        {"a3", "b3"}}) {
    EXPECT_LT(place(before), place(behind)) << before << behind;
  }
  EXPECT_TRUE(queue.finish().ok());
}

TEST(StagedQueue, AStageRunsBesideAnotherOneOfTheWorkInFront) {
  Record record;
  StagedQueue queue(3);
  // The second part of the first work ends only when the first part of the second one has run.
  queue.add({part(record, "bring a"),
             [&]() -> Status {
               record.add("work a begins");
               EXPECT_TRUE(record.waitFor("bring b"));
               return {};
             },
             // And its third part when the second one of the second work has begun.
             [&]() -> Status {
               EXPECT_TRUE(record.waitFor("work b begins"));
               return {};
             }});
  queue.add({part(record, "bring b"), part(record, "work b begins"), part(record, "fetch b")});
  EXPECT_TRUE(queue.finish().ok());
  EXPECT_EQ(record.texts().back(), "fetch b");
}

TEST(StagedQueue, NothingRunsBehindAFailure) {
  for (size_t failing = 0; failing < 3; ++failing) {
    Record record;
    StagedQueue queue(3);
    std::vector<std::function<Status()>> parts = {part(record, "1"), part(record, "2"),
                                                  part(record, "3")};
    parts[failing] = []() -> Status { return internalError("it failed"); };
    queue.add(parts);
    queue.add({part(record, "late"), part(record, "later"), part(record, "latest")});
    EXPECT_EQ(queue.wait(1).message(), "it failed");
    EXPECT_EQ(queue.finish().message(), "it failed");
    for (const char* text : {"later", "latest"}) {
      if (failing < 2) {
        EXPECT_EQ(std::ranges::count(record.texts(), text), 0) << failing;
      }
    }
    EXPECT_EQ(std::ranges::count(record.texts(), "latest"), 0);
    // It is as new.
    queue.add({part(record, "x"), part(record, "y"), part(record, "z")});
    EXPECT_TRUE(queue.wait(1).ok());
    EXPECT_TRUE(queue.finish().ok());
    EXPECT_EQ(record.texts().back(), "z");
  }
}

TEST(StagedQueue, OneStageIsAQueue) {
  Record record;
  StagedQueue queue(1);
  for (const char* name : {"a", "b", "c"}) queue.add({part(record, name)});
  EXPECT_TRUE(queue.finish().ok());
  EXPECT_EQ(record.texts(), (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace vta::driver
