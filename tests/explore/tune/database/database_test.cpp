#include "explore/tune/database/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::smallTask;

constexpr const char* kSource = "cycle simulator";

class Databases : public ::testing::Test {
 protected:
  Databases() { std::filesystem::create_directories(folder_); }
  ~Databases() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const char* name = "tuning.db") const { return folder_ / name; }
  Database open(const char* name = "tuning.db") const {
    auto database = Database::open(file(name), Database::Access::kWrite);
    EXPECT_TRUE(database.ok()) << database.status().message();
    return *std::move(database);
  }

  /// Changes the file as this version would not.
  void change(const char* statements) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statements, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  }

  static TrialRecord trial(int64_t height, uint64_t cycles) {
    TrialRecord record{.outcome = Outcome::kCycles, .cycles = cycles, .searcher = "random"};
    kernel::Schedule schedule;
    schedule.tile_height = height;
    record.schedule = scheduleText(schedule);
    return record;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("vta-database-" + std::to_string(getpid()));
  Task task_ = smallTask();
  TaskKey key_ = keyOf(task_);
};

TEST_F(Databases, KeepTrialsAndProofs) {
  {
    Database database = open();
    TrialRecord failed = trial(3, 0);
    failed.outcome = Outcome::kCrashed;
    const std::vector<TrialRecord> trials = {trial(1, 500), trial(2, 400), failed};
    ASSERT_TRUE(database.addTrials(storedTask(task_), kSource, trials).ok());
    ASSERT_TRUE(database.setProof(storedTask(task_), kSource, {380}).ok());
  }
  const Database database = *Database::open(file(), Database::Access::kRead);
  const auto trials = database.trials(key_, kSource);
  ASSERT_TRUE(trials.ok());
  ASSERT_EQ(trials->size(), 3u);
  EXPECT_EQ(parseSchedule((*trials)[1].schedule)->tile_height, 2);
  EXPECT_EQ((*database.best(key_, kSource))->cycles, 400u);
  EXPECT_EQ((*database.proof(key_, kSource))->floor_cycles, 380u);
  const auto summaries = database.summaries();
  ASSERT_EQ(summaries->size(), 1u);
  EXPECT_EQ(summaries->front().trials, 3);
  EXPECT_EQ(summaries->front().failed, 1);
  EXPECT_EQ(summaries->front().task.name, "conv");
  EXPECT_EQ(*database.tasks(kSource), std::vector{key_});
  EXPECT_EQ(database.tasks("board")->size(), 0u);
}

TEST_F(Databases, SourcesAndTasksDoNotMix) {
  Database database = open();
  ASSERT_TRUE(database.addTrials(storedTask(task_), kSource, std::vector{trial(1, 500)}).ok());
  ASSERT_TRUE(database.addTrials(storedTask(task_), "board", std::vector{trial(1, 100)}).ok());
  Task slower = task_;
  slower.memory.simple.latency_cycles = 99;
  ASSERT_TRUE(database.addTrials(storedTask(slower), kSource, std::vector{trial(1, 900)}).ok());
  EXPECT_EQ((*database.best(key_, kSource))->cycles, 500u);
  EXPECT_EQ((*database.best(key_, "board"))->cycles, 100u);
  EXPECT_EQ((*database.best(keyOf(slower), kSource))->cycles, 900u);
  EXPECT_FALSE((*database.best(key_, "another")).has_value());
}

// What another version of the compiler measured stays, but nothing is chosen or proven by it.
TEST_F(Databases, TrialsOfAnotherCompilerAreNotUsed) {
  {
    Database database = open();
    ASSERT_TRUE(database.addTrials(storedTask(task_), kSource, std::vector{trial(1, 500)}).ok());
    ASSERT_TRUE(database.setProof(storedTask(task_), kSource, {490}).ok());
    change("UPDATE trials SET compiler = 'another'; UPDATE proofs SET compiler = 'another'");
  }
  Database database = open();
  EXPECT_FALSE((*database.best(key_, kSource)).has_value());
  EXPECT_FALSE((*database.proof(key_, kSource)).has_value());
  EXPECT_TRUE(database.trials(key_, kSource)->empty());
  EXPECT_TRUE(database.bestSchedules(key_.workload, kSource)->empty());
  EXPECT_TRUE(database.tasks(kSource)->empty());
  // The same by lines of JSON, as the schedules that come with the project are read.
  std::stringstream lines;
  ASSERT_TRUE(database.exportJsonLines(lines).ok());
  EXPECT_THAT(lines.str(), HasSubstr("another"));
  Database read = open("read.db");
  ASSERT_TRUE(read.importJsonLines(lines).ok());
  EXPECT_FALSE((*read.best(key_, kSource)).has_value());
  // This version's own trial stands beside it.
  ASSERT_TRUE(read.addTrials(storedTask(task_), kSource, std::vector{trial(1, 600)}).ok());
  EXPECT_EQ((*read.best(key_, kSource))->cycles, 600u);
}

