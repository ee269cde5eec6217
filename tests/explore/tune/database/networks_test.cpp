// Networks in a tuning database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "explore/tune/database/database.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSimulator = "cycle simulator";

class Networks : public ::testing::Test {
 protected:
  Networks() { std::filesystem::create_directories(folder_); }
  ~Networks() override { std::filesystem::remove_all(folder_); }

  Database open() const { return *Database::open(file_, Database::Access::kWrite); }

  void change(const std::string& statement) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  }

  NetworkRecord record() const {
    kernel::Schedule schedule;
    schedule.tile_height = 2;
    return {"net.onnx", 900, 950, 850, {{task_key_.workload, scheduleText(schedule), true}}};
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("vta-networks-" + std::to_string(getpid()));
  std::filesystem::path file_ = folder_ / "tuning.db";
  TaskKey task_key_ = keyOf(testing::smallTask());
  NetworkKey key_ = {"0123456789abcdef", task_key_.configuration, task_key_.memory};
};

TEST_F(Networks, AreKeptUntilAnotherOneReplacesThem) {
  EXPECT_EQ(*open().network(key_, kSimulator), std::nullopt) << "a file without networks";
  NetworkRecord first = record();
  ASSERT_TRUE(open().setNetwork(key_, kSimulator, first).ok());
  NetworkRecord second = record();
  second.cycles = 800;
  second.schedules[0].is_tuned = false;
  ASSERT_TRUE(open().setNetwork(key_, kSimulator, second).ok());
  const Database database = *Database::open(file_, Database::Access::kRead);
  const auto found = database.network(key_, kSimulator);
  ASSERT_TRUE(found.ok()) << found.status().message();
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->name, "net.onnx");
  EXPECT_EQ((*found)->untuned_cycles, 900u);
  EXPECT_EQ((*found)->tuned_cycles, 950u);
  EXPECT_EQ((*found)->cycles, 800u);
  EXPECT_EQ((*found)->schedules, second.schedules);
  EXPECT_EQ(*database.network(key_, "another source"), std::nullopt);
  NetworkKey other = key_;
  other.network = "another";
  EXPECT_EQ(*database.network(other, kSimulator), std::nullopt);
}

TEST_F(Networks, OfAnotherVersionOfTheCompilerAreNotTaken) {
  ASSERT_TRUE(open().setNetwork(key_, kSimulator, record()).ok());
  change("UPDATE networks SET compiler = 'older'");
  EXPECT_EQ(*open().network(key_, kSimulator), std::nullopt);
}

TEST_F(Networks, ThatNobodyCanHaveStoredAreLeftAside) {
  const std::pair<const char*, const char*> changes[] = {
      {"cycles = 0", "cannot take 0 cycles"},
      {"cycles = 901", "cannot take 901 cycles"},
      {"cycles = -1", "cannot take"},
      {"untuned_cycles = 'many'", "cannot take"},
      {"memory = 'none'", "memory"},
      {"schedules = 'none'", "parse error"},
      {"schedules = '[]'", "no schedules"},
      {"schedules = '[1]'", "at"},
      {"schedules = '[{\"workload\": {}}]'", ""},
  };
  for (const auto& [set, message] : changes) {
    SCOPED_TRACE(set);
    std::filesystem::remove(file_);
    ASSERT_TRUE(open().setNetwork(key_, kSimulator, record()).ok());
    EXPECT_EQ(open().impossibleRows()->size(), 0u);
    change("UPDATE networks SET " + std::string(set));
    const Database database = open();
    const auto found = database.network(key_, kSimulator);
    ASSERT_TRUE(found.ok()) << found.status().message();
    EXPECT_EQ(*found, std::nullopt);
    const auto remarks = database.impossibleRows();
    ASSERT_TRUE(remarks.ok() && remarks->size() == 1u);
    EXPECT_THAT(remarks->front(), HasSubstr("1 networks cannot be true"));
    EXPECT_THAT(remarks->front(), HasSubstr(message));
    EXPECT_THAT(remarks->front(), HasSubstr("tuning.db"));
    std::stringstream lines;
    ASSERT_TRUE(database.exportJsonLines(lines).ok());
    EXPECT_EQ(lines.str(), "");
  }
}

TEST_F(Networks, GoThroughLinesOfJson) {
  ASSERT_TRUE(open().setNetwork(key_, kSimulator, record()).ok());
  std::stringstream lines;
  ASSERT_TRUE(open().exportJsonLines(lines, Database::Exported::kBest).ok());
  Database imported = *Database::open(":memory:", Database::Access::kWrite);
  const std::string text = lines.str();
  for (int times = 0; times < 2; ++times) {
    std::istringstream in(text);
    ASSERT_TRUE(imported.importJsonLines(in).ok());
  }
  const auto found = imported.network(key_, kSimulator);
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->schedules, record().schedules);
  EXPECT_EQ((*found)->cycles, 850u);
  std::stringstream again;
  ASSERT_TRUE(imported.exportJsonLines(again, Database::Exported::kBest).ok());
  EXPECT_EQ(again.str(), text);

  const auto refuse = [&](const std::string& old, const std::string& now, const char* message) {
    std::string changed = text;
    const size_t at = changed.find(old);
    ASSERT_NE(at, std::string::npos) << old;
    changed.replace(at, old.size(), now);
    Database database = *Database::open(":memory:", Database::Access::kWrite);
    std::istringstream in(changed);
    const Status status = database.importJsonLines(in);
    EXPECT_THAT(status.message(), HasSubstr(message)) << now;
    EXPECT_THAT(status.message(), HasSubstr("line 1"));
    EXPECT_EQ(*database.network(key_, kSimulator), std::nullopt);
  };
  refuse("\"cycles\":850", "\"cycles\":0", "cannot take 0 cycles");
  refuse("\"cycles\":850", "\"cycles\":\"few\"", "number");
  refuse("\"is_tuned\":true", "\"is_tuned\":3", "boolean");
  refuse("\"tile_height\":2", "\"tile_height\":-2", "tile_height");
}

}  // namespace
}  // namespace vta::tune
