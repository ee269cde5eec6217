#include "explore/sweep/vivado/report_text.h"

#include <charconv>

namespace vta::sweep {

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> plainNumber(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string headerValue(const std::vector<std::string_view>& lines, std::string_view key) {
  for (const std::string_view line : lines) {
    const size_t colon = line.find(':');
    if (!line.starts_with("| ") || colon == std::string_view::npos) continue;
    if (trimmed(line.substr(2, colon - 2)) == key) {
      return std::string(trimmed(line.substr(colon + 1)));
    }
  }
  return "";
}

std::vector<std::string_view> cellsOf(std::string_view line) {
  line = trimmed(line);
  std::vector<std::string_view> cells;
  if (!line.starts_with('|') || !line.ends_with('|')) return cells;
  line.remove_prefix(1);
  while (!line.empty()) {
    const size_t bar = line.find('|');
    cells.push_back(trimmed(line.substr(0, bar)));
    line.remove_prefix(bar + 1);
  }
  return cells;
}

std::vector<std::string_view> sectionOf(const std::vector<std::string_view>& lines,
                                        std::string_view title) {
  std::vector<std::string_view> section;
  bool is_inside = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    // A title is between two rules, with an underline below it.
    const bool is_title =
        lines[i].starts_with("| ") && i + 1 < lines.size() && lines[i + 1].starts_with("| ---");
    if (is_title) {
      is_inside = trimmed(lines[i].substr(2)) == title;
      ++i;
      continue;
    }
    if (is_inside && !lines[i].starts_with("-----------")) section.push_back(lines[i]);
  }
  return section;
}

}  // namespace vta::sweep