TEST_F(Databases, AgainTheSameTrialReplacesTheOld) {
  Database database = open();
  ASSERT_TRUE(database.addTrials(storedTask(task_), kSource, std::vector{trial(1, 500)}).ok());
  ASSERT_TRUE(database.addTrials(storedTask(task_), kSource, std::vector{trial(1, 450)}).ok());
  EXPECT_EQ(database.trials(key_, kSource)->size(), 1u);
  EXPECT_EQ((*database.best(key_, kSource))->cycles, 450u);
}

TEST_F(Databases, SeveralWritersLoseNothing) {
  open();
  const auto write = [this](int64_t first) {
    Database database = open();
    for (int64_t i = first; i < first + 20; ++i) {
      const Status status =
          database.addTrials(storedTask(task_), kSource, std::vector{trial(i, 1000)});
      EXPECT_TRUE(status.ok()) << status.message();
    }
  };
  std::thread other([&] { write(100); });
  write(1);
  other.join();
  EXPECT_EQ(open().trials(key_, kSource)->size(), 40u);
}

TEST_F(Databases, LinesOfJsonAreReadBack) {
  Database database = open();
  ASSERT_TRUE(
      database.addTrials(storedTask(task_), kSource, std::vector{trial(1, 500), trial(2, 300)})
          .ok());
  ASSERT_TRUE(database.setProof(storedTask(task_), kSource, {290}).ok());
  std::stringstream lines;
  ASSERT_TRUE(database.exportJsonLines(lines).ok());
  Database other = open("other.db");
  for (int again = 0; again < 2; ++again) {
    std::istringstream in(lines.str());
    const Status status = other.importJsonLines(in);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ(other.trials(key_, kSource)->size(), 2u);
  std::stringstream same;
  ASSERT_TRUE(other.exportJsonLines(same).ok());
  EXPECT_EQ(same.str(), lines.str());
}

TEST_F(Databases, ABadLineImportsNothing) {
  Database database = open();
  ASSERT_TRUE(database.addTrials(storedTask(task_), kSource, std::vector{trial(1, 500)}).ok());
  std::stringstream lines;
  ASSERT_TRUE(database.exportJsonLines(lines).ok());
  for (const std::string bad : {"{}", "no JSON", "[1]"}) {
    Database other = open("other.db");
    std::istringstream in(lines.str() + bad + "\n");
    const Status status = other.importJsonLines(in);
    EXPECT_THAT(status.message(), HasSubstr("line 2"));
    EXPECT_TRUE(other.trials(key_, kSource)->empty());
  }
}

TEST_F(Databases, ForeignFilesAreRefused) {
  std::ofstream(file("text.db")) << "this is no database, but long enough to look like a file";
  const Status text = Database::open(file("text.db"), Database::Access::kWrite).status();
  EXPECT_EQ(text.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(text.message(), HasSubstr("text.db"));

  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file("other.db").c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "CREATE TABLE songs(name)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
  EXPECT_THAT(Database::open(file("other.db"), Database::Access::kWrite).status().message(),
              HasSubstr("no tuning database"));
  EXPECT_EQ(Database::open(file("absent.db"), Database::Access::kRead).status().code(),
            StatusCode::kNotFound);
}

TEST_F(Databases, OfANewerVersionAreRefused) {
  open();
  change("PRAGMA user_version = 9");
  const Status status = Database::open(file(), Database::Access::kWrite).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("format 9"));
}

// Format 1 had no attempts: it can be read as it is, and writing makes it format 2.
TEST_F(Databases, OfTheFirstFormatAreUpgraded) {
  const TrialRecord old[] = {trial(1, 500)};
  ASSERT_TRUE(open().addTrials(storedTask(task_), kSource, old).ok());
  change(
      "ALTER TABLE trials DROP COLUMN attempts; ALTER TABLE trials DROP COLUMN is_steady; "
      "PRAGMA user_version = 1");
  {
    const auto readable = Database::open(file(), Database::Access::kRead);
    ASSERT_TRUE(readable.ok()) << readable.status().message();
    EXPECT_EQ(readable->trials(key_, kSource)->front().attempts, 1);
    EXPECT_EQ(readable->summaries()->front().lost_workers, 0);
    std::ostringstream lines;
    EXPECT_TRUE(readable->exportJsonLines(lines).ok());
    EXPECT_THAT(lines.str(), Not(HasSubstr("attempts")));
  }
  TrialRecord lost = trial(2, 400);
  lost.attempts = 3;
  const TrialRecord added[] = {lost};
  {
    Database database = open();
    ASSERT_TRUE(database.addTrials(storedTask(task_), kSource, added).ok());
  }
  const auto upgraded = Database::open(file(), Database::Access::kRead);
  EXPECT_EQ(upgraded->best(key_, kSource)->value().attempts, 3);
  EXPECT_EQ(upgraded->summaries()->front().lost_workers, 2);
  std::ostringstream lines;
  ASSERT_TRUE(upgraded->exportJsonLines(lines).ok());
  Database other = *Database::open(file("other.db"), Database::Access::kWrite);
  std::istringstream in(lines.str());
  ASSERT_TRUE(other.importJsonLines(in).ok());
  EXPECT_EQ(other.best(key_, kSource)->value().attempts, 3);
}

TEST_F(Databases, ADamagedFileIsAnError) {
  {
    Database database = open();
    std::vector<TrialRecord> many;
    for (int64_t i = 1; i < 400; ++i) many.push_back(trial(i, 100));
    ASSERT_TRUE(database.addTrials(storedTask(task_), kSource, many).ok());
  }
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) / 2);
  auto database = Database::open(file(), Database::Access::kWrite);
  const Status status =
      database.ok() ? database->trials(key_, kSource).status() : database.status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("tuning.db"));
}

