#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "explore/sweep/vivado/report.h"
#include "explore/sweep/vivado/report_text.h"

namespace vta::sweep {
namespace {

using Lines = std::vector<std::string_view>;

struct ClockRow {
  std::string name;
  double period_ns = 0;
  std::optional<double> slack_ns;  // none: no path from this clock to itself
};

/// "clk_fpga_0  {0.000 5.000}  10.000  100.000": names of generated clocks are indented.
std::vector<ClockRow> readPeriods(const Lines& section) {
  std::vector<ClockRow> rows;
  for (const std::string_view line : section) {
    const size_t open = line.find('{');
    const size_t close = line.find('}');
    if (open == std::string_view::npos || close == std::string_view::npos) continue;
    const std::string_view rest = trimmed(line.substr(close + 1));
    const auto period = plainNumber(rest.substr(0, rest.find(' ')));
    if (!period || *period <= 0) continue;
    rows.push_back({std::string(trimmed(line.substr(0, open))), *period, std::nullopt});
  }
  return rows;
}

/// Numbers end where the head of their column ends; cells may be empty.
void readSlacks(const Lines& section, std::vector<ClockRow>& rows) {
  constexpr std::string_view kHead = "WNS(ns)";
  size_t column_end = 0;
  for (const std::string_view line : section) {
    if (const size_t at = line.find(kHead); at != std::string_view::npos) {
      column_end = at + kHead.size();
      continue;
    }
    if (column_end == 0 || line.size() < column_end) continue;
    const std::string_view name = trimmed(line).substr(0, trimmed(line).find(' '));
    const auto row = std::ranges::find(rows, name, &ClockRow::name);
    if (row == rows.end()) continue;
    const std::string_view cell = line.substr(0, column_end);
    const size_t begin = cell.find_last_of(' ') + 1;
    if (begin > line.find(name)) row->slack_ns = plainNumber(cell.substr(begin));
  }
}

std::string namesOf(const std::vector<ClockRow>& rows, bool with_paths) {
  std::vector<std::string> names;
  for (const ClockRow& row : rows) {
    if (!with_paths || row.slack_ns) names.push_back(row.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<ClockRow> chooseClock(const std::vector<ClockRow>& rows, std::string_view clock) {
  if (!clock.empty()) {
    const auto named = std::ranges::find(rows, clock, &ClockRow::name);
    if (named == rows.end()) {
      return invalidArgument(fmt::format("no clock {}; clocks: {}", clock, namesOf(rows, false)));
    }
    if (named->slack_ns) return *named;
    return invalidArgument(fmt::format("clock {} has no setup slack (WNS); clocks with one: {}",
                                       clock, namesOf(rows, true)));
  }
  const auto has_paths = [](const ClockRow& row) { return row.slack_ns.has_value(); };
  const auto count = std::ranges::count_if(rows, has_paths);
  if (count == 1) return *std::ranges::find_if(rows, has_paths);
  if (count == 0) {
    return invalidArgument("no clock has a setup slack (WNS): was the design implemented?");
  }
  return invalidArgument(fmt::format("{} clocks have paths; name the core's by clock: {}", count,
                                     namesOf(rows, true)));
}

}  // namespace

Result<TimingReport> parseTiming(std::string_view text, std::string_view clock) {
  const Lines lines = linesOf(text);
  const Lines clocks = sectionOf(lines, "Clock Summary");
  const Lines slacks = sectionOf(lines, "Intra Clock Table");
  if (clocks.empty() || slacks.empty()) {
    return invalidArgument(
        fmt::format("this is no report of Vivado's report_timing_summary: it has no section '{}'",
                    clocks.empty() ? "Clock Summary" : "Intra Clock Table"));
  }
  std::vector<ClockRow> rows = readPeriods(clocks);
  if (rows.empty()) return invalidArgument("the Clock Summary has no clock with a period");
  readSlacks(slacks, rows);
  VTA_ASSIGN_OR_RETURN(const ClockRow row, chooseClock(rows, clock));
  if (*row.slack_ns >= row.period_ns) {
    return invalidArgument(
        fmt::format("clock {} has a slack of {} ns and a period of {} ns: no path", row.name,
                    *row.slack_ns, row.period_ns));
  }
  TimingReport report;
  report.device = headerValue(lines, "Device");
  const std::string speed = headerValue(lines, "Speed File");
  report.speed_grade = speed.substr(0, speed.find(' '));
  report.clock = row.name;
  report.period_ns = row.period_ns;
  report.slack_ns = *row.slack_ns;
  return report;
}

}  // namespace vta::sweep
