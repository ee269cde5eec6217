#include "explore/tune/database/sqlite.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "base/files.h"

namespace vta::tune {
namespace {

constexpr int kLockWaitMilliseconds = 5000;

StatusCode codeOf(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_NOMEM:
      return StatusCode::kResourceExhausted;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return StatusCode::kInvalidArgument;
    case SQLITE_CANTOPEN:
      return StatusCode::kNotFound;
    default:
      return StatusCode::kIoError;
  }
}

std::string remedyOf(int code, const SqlFileKind& kind) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "; another process holds it: wait for it, or use another file";
    case SQLITE_FULL:
      return "; the disk is full: nothing of this batch was written, what came before is there";
    case SQLITE_IOERR:
      return "; the disk may be full, or the file as large as it may be (ulimit -f): what came "
             "before is there";
    case SQLITE_NOTADB:
      return "; it is no " + kind.name;
    case SQLITE_CORRUPT:
      return "; it is damaged: " + kind.damaged_remedy;
    default:
      return "";
  }
}

constexpr const char* kInMemory = ":memory:";

/// A journal that names another file makes SQLite delete that file. No database of ours has one.
Status checkJournal(const std::filesystem::path& journal) {
  constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::ifstream in(journal, std::ios::binary);
  if (!in.seekg(-static_cast<std::streamoff>(kMagic.size()), std::ios::end)) return {};
  const std::string end{std::istreambuf_iterator<char>(in), {}};
  if (end != kMagic) return {};
  return invalidArgument(fmt::format(
      "'{}' names another file, which would be deleted: remove it first", journal.string()));
}

/// Before SQLite opens it, which would wait for pipes and says little of folders.
Status checkFiles(const std::filesystem::path& file, bool may_make) {
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) {
    const std::filesystem::path path = file.string() + suffix;
    const Status status = requireRegularFile(path);
    if (!status.ok() && status.code() != StatusCode::kNotFound) return status;
  }
  VTA_RETURN_IF_ERROR(checkJournal(file.string() + "-journal"));
  const Status status = requireRegularFile(file);
  if (status.ok() || !may_make) return status;
  std::error_code error;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (std::filesystem::is_directory(folder, error)) return {};
  return notFound(fmt::format("cannot make it: '{}' is no folder", folder.string()));
}

