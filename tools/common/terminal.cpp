#include "tools/common/terminal.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "tools/common/error_json.h"
#include "tools/common/print.h"
#include "tools/common/short_names.h"

namespace vta::tools {
namespace {

/// Characters, not bytes, of UTF-8.
size_t widthOf(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

}  // namespace

int reportError(const char* tool, const Status& status) {
  // Names of models can be as long as files are.
  constexpr size_t kMostBytes = 16384;
  const std::string& text = status.message();
  noteError(std::string_view(text).substr(0, kMostBytes));
  printError("{}: error: {}{}\n", tool, std::string_view(text).substr(0, kMostBytes),
             text.size() > kMostBytes ? " ..." : "");
  return kExitFailed;
}

void reportWarning(const char* tool, const std::string& message) {
  printError("{}: warning: {}\n", tool, message);
}

void Table::addRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::vector<std::vector<std::string>> Table::shortRows() const {
  std::vector<std::vector<std::string>> rows = rows_;
  for (size_t i = 0; i < columns_.size(); ++i) {
    std::vector<std::string> cells;
    for (const auto& row : rows_) cells.push_back(i < row.size() ? row[i] : "");
    cells = shortNames(cells, columns_[i].most);
    for (size_t at = 0; at < rows.size(); ++at) {
      if (i < rows[at].size()) rows[at][i] = std::move(cells[at]);
    }
  }
  return rows;
}

std::string Table::toString() const {
  const std::vector<std::vector<std::string>> rows = shortRows();
  std::vector<size_t> widths;
  for (const Column& column : columns_) widths.push_back(widthOf(column.title));
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], widthOf(row[i]));
  }
  std::string text;
  const auto addLine = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - widthOf(cells[i]), ' ');
      const bool right = columns_[i].align == Align::kRight;
      line += (right ? padding + cells[i] : cells[i] + padding) + "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  addLine(titles);
  for (const auto& row : rows) addLine(row);
  return text;
}

std::string wrapLine(std::string_view text, size_t columns, size_t indent) {
  const size_t lead = std::min(text.find_first_not_of(' '), text.size());
  std::string result(text.substr(0, lead));
  text.remove_prefix(lead);
  size_t used = lead;
  bool at_start = true;  // of a line
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const bool fits = at_start || used + 1 + widthOf(word) <= columns;
    if (!fits) {
      result.append("\n").append(indent, ' ');
      used = indent;
    } else if (!at_start) {
      result += ' ';
      ++used;
    }
    result += word;
    used += widthOf(word);
    at_start = false;
  }
  return result;
}

std::string formatCount(uint64_t value) {
  std::string digits = std::to_string(value);
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), 1, ',');
  return digits;
}

std::string formatBytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string formatSeconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string formatPicojoules(double pj) {
  constexpr const char* kUnits[] = {"pJ", "nJ", "uJ", "mJ", "J"};
  size_t unit = 0;
  for (; pj >= 1000 && unit + 1 < std::size(kUnits); ++unit) pj /= 1000;
  return fmt::format("{:.3g} {}", pj, kUnits[unit]);
}

uint64_t peakMemoryBytes() {
  // The kernel's name for it. getrusage also counts the program that started this one.
  constexpr std::string_view kPeak = "VmHWM:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kPeak))
      return std::strtoull(line.c_str() + kPeak.size(), nullptr, 10) * 1024;
  }
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace vta::tools