TEST_F(Databases, WaitForOthersAndThenSaySo) {
  Database database = open();
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const Status status = database.addTrials(storedTask(task_), kSource, std::vector{trial(1, 500)});
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("another process"));
  sqlite3_exec(handle, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(handle);
  EXPECT_TRUE(database.addTrials(storedTask(task_), kSource, std::vector{trial(1, 500)}).ok());
}

TEST_F(Databases, KnowSchedulesOfOtherMemories) {
  Database database = open();
  Task other = smallTask();
  for (const int latency : {10, 20, 30}) {
    other.memory.simple.latency_cycles = latency;
    // Two memories have the same fastest schedule.
    const int64_t height = latency < 30 ? 2 : 4;
    const std::vector<TrialRecord> trials = {trial(1, 100), trial(height, 90)};
    ASSERT_TRUE(database.addTrials(storedTask(other), kSource, trials).ok());
  }
  const auto schedules = database.bestSchedules(keyOf(smallTask()).workload, kSource);
  ASSERT_TRUE(schedules.ok());
  EXPECT_EQ(*schedules, (std::vector{trial(2, 0).schedule, trial(4, 0).schedule}));
  EXPECT_TRUE(database.bestSchedules("{}", kSource)->empty());
  EXPECT_TRUE(database.bestSchedules(keyOf(smallTask()).workload, "board")->empty());
}

TEST_F(Databases, KnowWhichRunsDidNotEnd) {
  Database database = open();
  EXPECT_FALSE(*database.openRun());  // of a database that never had one
  const std::vector<TrialRecord> earlier = {trial(1, 100), trial(2, 90)};
  ASSERT_TRUE(database.addTrials(storedTask(smallTask()), kSource, earlier).ok());
  const std::vector<std::string> command = {"model.onnx", "--seed", "3"};
  const auto run = database.beginRun("/home", command);
  ASSERT_TRUE(run.ok()) << run.status().message();
  const auto stored = database.trials(keyOf(smallTask()), kSource);
  EXPECT_EQ(run->earlier_trials, stored->back().number);
  const std::vector<TrialRecord> later = {trial(4, 80)};
  ASSERT_TRUE(database.addTrials(storedTask(smallTask()), kSource, later).ok());
  // The same command goes on with the same run; the same in another folder is another run.
  EXPECT_EQ(database.beginRun("/home", command)->id, run->id);
  EXPECT_EQ(database.beginRun("/home", command)->earlier_trials, run->earlier_trials);
  const auto other = database.beginRun("/tmp", command);
  EXPECT_NE(other->id, run->id);
  EXPECT_EQ((*database.openRun())->folder, "/tmp");
  ASSERT_TRUE(database.endRun(*other).ok());
  const auto open_run = database.openRun();
  ASSERT_TRUE(open_run.ok() && *open_run);
  EXPECT_EQ((*open_run)->arguments, command);
  ASSERT_TRUE(database.endRun(*run).ok());
  EXPECT_FALSE(*database.openRun());
}

TEST_F(Databases, RefuseABrokenRun) {
  Database database = open();
  ASSERT_TRUE(database.beginRun("/home", std::vector<std::string>{"model.onnx"}).ok());
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &handle), SQLITE_OK);
  for (const char* arguments : {"nonsense", "[1]"}) {
    const std::string sql = std::string("UPDATE runs SET arguments = '") + arguments + "'";
    ASSERT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(database.openRun().status().code(), StatusCode::kInvalidArgument) << arguments;
  }
  sqlite3_close(handle);
}

}  // namespace
}  // namespace vta::tune
