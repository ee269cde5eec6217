// What a database holds and nobody uses, in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "explore/tune/database/connection.h"

namespace vta::tune {

Result<std::vector<std::string>> Database::impossibleRows() const {
  struct Table {
    const char* name;
    const char* called;
    const char* cycles;
    const std::string& possible;
  };
  const Table tables[] = {{"trials", "trials", "cycles", connection_->possibleTrial()},
                          {"proofs", "proofs", "floor_cycles", connection_->possibleProof()}};
  std::vector<std::string> remarks;
  for (const Table& table : tables) {
    // A value may be a text of any length.
    const std::string sql = fmt::format(
        "SELECT count(*), min(rowid), substr(quote({1}), 1, 40) FROM {0} WHERE ({2}) IS NOT TRUE",
        table.name, table.cycles, table.possible);
    VTA_ASSIGN_OR_RETURN(SqlStatement row, connection_->sql().prepare(sql.c_str()));
    VTA_ASSIGN_OR_RETURN(const bool has_row, row.step());
    if (!has_row || row.integer(0) == 0) continue;
    remarks.push_back(fmt::format(
        "'{}': {} {} cannot be true and are left aside; number {} is the first, with {} cycles "
        "(legal: 1 to {})",
        file().string(), row.integer(0), table.called, row.integer(1), row.text(2), kMostCycles));
  }
  int64_t networks = 0;
  std::string reason;  // of the first
  VTA_RETURN_IF_ERROR(connection_->forEachNetwork([&](const Result<NetworkLine>& line) {
    if (!line.ok() && ++networks == 1) reason = line.status().message();
  }));
  if (networks > 0) {
    remarks.push_back(
        fmt::format("'{}': {} networks cannot be true and are left aside; the first: {}",
                    file().string(), networks, reason));
  }
  return remarks;
}

Result<std::vector<std::string>> Database::otherTrials(std::span<const std::string> wanted) const {
  VTA_ASSIGN_OR_RETURN(SqlStatement rows,
                       connection_->sql().prepare("SELECT compiler, source, count(*) FROM trials "
                                                  "GROUP BY compiler, source ORDER BY 1, 2"));
  std::vector<std::string> versions;
  std::vector<std::string> sources;
  int64_t of_versions = 0;
  bool has_own = false;
  for (;;) {
    VTA_ASSIGN_OR_RETURN(const bool has_row, rows.step());
    if (!has_row) break;
    if (rows.text(0) != kCompilerVersion) {
      of_versions += rows.integer(2);
      if (versions.empty() || versions.back() != rows.text(0)) versions.push_back(rows.text(0));
    } else if (std::ranges::find(wanted, rows.text(1)) != wanted.end()) {
      has_own = true;
    } else {
      sources.push_back(rows.text(1));
    }
  }
  std::vector<std::string> remarks;
  if (of_versions > 0) {
    remarks.push_back(fmt::format(
        "'{}': {} trials are left aside, because they were measured with other versions of the "
        "compiler ({}; this is version {}): tune again to replace them",
        file().string(), of_versions, fmt::join(versions, ", "), kCompilerVersion));
  }
  if (!has_own && !sources.empty() && !wanted.empty()) {
    remarks.push_back(fmt::format("'{}' has no trial from: {}; it has some from: {}",
                                  file().string(), fmt::join(wanted, ", "),
                                  fmt::join(sources, ", ")));
  }
  return remarks;
}

}  // namespace vta::tune
