#include "tools/common/print.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "base/text/utf8.h"

namespace vta::tools {
namespace {

// Of the first failure to write standard output; 0: none.
int output_error = 0;
bool has_output = false;  // something was printed there

bool isControl(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  // The second row of control characters has two bytes each: C2 80 to C2 9F.
  const bool is_second_row = first == 0xc2 && static_cast<uint8_t>(character[1]) < 0xa0;
  return first < 0x20 || first == 0x7f || is_second_row;
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t bytes = characterBytes(text);
    const std::string_view character = text.substr(0, std::max<size_t>(1, bytes));
    text.remove_prefix(character.size());
    if (bytes > 0 && (!isControl(character) || kept.find(character) != std::string_view::npos)) {
      result += character;
      continue;
    }
    for (const char c : character) result += fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
  }
  return result;
}

void noteFailure() {
  if (output_error == 0) output_error = errno != 0 ? errno : EIO;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, "\n\t"); }

std::string printableName(std::string_view name, size_t most) {
  std::string text = escaped(name.substr(0, 4 * most), "");
  const bool is_cut = name.size() > 4 * most;
  const auto isStart = [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; };
  const auto count = static_cast<size_t>(std::ranges::count_if(text, isStart));
  if (count <= most && !is_cut) return text;
  // The end often tells names apart; of a name that was cut above it is not looked at twice.
  if (is_cut) text += escaped(name.substr(name.size() - most), "");
  const size_t kept = (most - 3) / 2;
  size_t head = 0;
  for (size_t seen = 0; head < text.size(); ++head) {
    if (isStart(text[head]) && seen++ == kept) break;
  }
  size_t tail = text.size();
  for (size_t seen = 0; tail > head && seen < kept;) {
    if (isStart(text[--tail])) ++seen;
  }
  return text.substr(0, head) + "..." + text.substr(tail);
}

void printRaw(std::string_view text) {
  errno = 0;
  has_output = has_output || !text.empty();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) noteFailure();
}

void printText(std::string_view text) { printRaw(printable(text)); }

void flushOutput() {
  errno = 0;
  if (std::fflush(stdout) != 0) noteFailure();
}

bool hasOutput() { return has_output; }

int outputError() { return output_error; }

void printErrorText(std::string_view text) {
  const std::string safe = printable(text);
  std::fwrite(safe.data(), 1, safe.size(), stderr);
}

}  // namespace vta::tools
