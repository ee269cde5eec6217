#include "explore/tune/database/sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace vta::tune {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kWrite = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
const SqlTable kSongs = {"songs", "(name TEXT NOT NULL, UNIQUE(name))"};

class SqlConnections : public ::testing::Test {
 protected:
  SqlConnections() { std::filesystem::create_directories(folder_); }
  ~SqlConnections() override { std::filesystem::remove_all(folder_); }

  static Result<std::unique_ptr<SqlConnection>> open(const std::filesystem::path& file,
                                                     int flags = kWrite) {
    return SqlConnection::open(file, flags, {"list of songs", "sing another one"});
  }
  /// The file as somebody else made it.
  std::filesystem::path made(const std::string& statements) const {
    const std::filesystem::path file = folder_ / "songs.db";
    std::filesystem::remove(file);
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
    return file;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("vta-sqlite-" + std::to_string(getpid()));
};

TEST_F(SqlConnections, WaitForNoPipeAndOpenNoFolder) {
  const std::filesystem::path file = folder_ / "songs.db";
  for (const std::string suffix : {"", "-journal", "-wal", "-shm"}) {
    const std::filesystem::path other = file.string() + suffix;
    ASSERT_EQ(mkfifo(other.c_str(), 0600), 0);
    for (const int flags : {kWrite, SQLITE_OPEN_READONLY}) {
      const auto opened = open(file, flags);
      EXPECT_EQ(opened.status().code(), StatusCode::kInvalidArgument) << suffix;
      EXPECT_THAT(opened.status().message(),
                  AllOf(HasSubstr("list of songs"), HasSubstr(other.string()), HasSubstr("pipe")));
    }
    std::filesystem::remove(other);
  }
  EXPECT_THAT(open(folder_).status().message(), HasSubstr("is a directory, not a file"));
  EXPECT_THAT(open("/dev/null").status().message(), HasSubstr("is a device, not a file"));
}

TEST_F(SqlConnections, SayWhatIsNotThere) {
  const auto no_folder = open(folder_ / "none" / "songs.db");
  EXPECT_EQ(no_folder.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(no_folder.status().message(), HasSubstr("none' is no folder"));
  const auto no_file = open(folder_ / "songs.db", SQLITE_OPEN_READONLY);
  EXPECT_EQ(no_file.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(no_file.status().message(), HasSubstr("songs.db"));
}

TEST_F(SqlConnections, TakeNamesForNames) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  EXPECT_TRUE(open("file:songs.db?mode=memory").ok());
  EXPECT_TRUE(std::filesystem::exists("file:songs.db?mode=memory"));
  std::filesystem::current_path(before);
}

// SQLite would delete the file that such a journal names.
TEST_F(SqlConnections, RefuseAJournalThatNamesAFile) {
  const std::filesystem::path file = made("CREATE TABLE songs(name)");
  std::ofstream(file.string() + "-journal", std::ios::binary)
      << "precious" << std::string_view("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7");
  EXPECT_THAT(open(file).status().message(), HasSubstr("-journal' names another file"));
  std::ofstream(file.string() + "-journal", std::ios::binary) << "nothing";
  EXPECT_TRUE(open(file).ok());
}

TEST_F(SqlConnections, KnowTheirTables) {
  const std::string songs =
      "CREATE TABLE IF NOT EXISTS songs(name TEXT NOT NULL,\n UNIQUE (name));";
  EXPECT_TRUE((*open(made(songs)))->requireOnly({&kSongs, 1}).ok());
  const std::pair<std::string, const char*> others[] = {
      {songs + "CREATE TRIGGER t AFTER INSERT ON songs BEGIN DELETE FROM songs; END",
       "trigger 't'"},
      {songs + "CREATE VIEW v AS WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1 FROM r) SELECT * "
               "FROM r",
       "view 'v'"},
      {"CREATE VIEW songs AS SELECT 1 AS name", "view 'songs'"},
      {songs + "CREATE INDEX i ON songs(abs(name))", "index 'i'"},
      {songs + "CREATE TABLE other(x)", "table 'other'"},
      {"CREATE TABLE songs(name TEXT NOT NULL, more, UNIQUE(name))", "table 'songs'"},
      {"CREATE TABLE songs(name TEXT NOT NULL CHECK(abs(name) > 1), UNIQUE(name))",
       "table 'songs'"}};
  for (const auto& [statements, name] : others) {
    const Status status = (*open(made(statements)))->requireOnly({&kSongs, 1});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << statements;
    EXPECT_THAT(status.message(), AllOf(HasSubstr(name), HasSubstr("did not make"))) << statements;
  }
}

TEST_F(SqlConnections, ExecuteNothingOfAFile) {
  const auto sql = *open(
      made("CREATE TABLE songs(name); CREATE TABLE done(name); CREATE TRIGGER t AFTER INSERT ON "
           "songs BEGIN INSERT INTO done VALUES(1); END; CREATE VIEW v AS SELECT 1"));
  EXPECT_TRUE(sql->execute("INSERT INTO songs VALUES('a')").ok());
  auto count = *sql->prepare("SELECT count(*) FROM done");
  EXPECT_TRUE(*count.step());
  EXPECT_EQ(count.integer(0), 0);
  EXPECT_FALSE(sql->prepare("SELECT * FROM v").ok());
  EXPECT_FALSE(sql->execute("ATTACH 'other.db' AS other").ok());
}

TEST_F(SqlConnections, NoticeDamagedPages) {
  std::string rows = "CREATE TABLE songs(name); BEGIN;";
  for (int i = 0; i < 2000; ++i)
    rows += "INSERT INTO songs VALUES('" + std::string(50, 'x') + "');";
  const std::filesystem::path file = made(rows + "COMMIT");
  EXPECT_TRUE((*open(file))->checkPages().ok());
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(5 * 4096)
      << std::string(4096, 'z');
  const Status status = (*open(file))->checkPages();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), AllOf(HasSubstr("songs.db"), HasSubstr("sing another one")));
}

TEST_F(SqlConnections, NoticeThatTheirFileIsAway) {
  const std::filesystem::path file = folder_ / "songs.db";
  const auto changes = {
      +[](const std::filesystem::path& f) { std::filesystem::remove(f); },
      +[](const std::filesystem::path& f) { std::filesystem::rename(f, f.string() + ".moved"); },
      +[](const std::filesystem::path& f) {
        std::ofstream(f.string() + ".new") << "new";
        std::filesystem::rename(f.string() + ".new", f);
      }};
  for (const auto& change : changes) {
    std::filesystem::remove(file);
    const auto sql = *open(file);
    EXPECT_TRUE(sql->execute("CREATE TABLE songs(name)").ok());
    EXPECT_FALSE(sql->isAway());
    change(file);
    EXPECT_TRUE(sql->isAway());
  }
  EXPECT_FALSE((*open(":memory:"))->isAway());
}

}  // namespace
}  // namespace vta::tune
