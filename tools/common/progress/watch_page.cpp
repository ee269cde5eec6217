#include "tools/common/progress/watch_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tools/common/files.h"
#include "tools/common/print.h"

namespace vta::tools {
namespace {

// Browsers load the page again after so many seconds.
constexpr int kReloadSeconds = 2;
constexpr size_t kMostHistory = 200;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; padding: 0 1.5rem; max-width: 70rem; }
h1 { font-size: 1.4rem; margin: 0; }
progress { width: 100%; height: 1.2rem; }
table { border-collapse: collapse; font-size: 0.9rem; margin-top: 1rem; }
th, td { text-align: right; padding: 0.2rem 0.8rem; border-bottom: 1px solid #8886; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
svg { vertical-align: middle; }
.scroll { overflow-x: auto; }
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string durationText(double seconds) {
  const auto whole = static_cast<int64_t>(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

/// A small line of the values, the largest on top.
std::string lineOf(const std::vector<double>& values) {
  if (values.size() < 2) return "";
  constexpr double kWidth = 120;
  constexpr double kHeight = 20;
  const auto [least, most] = std::ranges::minmax(values);
  std::string points;
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = kWidth * static_cast<double>(i) / static_cast<double>(values.size() - 1);
    const double share = most > least ? (values[i] - least) / (most - least) : 0;
    points += fmt::format("{:.1f},{:.1f} ", x, kHeight - 1 - (kHeight - 2) * share);
  }
  return fmt::format(
      R"(<svg width="{0}" height="{1}" role="img" aria-label="from {2:g} to {3:g}">)"
      R"(<polyline points="{4}" fill="none" stroke="#2f6fb5" stroke-width="1.5"/></svg>)",
      kWidth, kHeight, values.front(), values.back(), points);
}

double secondsBetween(std::chrono::steady_clock::time_point begin,
                      std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

Status WatchPage::begin(std::filesystem::path file, std::string title,
                        std::vector<std::string> columns) {
  const std::lock_guard lock(mutex_);
  file_ = std::move(file);
  title_ = std::move(title);
  columns_ = std::move(columns);
  start_ = phase_start_ = Clock::now();
  Status status = write();
  if (!status.ok()) file_.clear();
  return status;
}

void WatchPage::update(const std::string& phase, double done, int64_t total,
                       const std::string& detail) {
  const std::lock_guard lock(mutex_);
  if (phase != phase_) phase_start_ = Clock::now();
  phase_ = phase;
  detail_ = detail;
  done_ = done;
  total_ = total;
  writeIfDue();
}

void WatchPage::setRow(const std::string& name, std::vector<std::string> cells, double value) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = places_.emplace(name, rows_.size());
  if (is_new) rows_.push_back({name, {}, {}});
  Row& row = rows_[place->second];
  row.cells = std::move(cells);
  if (row.history.empty() || row.history.back() != value) row.history.push_back(value);
  if (row.history.size() > kMostHistory) row.history.erase(row.history.begin() + 1);
  writeIfDue();
}

void WatchPage::finish(std::string_view how) {
  const std::lock_guard lock(mutex_);
  if (file_.empty()) return;
  ended_ = how;
  Status status = write();
  if (status_.ok()) status_ = std::move(status);
  file_.clear();
}

Status WatchPage::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::string WatchPage::progressText() const {
  const Clock::time_point now = Clock::now();
  const std::string elapsed = durationText(secondsBetween(start_, now));
  if (!ended_.empty())
    return fmt::format("<p>The run {} after {}.</p>\n", escaped(ended_), elapsed);
  if (phase_.empty()) return "<p>The run has begun.</p>\n";
  const auto all = static_cast<double>(total_);
  std::string text = fmt::format("<p>{}", escaped(phase_));
  if (total_ > 1) text += fmt::format(", {} of {}", static_cast<int64_t>(done_), total_);
  text += fmt::format("; running for {}", elapsed);
  if (done_ > 0 && done_ < all) {
    const double left = secondsBetween(phase_start_, now) / done_ * (all - done_);
    text += fmt::format(", about {} left", durationText(left));
  }
  text += ".</p>\n";
  if (total_ > 0) {
    text += fmt::format("<progress max=\"{}\" value=\"{:.3f}\"></progress>\n", total_,
                        std::clamp(done_, 0.0, all));
  }
  if (!detail_.empty()) text += fmt::format("<p>{}</p>\n", escaped(detail_));
  return text;
}

std::string WatchPage::tableText() const {
  if (rows_.empty()) return "";
  std::string text = "<div class=\"scroll\"><table>\n<tr>";
  for (const std::string& column : columns_) text += fmt::format("<th>{}</th>", escaped(column));
  text += "<th></th></tr>\n";
  for (const Row& row : rows_) {
    text += fmt::format("<tr><td>{}</td>", escaped(printableName(row.name)));
    for (const std::string& cell : row.cells) text += fmt::format("<td>{}</td>", escaped(cell));
    text += fmt::format("<td>{}</td></tr>\n", lineOf(row.history));
  }
  return text + "</table></div>\n";
}

std::string WatchPage::pageText() const {
  const std::string reload =
      ended_.empty() ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", kReloadSeconds)
                     : "";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n{}<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n"
      "{}{}</body>\n</html>\n",
      reload, escaped(title_), kStyle, escaped(title_), progressText(), tableText());
}

Status WatchPage::write() {
  last_write_ = Clock::now();
  return writeFile(file_, pageText()).withContext("--watch");
}

void WatchPage::writeIfDue() {
  if (file_.empty() || Clock::now() - last_write_ < interval_) return;
  Status status = write();
  // The work matters more than its page: the error is told at the end.
  if (status_.ok()) status_ = std::move(status);
}

}  // namespace vta::tools
