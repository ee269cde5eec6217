#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "explore/sweep/vivado/report.h"
#include "explore/sweep/vivado/report_text.h"

namespace vta::sweep {
namespace {

using Lines = std::vector<std::string_view>;
using Cells = std::vector<std::string_view>;

constexpr std::string_view kCore = "vta_core";

Result<double> countOf(std::string_view cell, std::string_view what) {
  const auto number = plainNumber(cell);
  if (number && *number >= 0) return *number;
  return invalidArgument(
      fmt::format("{} is '{}' in the report of report_utilization: no count", what, cell));
}

/// The cell below the head `name` in the row of the first of `sites` that a table has.
Result<double> usedOf(const Lines& lines, std::initializer_list<std::string_view> sites) {
  size_t column = 0;
  for (const std::string_view line : lines) {
    const Cells cells = cellsOf(line);
    if (cells.empty()) continue;
    if (cells[0] == "Site Type") {
      const auto used = std::ranges::find(cells, "Used");
      column = used == cells.end() ? 0 : static_cast<size_t>(used - cells.begin());
      continue;
    }
    std::string_view site = cells[0];
    if (site.ends_with('*')) site.remove_suffix(1);  // points to a remark
    if (std::ranges::find(sites, site) == sites.end() || column == 0) continue;
    if (column >= cells.size()) {
      return invalidArgument(fmt::format("the row of {} ends before the column Used", site));
    }
    return countOf(cells[column], site);
  }
  return invalidArgument(
      fmt::format("no row '{}' with a column Used: is it the whole report of report_utilization?",
                  *sites.begin()));
}

Result<AreaEstimate> readTotals(const Lines& lines) {
  AreaEstimate used;
  VTA_ASSIGN_OR_RETURN(used.lut, usedOf(lines, {"Slice LUTs", "CLB LUTs"}));
  VTA_ASSIGN_OR_RETURN(used.ff, usedOf(lines, {"Slice Registers", "CLB Registers"}));
  VTA_ASSIGN_OR_RETURN(used.bram36, usedOf(lines, {"Block RAM Tile"}));
  VTA_ASSIGN_OR_RETURN(used.dsp, usedOf(lines, {"DSPs"}));
  const auto uram = usedOf(lines, {"URAM"});  // devices without it have no row
  if (uram.ok()) used.uram = *uram;
  return used;
}

/// The number in the column whose head begins with `head`; 0 where there is no such column and it
/// may be absent.
Result<double> columnOf(const Cells& heads, const Cells& row, std::string_view head,
                        bool may_be_absent = false) {
  const auto found =
      std::ranges::find_if(heads, [head](std::string_view each) { return each.starts_with(head); });
  const auto place = static_cast<size_t>(found - heads.begin());
  if (found == heads.end() && may_be_absent) return 0.0;
  if (found == heads.end() || place >= row.size()) {
    return invalidArgument(fmt::format("the table of the hierarchy has no column '{}'", head));
  }
  return countOf(row[place], head);
}

/// "vta_core", or a copy of it that Vivado made for its parameters.
bool isCore(std::string_view module, std::string_view instance) {
  return module == kCore || module.starts_with("vta_core__") ||
         (module == "(top)" && instance == kCore);
}

Result<AreaEstimate> readHierarchy(const Lines& lines, std::string& scope) {
  Cells heads;
  for (const std::string_view line : lines) {
    const Cells cells = cellsOf(line);
    if (cells.size() < 2) continue;
    if (cells[0] == "Instance" && cells[1] == "Module") {
      heads = cells;
      continue;
    }
    if (heads.empty() || !isCore(cells[1], cells[0])) continue;
    scope = fmt::format("instance {}", cells[0]);
    AreaEstimate used;
    VTA_ASSIGN_OR_RETURN(used.lut, columnOf(heads, cells, "Total LUTs"));
    VTA_ASSIGN_OR_RETURN(used.ff, columnOf(heads, cells, "FFs"));
    VTA_ASSIGN_OR_RETURN(used.dsp, columnOf(heads, cells, "DSP"));
    VTA_ASSIGN_OR_RETURN(used.bram36, columnOf(heads, cells, "RAMB36"));
    VTA_ASSIGN_OR_RETURN(const double halves, columnOf(heads, cells, "RAMB18"));
    VTA_ASSIGN_OR_RETURN(used.uram, columnOf(heads, cells, "URAM", true));
    used.bram36 += halves / 2;
    return used;
  }
  return invalidArgument(
      "the hierarchy has no instance of vta_core: give the report of a design with the core, with "
      "all levels of its hierarchy");
}

}  // namespace

Result<UtilizationReport> parseUtilization(std::string_view text) {
  const Lines lines = linesOf(text);
  const auto has = [&](std::string_view title) {
    return std::ranges::any_of(lines, [title](std::string_view line) {
      return line.find(title) != std::string_view::npos;
    });
  };
  if (!has("Utilization Design Information")) {
    return invalidArgument(
        "this is no report of Vivado's report_utilization: it has no line 'Utilization Design "
        "Information'");
  }
  UtilizationReport report;
  report.device = headerValue(lines, "Device");
  report.state = headerValue(lines, "Design State");
  report.scope = "the whole design";
  const bool is_hierarchy = has("Utilization by Hierarchy");
  VTA_ASSIGN_OR_RETURN(report.used,
                       is_hierarchy ? readHierarchy(lines, report.scope) : readTotals(lines));
  return report;
}

}  // namespace vta::sweep
