#include "explore/sweep/cache/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace vta::sweep {
namespace {

using testing::HasSubstr;
using testing::Not;

class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(CacheTest, FindsWhatAnotherConnectionAdded) {
  auto first = Cache::open(folder_ / "cache.db");
  ASSERT_TRUE(first.ok()) << first.status().message();
  auto second = Cache::open(folder_ / "cache.db");
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_EQ(*first->find("kind", "key"), std::nullopt);
  ASSERT_TRUE(second->add("kind", "key", "value").ok());
  ASSERT_TRUE(second->add("kind", "key", "another").ok());
  EXPECT_EQ(*first->find("kind", "key"), "another");
  EXPECT_EQ(*first->find("other", "key"), std::nullopt);
  EXPECT_EQ(*first->size(), 1);
}

TEST_F(CacheTest, ManyMakeTheSameFile) {
  // SQLite refuses a second process at once that turns on the write-ahead log meanwhile.
  for (int round = 0; round < 20; ++round) {
    const auto file = folder_ / std::to_string(round);
    std::vector<Status> opened(8);
    {
      std::vector<std::jthread> threads;
      for (Status& status : opened) {
        threads.emplace_back([&status, &file] { status = Cache::open(file).status(); });
      }
    }
    for (const Status& status : opened) EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST_F(CacheTest, RefusesWhatIsNoCache) {
  std::ofstream(folder_ / "text") << std::string(5000, 'x');
  const auto cache = Cache::open(folder_ / "text");
  ASSERT_FALSE(cache.ok());
  EXPECT_EQ(cache.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(cache.status().message(), HasSubstr("text"));
  EXPECT_THAT(cache.status().message(), HasSubstr("it is no cache of vta-sweep"));
  EXPECT_THAT(cache.status().message(), Not(HasSubstr("tuning database")));
}

TEST_F(CacheTest, RefusesOtherDatabasesAndNewerOnes) {
  {
    auto sql =
        tune::SqlConnection::open(folder_ / "other.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                  {"database", "delete it"});
    ASSERT_TRUE((*sql)->execute("CREATE TABLE t(x)").ok());
  }
  EXPECT_THAT(Cache::open(folder_ / "other.db").status().message(),
              HasSubstr("no cache of vta-sweep"));
  ASSERT_TRUE(Cache::open(folder_ / "new.db").ok());
  {
    auto sql = tune::SqlConnection::open(folder_ / "new.db", SQLITE_OPEN_READWRITE,
                                         {"database", "delete it"});
    ASSERT_TRUE((*sql)->execute("PRAGMA user_version=99").ok());
  }
  EXPECT_THAT(Cache::open(folder_ / "new.db").status().message(), HasSubstr("newer vta-sweep"));
}

// A value that somebody or some disk has changed is as if it were not there, and is written anew.
TEST_F(CacheTest, DamagedEntriesAreNotFound) {
  const auto file = folder_ / "cache.db";
  for (const std::string change :
       {"value = '{{'", "value = ''", "value = value || ' '", "value = substr(value, 2)",
        "value = replace(value, 'value', 'other')", "value = x'0011'"}) {
    Cache cache = *Cache::open(file);
    ASSERT_TRUE(cache.add("kind", "key", "a value").ok());
    ASSERT_TRUE(cache.add("kind", "another", "a value of another key").ok());
    {
      auto sql = tune::SqlConnection::open(file, SQLITE_OPEN_READWRITE, {"database", "delete it"});
      ASSERT_TRUE((*sql)->execute(("UPDATE entries SET " + change).c_str()).ok());
    }
    EXPECT_EQ(*cache.find("kind", "key"), std::nullopt) << change;
    ASSERT_TRUE(cache.add("kind", "key", "a value").ok());
    EXPECT_EQ(*cache.find("kind", "key"), "a value") << change;
  }
  // Nor is one that stands in another's place.
  Cache cache = *Cache::open(file);
  ASSERT_TRUE(cache.add("kind", "another", "a value of another key").ok());
  {
    auto sql = tune::SqlConnection::open(file, SQLITE_OPEN_READWRITE, {"database", "delete it"});
    ASSERT_TRUE(
        (*sql)->execute("UPDATE entries SET value = (SELECT max(value) FROM entries)").ok());
  }
  EXPECT_NE(cache.find("kind", "key")->has_value(), cache.find("kind", "another")->has_value());
}

TEST_F(CacheTest, OfTheFirstVersionAreEmpty) {
  const auto file = folder_ / "cache.db";
  ASSERT_TRUE(Cache::open(file)->add("kind", "key", "value").ok());
  {
    auto sql = tune::SqlConnection::open(file, SQLITE_OPEN_READWRITE, {"database", "delete it"});
    ASSERT_TRUE((*sql)->execute("PRAGMA user_version=1; UPDATE entries SET value = 'value'").ok());
  }
  Cache cache = *Cache::open(file);
  EXPECT_EQ(*cache.find("kind", "key"), std::nullopt);
  ASSERT_TRUE(cache.add("kind", "key", "value").ok());
  EXPECT_EQ(*cache.find("kind", "key"), "value");
}

TEST_F(CacheTest, RefusesTriggers) {
  ASSERT_TRUE(Cache::open(folder_ / "cache.db").ok());
  {
    auto sql = tune::SqlConnection::open(folder_ / "cache.db", SQLITE_OPEN_READWRITE,
                                         {"database", "delete it"});
    ASSERT_TRUE((*sql)
                    ->execute("CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; "
                              "END")
                    .ok());
  }
  EXPECT_THAT(Cache::open(folder_ / "cache.db").status().message(), HasSubstr("trigger 't'"));
}

TEST_F(CacheTest, ExistingMeansExisting) {
  EXPECT_FALSE(Cache::open(folder_ / "none.db", Cache::Access::kExisting).ok());
}

}  // namespace
}  // namespace vta::sweep
