#include "tune/database/sqlite.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

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

std::string remedyOf(int code, const std::string& kind) {
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
      return "; it is no " + kind;
    case SQLITE_CORRUPT:
      return "; it is damaged: 'sqlite3 FILE .recover' may save a part of it";
    default:
      return "";
  }
}

}  // namespace

Result<std::unique_ptr<SqlConnection>> SqlConnection::open(const std::filesystem::path& file,
                                                           int flags, std::string kind) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
  std::unique_ptr<SqlConnection> connection(
      new SqlConnection(handle, file.string(), std::move(kind)));
  if (code != SQLITE_OK) return connection->error();
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kLockWaitMilliseconds);
  return connection;
}

SqlConnection::~SqlConnection() { sqlite3_close(handle_); }

Status SqlConnection::error() const {
  const int code = sqlite3_errcode(handle_);
  return {codeOf(code), fmt::format("{} '{}': {}{}", kind_, file_, sqlite3_errmsg(handle_),
                                    remedyOf(code, kind_))};
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
