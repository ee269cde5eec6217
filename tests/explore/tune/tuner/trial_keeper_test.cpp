#include "explore/tune/tuner/trial_keeper.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using testing::smallTask;

constexpr const char* kSource = "test";

/// Another process that has locked the database.
class Lock {
 public:
  explicit Lock(const std::filesystem::path& file) {
    sqlite3_open(file.c_str(), &handle_);
    EXPECT_EQ(sqlite3_exec(handle_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~Lock() { sqlite3_close(handle_); }

 private:
  sqlite3* handle_ = nullptr;
};

class TrialKeepers : public ::testing::Test {
 protected:
  TrialKeepers()
      : folder_(std::filesystem::temp_directory_path() /
                ("vta-keeper-" + std::to_string(getpid()))),
        file_(folder_ / "tuning.db") {
    std::filesystem::create_directory(folder_);
    database_.emplace(*Database::open(file_, Database::Access::kWrite));
  }
  ~TrialKeepers() override { std::filesystem::remove_all(folder_); }

  static TrialRecord trial(int tile_height) {
    return {.schedule = scheduleText({.tile_height = tile_height}),
            .outcome = Outcome::kCycles,
            .cycles = static_cast<uint64_t>(1000 * tile_height)};
  }
  size_t stored() const { return database_->trials(task_.key, kSource)->size(); }

  std::filesystem::path folder_, file_;
  std::optional<Database> database_;
  StoredTask task_ = storedTask(smallTask());
};

TEST_F(TrialKeepers, TrialsOfALockedDatabaseComeWithTheNextOnes) {
  TrialKeeper keeper(&*database_);
  {
    const Lock lock(file_);
    EXPECT_TRUE(keeper.add(task_, kSource, std::vector{trial(1), trial(2)}).ok());
    EXPECT_EQ(stored(), 0u);
  }
  EXPECT_TRUE(keeper.add(task_, kSource, std::vector{trial(3)}).ok());
  EXPECT_EQ(stored(), 3u);
}

TEST_F(TrialKeepers, AfterTheWaitTheTrialsAreInAFile) {
  TrialKeeper keeper(&*database_, 0);
  {
    const Lock lock(file_);
    const Status status = keeper.add(task_, kSource, std::vector{trial(1), trial(2)});
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    const std::string lines = file_.string() + ".unsaved.jsonl";
    for (const std::string& text :
         {std::string("another process"), std::string("2 measured trials"), "--import " + lines}) {
      EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
    }
  }
  EXPECT_EQ(stored(), 0u);
  std::ifstream lines(file_.string() + ".unsaved.jsonl");
  EXPECT_TRUE(database_->importJsonLines(lines).ok());
  EXPECT_EQ(stored(), 2u);
  EXPECT_TRUE(keeper.flush().ok());  // they are not its business any more
}

TEST_F(TrialKeepers, WithoutRoomBesideTheDatabaseTheFileIsATemporaryOne) {
  TrialKeeper keeper(&*database_, 0);
  std::filesystem::create_directory(file_.string() + ".unsaved.jsonl");  // no file can be there
  const Lock lock(file_);
  const Status status = keeper.add(task_, kSource, std::vector{trial(1)});
  const std::filesystem::path lines =
      std::filesystem::temp_directory_path() / "tuning.db.unsaved.jsonl";
  EXPECT_NE(status.message().find(lines.string()), std::string::npos) << status.message();
  EXPECT_TRUE(std::filesystem::remove(lines));
}

// A name in a folder of everybody can be foreseen: what somebody put there is not written through.
TEST_F(TrialKeepers, WriteThroughNoLink) {
  TrialKeeper keeper(&*database_, 0);
  const std::filesystem::path target = folder_ / "target";
  std::ofstream(target) << "precious";
  std::filesystem::create_symlink(target, file_.string() + ".unsaved.jsonl");
  const Lock lock(file_);
  const Status status = keeper.add(task_, kSource, std::vector{trial(1)});
  EXPECT_EQ(std::filesystem::file_size(target), 8u);
  const std::filesystem::path lines =
      std::filesystem::temp_directory_path() / "tuning.db.unsaved.jsonl";
  EXPECT_NE(status.message().find(lines.string()), std::string::npos) << status.message();
  std::filesystem::remove(lines);
}

// Trials of before are in no file any more, but the connection can still read them.
TEST_F(TrialKeepers, SaveWhatWasInADatabaseThatIsDeleted) {
  TrialKeeper keeper(&*database_);
  ASSERT_TRUE(keeper.add(task_, kSource, std::vector{trial(1), trial(2)}).ok());
  ASSERT_TRUE(keeper.setProof(task_, kSource, {900}).ok());
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file_.string() + suffix);
  const Status status = keeper.add(task_, kSource, std::vector{trial(3)});
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  const std::string lines = file_.string() + ".unsaved.jsonl";
  for (const std::string& text : {std::string("was deleted, moved or replaced"),
                                  std::string("what was in it is kept"), "--import " + lines}) {
    EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
  }
  Database again = *Database::open(folder_ / "again.db", Database::Access::kWrite);
  std::ifstream in(lines);
  ASSERT_TRUE(again.importJsonLines(in).ok());
  EXPECT_EQ(again.trials(task_.key, kSource)->size(), 3u);
  EXPECT_EQ((*again.proof(task_.key, kSource))->floor_cycles, 900u);
}

TEST_F(TrialKeepers, LeaveTheDatabaseAloneThatReplacedTheirs) {
  TrialKeeper keeper(&*database_);
  ASSERT_TRUE(keeper.add(task_, kSource, std::vector{trial(1)}).ok());
  {
    Database other = *Database::open(folder_ / "other.db", Database::Access::kWrite);
    ASSERT_TRUE(other.addTrials(task_, kSource, std::vector{trial(7), trial(8)}).ok());
  }
  std::filesystem::rename(folder_ / "other.db", file_);
  // Nothing is left to write: the end of a search notices it, too.
  const Status status = keeper.flush();
  EXPECT_EQ(status.code(), StatusCode::kNotFound) << status.message();
  database_.reset();
  EXPECT_EQ(Database::open(file_, Database::Access::kWrite)->trials(task_.key, kSource)->size(),
            2u);
}

TEST_F(TrialKeepers, NeedNoDatabase) {
  TrialKeeper keeper(nullptr);
  EXPECT_TRUE(keeper.add(task_, kSource, std::vector{trial(1)}).ok());
  EXPECT_TRUE(keeper.flush().ok());
  EXPECT_TRUE(keeper.setProof(task_, kSource, {1}).ok());
}

}  // namespace
}  // namespace vta::tune
