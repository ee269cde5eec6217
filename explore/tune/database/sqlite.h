// A thin layer over SQLite's C API: connections and statements that release themselves, errors as
// Status. Files may come from strangers: nothing that a file says is executed.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace vta::tune {

class SqlStatement;

/// What errors call a file, and what helps where it is damaged.
struct SqlFileKind {
  std::string name;            // "tuning database"
  std::string damaged_remedy;  // "'sqlite3 FILE .recover' may save a part of it"
};

/// A table, and its columns as the statement that makes it has them, with the parentheses.
struct SqlTable {
  std::string name;
  std::string columns;
};

class SqlConnection {
 public:
  /// `flags` as of sqlite3_open_v2. Waits up to five seconds for locks of other processes.
  /// Triggers, views and functions that a schema could misuse are switched off. Errors name the
  /// file: a folder, a pipe or a device stands in its place or in that of its journal
  /// (kInvalidArgument); it, or the folder that it is to be made in, is not there (kNotFound).
  static Result<std::unique_ptr<SqlConnection>> open(const std::filesystem::path& file, int flags,
                                                     SqlFileKind kind);
  ~SqlConnection();
  SqlConnection(const SqlConnection&) = delete;
  SqlConnection& operator=(const SqlConnection&) = delete;

  /// Has the file written by a log ahead of it, so that readers and a writer do not wait for each
  /// other. SQLite refuses the change at once while another process opens the file, whatever the
  /// wait for locks is; this waits as for any lock.
  Status writeAhead();
  /// Error: there is something else than tables, or a table that is none of `tables`: views,
  /// triggers, virtual tables, indices, other columns. Spaces in statements do not count.
  Status requireOnly(std::span<const SqlTable> tables) const;
  /// Error: pages of the file are damaged. Reads all of it.
  Status checkPages() const;
  /// Whether the file that is open has lost its name: it was deleted, moved or replaced.
  bool isAway() const;
  /// Leaves the file alone from now on: it may be another database. What this one has written ahead
  /// loses its name, under which it would be read as the other one's. It can still be read here.
  void abandon();
  /// Runs statements that give no rows.
  Status execute(const char* sql);
  Result<SqlStatement> prepare(const char* sql) const;
  /// SQLite's last error as a Status that names the file.
  Status error() const;

 private:
  SqlConnection(sqlite3* handle, std::string file, SqlFileKind kind)
      : handle_(handle), file_(std::move(file)), kind_(std::move(kind)) {}
  Status damaged(const std::string& what) const;

  sqlite3* handle_;
  std::string file_;
  SqlFileKind kind_;
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
