// The lines, headers and tables that all of Vivado's reports are made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vta::sweep {

std::vector<std::string_view> linesOf(std::string_view text);
/// Without blanks at both ends.
std::string_view trimmed(std::string_view text);
/// "12", "120.5", "-0.089"; none for other texts.
std::optional<double> plainNumber(std::string_view text);

/// The value of a line "| Device       : 7z020clg400-1" above the first table; empty without one.
std::string headerValue(const std::vector<std::string_view>& lines, std::string_view key);

/// The cells of a line "| a | b |"; empty for other lines.
std::vector<std::string_view> cellsOf(std::string_view line);

/// The lines of the section "| Clock Summary" that follow its underline, up to the next section;
/// empty without it.
std::vector<std::string_view> sectionOf(const std::vector<std::string_view>& lines,
                                        std::string_view title);

}  // namespace vta::sweep
