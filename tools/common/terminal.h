// Text for people: tables and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::tools {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

/// Prints "tool: error: message" on stderr and returns kExitFailed.
int reportError(const char* tool, const Status& status);
void reportWarning(const char* tool, const std::string& message);

/// A table with aligned columns: numbers to the right. An empty cell is printed as nothing, a cell
/// with control characters escaped, one that is too long shortened (short_names.h).
class Table {
 public:
  enum class Align : uint8_t { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
    /// Characters of a cell, at least 10. What two cells differ in is not cut off.
    size_t most = 160;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void addRow(std::vector<std::string> cells);
  std::string toString() const;

 private:
  /// The rows with cells as they are printed.
  std::vector<std::vector<std::string>> shortRows() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Lines of at most `columns` characters, broken at spaces; all but the first begin with `indent`
/// spaces. A longer word stays whole. `text` is one line.
std::string wrapLine(std::string_view text, size_t columns, size_t indent);

/// "1,234,567"; "12.3 MiB"; "1.23 ms".
std::string formatCount(uint64_t value);
std::string formatBytes(uint64_t bytes);
std::string formatSeconds(double seconds);
std::string formatPicojoules(double pj);  // "12.3 nJ"

/// The most memory that this process has used.
uint64_t peakMemoryBytes();

}  // namespace vta::tools
