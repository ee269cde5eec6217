// Rows of a tuning database that cannot be true, or that nobody uses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <tuple>

#include "explore/tune/database/database.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::smallTask;

class Remarks : public ::testing::Test {
 protected:
  Remarks() { std::filesystem::create_directories(file_.parent_path()); }
  ~Remarks() override { std::filesystem::remove_all(file_.parent_path()); }

  /// A database with three trials and a proof, changed as this program would not.
  Database changed(const std::string& statements) const {
    std::filesystem::remove(file_);
    {
      Database database = *Database::open(file_, Database::Access::kWrite);
      std::vector<TrialRecord> trials;
      for (const int64_t height : {1, 2, 3}) {
        kernel::Schedule schedule;
        schedule.tile_height = height;
        trials.push_back({.schedule = scheduleText(schedule),
                          .outcome = Outcome::kCycles,
                          .cycles = static_cast<uint64_t>(100 * height)});
      }
      EXPECT_TRUE(database.addTrials(storedTask(smallTask()), kSimulatorSource, trials).ok());
      EXPECT_TRUE(database.setProof(storedTask(smallTask()), kSimulatorSource, {90}).ok());
    }
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
    auto database = Database::open(file_, Database::Access::kWrite);
    EXPECT_TRUE(database.ok()) << database.status().message();
    return *std::move(database);
  }

  std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                ("vta-remarks-" + std::to_string(getpid())) / "tuning.db";
  TaskKey key_ = keyOf(smallTask());
};

TEST_F(Remarks, RowsThatCannotBeTrueAreLeftAside) {
  for (const std::string change :
       {"cycles = 0", "cycles = -5", "cycles = 9007199254740993", "cycles = 'many'", "cycles = 1.5",
        "cycles = x'00'", "outcome = 5", "outcome = -1", "outcome = 'cycles'", "attempts = 0",
        "schedule = x'00'", "outcome = 1, cycles = 0"}) {
    const Database database = changed("UPDATE trials SET " + change + " WHERE id = 1");
    EXPECT_EQ(database.trials(key_, kSimulatorSource)->size(), 2u) << change;
    EXPECT_EQ((*database.best(key_, kSimulatorSource))->cycles, 200u) << change;
    EXPECT_EQ(database.summaries()->front().trials, 2) << change;
    for (const auto exported : {Database::Exported::kAll, Database::Exported::kBest}) {
      std::stringstream lines;
      ASSERT_TRUE(database.exportJsonLines(lines, exported).ok()) << change;
      Database other = *Database::open(":memory:", Database::Access::kWrite);
      ASSERT_TRUE(other.importJsonLines(lines).ok()) << change;
      EXPECT_EQ((*other.best(key_, kSimulatorSource))->cycles, 200u) << change;
    }
    EXPECT_THAT(*database.impossibleRows(),
                ElementsAre(AllOf(HasSubstr("tuning.db"), HasSubstr("1 trials cannot be true"),
                                  HasSubstr("number 1 "), HasSubstr("legal: 1 to"))))
        << change;
  }
  EXPECT_THAT(*changed("").impossibleRows(), IsEmpty());
  // A trial without cycles has none.
  EXPECT_THAT(*changed("UPDATE trials SET outcome = 3, cycles = 0").impossibleRows(), IsEmpty());
}

TEST_F(Remarks, ProofsThatCannotBeTrueAreLeftAside) {
  for (const std::string floor : {"0", "-1", "'all'", "9007199254740993"}) {
    Database database = changed("UPDATE proofs SET floor_cycles = " + floor);
    EXPECT_FALSE(*database.proof(key_, kSimulatorSource)) << floor;
    EXPECT_THAT(*database.impossibleRows(), ElementsAre(HasSubstr("1 proofs cannot be true")));
    // A true one takes its place.
    ASSERT_TRUE(database.setProof(storedTask(smallTask()), kSimulatorSource, {80}).ok());
    EXPECT_EQ((*database.proof(key_, kSimulatorSource))->floor_cycles, 80u) << floor;
  }
  // So it does in that of a proof which a trial beats.
  Database database = changed("UPDATE proofs SET floor_cycles = 150");
  ASSERT_TRUE(database.setProof(storedTask(smallTask()), kSimulatorSource, {80}).ok());
  EXPECT_EQ((*database.proof(key_, kSimulatorSource))->floor_cycles, 80u);
}

TEST_F(Remarks, TextsThatAreNoJsonAreAnError) {
  const Database database = changed("UPDATE tasks SET workload = 'nonsense'");
  std::ostringstream lines;
  EXPECT_THAT(database.exportJsonLines(lines).message(), HasSubstr("no JSON"));
}

TEST_F(Remarks, OfOtherVersionsAndSources) {
  const std::vector<std::string> wanted = {kSimulatorSource};
  EXPECT_THAT(*changed("").otherTrials(wanted), IsEmpty());
  EXPECT_THAT(*changed("UPDATE trials SET compiler = '1' WHERE id < 3").otherTrials(wanted),
              ElementsAre(AllOf(HasSubstr("2 trials are left aside"), HasSubstr("(1; this is"))));
  EXPECT_THAT(*changed("UPDATE trials SET source = 'board'").otherTrials(wanted),
              ElementsAre(AllOf(HasSubstr("no trial from: cycle simulator"), HasSubstr("board"))));
  EXPECT_THAT(*changed("UPDATE trials SET source = 'board' WHERE id = 1").otherTrials(wanted),
              IsEmpty());
}

TEST_F(Remarks, LinesThatCannotBeTrueAreRefused) {
  const Database database = changed("");
  std::ostringstream text;
  ASSERT_TRUE(database.exportJsonLines(text).ok());
  const std::string lines = text.str();
  const std::tuple<std::string, std::string, std::string> changes[] = {
      {"\"cycles\":100", "\"cycles\":0", "line 1: cycles is 0; legal: 1 to 9007199254740992"},
      {"\"cycles\":100", "\"cycles\":-5", "cycles is -5"},
      {"\"cycles\":100", "\"cycles\":1.5", "cycles is 1.5"},
      {"\"cycles\":100", "\"cycles\":18446744073709551615", "cycles is 18446744073709551615"},
      {"\"cycles\":100", "\"cycles\":\"all\"", "cycles is \"all\""},
      {"\"floor_cycles\":90", "\"floor_cycles\":0", "line 4: floor_cycles is 0"}};
  for (const auto& [before, after, says] : changes) {
    std::string bad = lines;
    const size_t place = bad.find(before);
    ASSERT_NE(place, std::string::npos) << before;
    bad.replace(place, before.size(), after);
    Database other = *Database::open(":memory:", Database::Access::kWrite);
    std::istringstream in(bad);
    const Status status = other.importJsonLines(in);
    EXPECT_THAT(status.message(), HasSubstr(says));
    EXPECT_THAT(status.message(), Not(HasSubstr("json.exception")));
    EXPECT_TRUE(other.trials(key_, kSimulatorSource)->empty());
  }
}

// What a stranger adds to a database could run with every trial that is stored.
TEST_F(Remarks, DatabasesWithMoreThanTablesAreRefused) {
  for (const std::string added :
       {"CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM trials; END",
        "CREATE VIEW v AS SELECT 1", "CREATE INDEX i ON trials(cycles)", "CREATE TABLE t(x)"}) {
    changed("");
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(handle, added.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
    for (const auto access : {Database::Access::kRead, Database::Access::kWrite}) {
      const Status status = Database::open(file_, access).status();
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << added;
      EXPECT_THAT(status.message(), HasSubstr("did not make")) << added;
    }
  }
}

}  // namespace
}  // namespace vta::tune
