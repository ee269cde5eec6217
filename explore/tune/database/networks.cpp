// The networks of a database: which schedules the kernels of a whole network get together.
#include <fmt/format.h>

#include <ostream>

#include "explore/tune/database/connection.h"
#include "explore/tune/database/network_text.h"

namespace vta::tune {
namespace {

// Made when the first network is stored: databases of older versions are without it.
constexpr const char* kNetworks =
    "(network TEXT NOT NULL, configuration TEXT NOT NULL, memory TEXT NOT NULL, source TEXT NOT "
    "NULL, compiler TEXT NOT NULL, name TEXT NOT NULL, untuned_cycles INTEGER NOT NULL, "
    "tuned_cycles INTEGER NOT NULL, cycles INTEGER NOT NULL, schedules TEXT NOT NULL, "
    "PRIMARY KEY(network, configuration, memory, source, compiler))";

Result<bool> hasNetworks(const SqlConnection& sql) {
  VTA_ASSIGN_OR_RETURN(
      SqlStatement find,
      sql.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'networks'"));
  return find.step();
}

constexpr const char* kColumns =
    "network, configuration, memory, source, compiler, name, untuned_cycles, tuned_cycles, cycles, "
    "schedules";

/// A row of these columns. Error: it cannot be true.
Result<NetworkLine> lineOf(const SqlStatement& row) {
  NetworkLine line{{row.text(0), row.text(1), row.text(2)},
                   row.text(3),
                   row.text(4),
                   {row.text(5),
                    static_cast<uint64_t>(row.integer(6)),
                    static_cast<uint64_t>(row.integer(7)),
                    static_cast<uint64_t>(row.integer(8)),
                    {}}};
  VTA_RETURN_IF_ERROR(checkMemory(line.key));
  VTA_RETURN_IF_ERROR(checkCycles(line.record));
  VTA_ASSIGN_OR_RETURN(line.record.schedules, parseKeptSchedules(row.text(9)));
  return line;
}

}  // namespace

SqlTable Database::Connection::networksTable() { return {"networks", kNetworks}; }

Status Database::Connection::addNetwork(const NetworkKey& key, const std::string& source,
                                        const std::string& compiler, const NetworkRecord& record) {
  VTA_RETURN_IF_ERROR(
      sql_->execute(fmt::format("CREATE TABLE IF NOT EXISTS networks{}", kNetworks).c_str()));
  VTA_ASSIGN_OR_RETURN(
      SqlStatement add,
      sql_->prepare("INSERT OR REPLACE INTO networks(network, configuration, memory, source, "
                    "compiler, name, untuned_cycles, tuned_cycles, cycles, schedules) "
                    "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)"));
  add.bind(1, key.network).bind(2, key.configuration).bind(3, key.memory);
  add.bind(4, source).bind(5, compiler).bind(6, record.name);
  add.bind(7, static_cast<int64_t>(record.untuned_cycles));
  add.bind(8, static_cast<int64_t>(record.tuned_cycles));
  add.bind(9, static_cast<int64_t>(record.cycles));
  add.bind(10, keptSchedulesText(record.schedules));
  return add.run();
}

Status Database::setNetwork(const NetworkKey& key, const std::string& source,
                            const NetworkRecord& record) {
  VTA_RETURN_IF_ERROR(connection_->checkPlace());
  SqlTransaction transaction(connection_->sql());
  VTA_RETURN_IF_ERROR(transaction.begin());
  VTA_RETURN_IF_ERROR(connection_->addNetwork(key, source, kCompilerVersion, record));
  return transaction.commit();
}

Result<std::optional<NetworkRecord>> Database::network(const NetworkKey& key,
                                                       const std::string& source) const {
  const SqlConnection& sql = connection_->sql();
  VTA_ASSIGN_OR_RETURN(const bool has_networks, hasNetworks(sql));
  if (!has_networks) return std::optional<NetworkRecord>();
  VTA_ASSIGN_OR_RETURN(
      SqlStatement find,
      sql.prepare(fmt::format("SELECT {} FROM networks WHERE network = ?1 AND configuration = ?2 "
                              "AND memory = ?3 AND source = ?4 AND compiler = ?5",
                              kColumns)
                      .c_str()));
  find.bind(1, key.network).bind(2, key.configuration).bind(3, key.memory);
  find.bind(4, source).bind(5, kCompilerVersion);
  VTA_ASSIGN_OR_RETURN(const bool is_there, find.step());
  if (!is_there) return std::optional<NetworkRecord>();
  auto line = lineOf(find);
  return line.ok() ? std::optional(std::move(line->record)) : std::nullopt;
}

Status Database::Connection::forEachNetwork(
    const std::function<void(const Result<NetworkLine>&)>& visit) const {
  VTA_ASSIGN_OR_RETURN(const bool has_networks, hasNetworks(*sql_));
  if (!has_networks) return {};
  VTA_ASSIGN_OR_RETURN(
      SqlStatement rows,
      sql_->prepare(fmt::format("SELECT {} FROM networks ORDER BY name, network, configuration, "
                                "memory, source, compiler",
                                kColumns)
                        .c_str()));
  for (;;) {
    VTA_ASSIGN_OR_RETURN(const bool has_row, rows.step());
    if (!has_row) return {};
    visit(lineOf(rows));
  }
}

Status Database::Connection::exportNetworks(std::ostream& out) const {
  return forEachNetwork([&](const Result<NetworkLine>& line) {
    if (line.ok()) out << networkLine(*line) << '\n';
  });
}

}  // namespace vta::tune