/// Nothing that stands in a file is executed, and a page that is not as it should be is noticed.
void defend(sqlite3* handle) {
  constexpr std::pair<int, int> kSettings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                               {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                               {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                               {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                               {SQLITE_DBCONFIG_DQS_DDL, 0},
                                               {SQLITE_DBCONFIG_DQS_DML, 0},
                                               {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}};
  for (const auto& [setting, value] : kSettings) {
    sqlite3_db_config(handle, setting, value, nullptr);
  }
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_exec(handle, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
}

/// Whether the file that has this name is one that this process has open.
bool isOpenHere(const std::filesystem::path& file) {
  struct stat named = {};
  if (lstat(file.c_str(), &named) != 0) return false;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    struct stat opened = {};
    if (stat(entry.path().c_str(), &opened) != 0) continue;
    if (opened.st_dev == named.st_dev && opened.st_ino == named.st_ino) return true;
  }
  return false;
}

std::string withoutSpaces(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

}  // namespace

Result<std::unique_ptr<SqlConnection>> SqlConnection::open(const std::filesystem::path& file,
                                                           int flags, SqlFileKind kind) {
  const bool is_file = file != kInMemory;
  if (is_file) {
    const Status status = checkFiles(file, (flags & SQLITE_OPEN_CREATE) != 0);
    if (!status.ok()) return status.withContext(fmt::format("{} '{}'", kind.name, file.string()));
  }
  // Where SQLite was built so, a name that begins with "file:" is an address with settings.
  const std::string name = is_file && file.is_relative() ? "./" + file.string() : file.string();
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  std::unique_ptr<SqlConnection> connection(
      new SqlConnection(handle, file.string(), std::move(kind)));
  if (code != SQLITE_OK) return connection->error();
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kLockWaitMilliseconds);
  defend(handle);
  return connection;
}

SqlConnection::~SqlConnection() { sqlite3_close(handle_); }

Status SqlConnection::error() const {
  const int code = sqlite3_errcode(handle_);
  return {codeOf(code), fmt::format("{} '{}': {}{}", kind_.name, file_, sqlite3_errmsg(handle_),
                                    remedyOf(code, kind_))};
}

Status SqlConnection::damaged(const std::string& what) const {
  return invalidArgument(
      fmt::format("{} '{}': {}{}", kind_.name, file_, what, remedyOf(SQLITE_CORRUPT, kind_)));
}

Status SqlConnection::requireOnly(std::span<const SqlTable> tables) const {
  VTA_ASSIGN_OR_RETURN(SqlStatement rows, prepare("SELECT type, name, sql FROM sqlite_master"));
  for (;;) {
    VTA_ASSIGN_OR_RETURN(const bool has_row, rows.step());
    if (!has_row) return {};
    const std::string type = rows.text(0);
    const std::string name = rows.text(1);
    const auto table = std::ranges::find(tables, name, &SqlTable::name);
    // SQLite makes the indices of UNIQUE and PRIMARY KEY itself.
    if (type == "index" && rows.isNull(2)) continue;
    if (type == "table" && table != tables.end() &&
        withoutSpaces(rows.text(2)) == withoutSpaces("CREATE TABLE " + name + table->columns)) {
      continue;
    }
    return invalidArgument(
        fmt::format("{} '{}' has {} {} '{}' that this program did not make: nothing is read from "
                    "it; take another file",
                    kind_.name, file_, type == "index" ? "an" : "a", type, name));
  }
}

Status SqlConnection::checkPages() const {
  VTA_ASSIGN_OR_RETURN(SqlStatement check, prepare("PRAGMA quick_check(1)"));
  VTA_ASSIGN_OR_RETURN(const bool has_row, check.step());
  return has_row && check.text(0) != "ok" ? damaged(check.text(0)) : Status();
}

bool SqlConnection::isAway() const {
  int has_moved = 0;
  const int code = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  return code == SQLITE_OK && has_moved != 0;
}

void SqlConnection::abandon() {
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  for (const char* suffix : {"-wal", "-shm"}) {
    std::error_code error;
    if (isOpenHere(file_ + suffix)) std::filesystem::remove(file_ + suffix, error);
  }
}

Status SqlConnection::writeAhead() {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(kLockWaitMilliseconds);
  for (;;) {
    Status status = execute("PRAGMA journal_mode = WAL");
    if (status.ok() || (sqlite3_errcode(handle_) & 0xff) != SQLITE_BUSY || Clock::now() >= end) {
      return status;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Status SqlConnection::execute(const char* sql) {
  return sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? Status() : error();
}

Result<SqlStatement> SqlConnection::prepare(const char* sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr) != SQLITE_OK) return error();
  return SqlStatement(*this, statement);
}

SqlStatement::SqlStatement(SqlStatement&& other) noexcept
    : connection_(other.connection_), handle_(std::exchange(other.handle_, nullptr)) {}

SqlStatement& SqlStatement::bind(int index, std::string_view text) {
  sqlite3_bind_text(handle_, index, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  return *this;
}

SqlStatement& SqlStatement::bind(int index, int64_t value) {
  sqlite3_bind_int64(handle_, index, value);
  return *this;
}

SqlStatement& SqlStatement::bind(int index, double value) {
  sqlite3_bind_double(handle_, index, value);
  return *this;
}

Result<bool> SqlStatement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_->error();
}

Status SqlStatement::run() {
  for (;;) {
    VTA_ASSIGN_OR_RETURN(const bool has_row, step());
    if (!has_row) break;
  }
  sqlite3_reset(handle_);
  return {};
}

std::string SqlStatement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return bytes == nullptr ? "" : std::string(bytes);
}

SqlTransaction::~SqlTransaction() {
  if (is_open_) (void)connection_.execute("ROLLBACK");
}

Status SqlTransaction::begin() {
  VTA_RETURN_IF_ERROR(connection_.execute("BEGIN IMMEDIATE"));
  is_open_ = true;
  return {};
}

Status SqlTransaction::commit() {
  VTA_RETURN_IF_ERROR(connection_.execute("COMMIT"));
  is_open_ = false;
  return {};
}

}  // namespace vta::tune
