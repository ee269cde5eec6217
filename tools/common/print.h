// What tools print. Nothing here throws, and no output is lost without a message.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace vta::tools {

/// Text that is safe on a terminal: control characters and bytes that are not UTF-8 become "\xNN".
/// Line ends and tabs stay.
std::string printable(std::string_view text);

/// A name for one place in a line: line ends and tabs are escaped too, and at most `most`
/// characters are left, "..." in place of the middle.
std::string printableName(std::string_view name, size_t most = 120);

/// Writes to standard output: text for people is made printable, text for machines (JSON,
/// assembler) is written as it is.
void printText(std::string_view text);
void printRaw(std::string_view text);
template <typename... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  printText(fmt::format(format, std::forward<Args>(args)...));
}

/// Sends what was printed so far on its way, so that it stands before later text on stderr.
void flushOutput();

/// True once something was printed on standard output.
bool hasOutput();

/// The errno of the first failure to write standard output; 0 when everything was written.
int outputError();

/// Writes to standard error, made printable. A failure is ignored: there is nowhere to report it.
void printErrorText(std::string_view text);
template <typename... Args>
void printError(fmt::format_string<Args...> format, Args&&... args) {
  printErrorText(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace vta::tools
