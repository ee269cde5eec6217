// Cache: what was computed once, by content, in an SQLite file that several sweeps may use at once.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "explore/tune/database/sqlite.h"

namespace vta::sweep {

/// The version of the compiler is a part of every key, so that an entry of another version is not
/// found. Nor is one that is damaged: what it stands for is computed again.
class Cache {
 public:
  enum class Access : uint8_t { kWrite, kExisting };

  /// Makes the file if it does not exist (kWrite). Errors name the file: it cannot be opened, is no
  /// cache, is a cache of a newer version of the SDK (kInvalidArgument), is locked by another
  /// process for more than five seconds (kResourceExhausted).
  static Result<Cache> open(const std::filesystem::path& file, Access access = Access::kWrite);

  /// `kind` says what it is; `key` is everything that the value depends on.
  Result<std::optional<std::string>> find(std::string_view kind, std::string_view key);
  /// Takes the place of an entry that is there already.
  Status add(std::string_view kind, std::string_view key, std::string_view value);

  /// What `add` is given until `commit` is written at once.
  Status begin() { return sql_->execute("BEGIN IMMEDIATE"); }
  Status commit() { return sql_->execute("COMMIT"); }

  /// Entries of any kind.
  Result<int64_t> size();

 private:
  Cache(std::unique_ptr<tune::SqlConnection> sql, std::string file)
      : sql_(std::move(sql)), file_(std::move(file)) {}
  Status check();
  Status prepare();

  std::unique_ptr<tune::SqlConnection> sql_;
  std::string file_;
  std::optional<tune::SqlStatement> find_;
  std::optional<tune::SqlStatement> add_;
};

}  // namespace vta::sweep
