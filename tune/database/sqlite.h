// A thin layer over SQLite's C API: connections and statements that release themselves, errors as
// Status.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace vta::tune {

class SqlStatement;

class SqlConnection {
 public:
  /// `flags` as of sqlite3_open_v2; `kind` is what errors call the file: "tuning database". Waits
  /// up to five seconds for locks of other processes.
  static Result<std::unique_ptr<SqlConnection>> open(const std::filesystem::path& file, int flags,
                                                     std::string kind);
  ~SqlConnection();
  SqlConnection(const SqlConnection&) = delete;
  SqlConnection& operator=(const SqlConnection&) = delete;

  /// Has the file written by a log ahead of it, so that readers and a writer do not wait for each
  /// other. SQLite refuses the change at once while another process opens the file, whatever the
  /// wait for locks is; this waits as for any lock.
  Status writeAhead();
  /// Runs statements that give no rows.
  Status execute(const char* sql);
  Result<SqlStatement> prepare(const char* sql) const;
  /// SQLite's last error as a Status that names the file.
  Status error() const;

 private:
  SqlConnection(sqlite3* handle, std::string file, std::string kind)
      : handle_(handle), file_(std::move(file)), kind_(std::move(kind)) {}
  sqlite3* handle_;
  std::string file_;
  std::string kind_;
};

/// A prepared statement. Parameters are numbered from 1, columns from 0.
class SqlStatement {
 public:
  SqlStatement(const SqlConnection& connection, sqlite3_stmt* handle)
      : connection_(&connection), handle_(handle) {}
  ~SqlStatement() { sqlite3_finalize(handle_); }
  SqlStatement(SqlStatement&& other) noexcept;
  SqlStatement& operator=(SqlStatement&&) = delete;

  SqlStatement& bind(int index, std::string_view text);
  SqlStatement& bind(int index, int64_t value);
  SqlStatement& bind(int index, double value);

  /// True for a row, false at the end.
  Result<bool> step();
  /// Runs to the end and forgets the rows; the parameters may be bound anew.
  Status run();

  int64_t integer(int column) const { return sqlite3_column_int64(handle_, column); }
  double real(int column) const { return sqlite3_column_double(handle_, column); }
  std::string text(int column) const;
  bool isNull(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }

 private:
  const SqlConnection* connection_;
  sqlite3_stmt* handle_;
};

/// Everything between its creation and commit() happens at once or, without commit(), not at all.
class SqlTransaction {
 public:
  explicit SqlTransaction(SqlConnection& connection) : connection_(connection) {}
  ~SqlTransaction();
  Status begin();
  Status commit();

 private:
  SqlConnection& connection_;
  bool is_open_ = false;
};

}  // namespace vta::tune
