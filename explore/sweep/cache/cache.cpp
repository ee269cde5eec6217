#include "explore/sweep/cache/cache.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "explore/tune/database/database.h"

namespace vta::sweep {
namespace {

constexpr int64_t kApplicationId = 0x56544153;  // "VTAS", in the file's header
constexpr int64_t kVersion = 2;                 // of the tables; 1 had values without seals

/// 128 bits of the key and of whose cycles are comparable.
std::string digest(std::string_view kind, std::string_view key) {
  const std::string text = fmt::format("{}\n{}\n{}", tune::kCompilerVersion, kind, key);
  return fmt::format("{:016x}{:016x}", hashText(text), hashText(text + "second"));
}

// Of a value and what it is for, in front of the value.
constexpr size_t kSealCharacters = 16;
std::string sealOf(std::string_view entry, std::string_view value) {
  return fmt::format("{:016x}", hashText(fmt::format("{}\n{}", entry, value)));
}

// As sqlite_master has it, without spaces that do not count.
const tune::SqlTable kEntries = {
    "entries", "(digest TEXT PRIMARY KEY, kind TEXT NOT NULL, value TEXT NOT NULL) WITHOUT ROWID"};

Result<int64_t> number(tune::SqlConnection& sql, const char* query) {
  VTA_ASSIGN_OR_RETURN(tune::SqlStatement statement, sql.prepare(query));
  VTA_ASSIGN_OR_RETURN(const bool has_row, statement.step());
  return has_row ? statement.integer(0) : 0;
}

}  // namespace

Result<Cache> Cache::open(const std::filesystem::path& file, Access access) {
  const int flags = SQLITE_OPEN_READWRITE | (access == Access::kWrite ? SQLITE_OPEN_CREATE : 0);
  VTA_ASSIGN_OR_RETURN(
      auto sql, tune::SqlConnection::open(
                    file, flags,
                    {"cache of vta-sweep", "delete it, it only saves the time to simulate again"}));
  Cache cache(std::move(sql), file.string());
  VTA_RETURN_IF_ERROR(cache.check());
  VTA_RETURN_IF_ERROR(cache.prepare());
  return cache;
}

Status Cache::check() {
  // The tables first: another process may make them, and the numbers with them, between two reads.
  VTA_ASSIGN_OR_RETURN(const int64_t tables, number(*sql_, "SELECT count(*) FROM sqlite_master"));
  VTA_ASSIGN_OR_RETURN(const int64_t id, number(*sql_, "PRAGMA application_id"));
  VTA_ASSIGN_OR_RETURN(const int64_t version, number(*sql_, "PRAGMA user_version"));
  if (tables > 0 && id != kApplicationId) {
    return invalidArgument(fmt::format(
        "'{}' is a database, but no cache of vta-sweep: name another file by --cache", file_));
  }
  if (version > kVersion) {
    return invalidArgument(
        fmt::format("'{}' was written by a newer vta-sweep (tables {}, this one knows {}): name "
                    "another file by --cache",
                    file_, version, kVersion));
  }
  if (tables > 0) {
    VTA_RETURN_IF_ERROR(sql_->requireOnly({&kEntries, 1}));
    if (version == kVersion) return {};
    return sql_->execute(fmt::format("PRAGMA user_version={}", kVersion).c_str());
  }
  VTA_RETURN_IF_ERROR(sql_->writeAhead());
  return sql_->execute(fmt::format("BEGIN IMMEDIATE;"
                                   "PRAGMA application_id={}; PRAGMA user_version={};"
                                   "CREATE TABLE IF NOT EXISTS {}{}; COMMIT;",
                                   kApplicationId, kVersion, kEntries.name, kEntries.columns)
                           .c_str());
}

Status Cache::prepare() {
  VTA_RETURN_IF_ERROR(sql_->execute("PRAGMA synchronous=NORMAL"));
  VTA_ASSIGN_OR_RETURN(auto find, sql_->prepare("SELECT value FROM entries WHERE digest=?1"));
  find_.emplace(std::move(find));
  VTA_ASSIGN_OR_RETURN(auto add, sql_->prepare("INSERT OR REPLACE INTO entries VALUES(?1,?2,?3)"));
  add_.emplace(std::move(add));
  return {};
}

Result<std::optional<std::string>> Cache::find(std::string_view kind, std::string_view key) {
  const std::string entry = digest(kind, key);
  find_->bind(1, std::string_view(entry));
  VTA_ASSIGN_OR_RETURN(const bool has_row, find_->step());
  const std::string sealed = has_row ? find_->text(0) : "";
  VTA_RETURN_IF_ERROR(find_->run());
  if (sealed.size() < kSealCharacters) return std::optional<std::string>();
  std::string value = sealed.substr(kSealCharacters);
  if (sealOf(entry, value) != sealed.substr(0, kSealCharacters)) {
    return std::optional<std::string>();
  }
  return std::optional(std::move(value));
}

Status Cache::add(std::string_view kind, std::string_view key, std::string_view value) {
  const std::string entry = digest(kind, key);
  const std::string sealed = sealOf(entry, value) + std::string(value);
  add_->bind(1, std::string_view(entry)).bind(2, kind).bind(3, std::string_view(sealed));
  return add_->run();
}

Result<int64_t> Cache::size() { return number(*sql_, "SELECT count(*) FROM entries"); }

}  // namespace vta::sweep
