#include "tools/common/file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace vta::tools {
namespace {

/// The first bytes of `text`, and no part of a character of UTF-8.
std::string shortened(const std::string& text, size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

/// "conv/out:0" as the name of a file. A leading dot would hide it, or name a folder.
std::string cleaned(std::string name, size_t most_bytes) {
  const auto is_odd = [](char c) {
    constexpr std::string_view kOdd = "/\\:*?\"<>|";
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || kOdd.find(c) != kOdd.npos;
  };
  std::ranges::replace_if(name, is_odd, '_');
  if (name.empty()) name = "_";
  if (name.front() == '.') name.front() = '_';
  return shortened(name, most_bytes);
}

std::string lowered(std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

}  // namespace

std::vector<std::string> fileNamesFor(const std::vector<std::string>& names, size_t most_bytes) {
  std::vector<std::string> files(names.size());
  std::set<std::string> taken;  // in small letters
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string name = cleaned(names[i], most_bytes);
    if (name == names[i] && taken.insert(lowered(name)).second) files[i] = name;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!files[i].empty()) continue;
    const std::string name = cleaned(names[i], most_bytes);
    std::string file = name;
    for (int number = 2; !taken.insert(lowered(file)).second; ++number) {
      const std::string suffix = fmt::format("_{}", number);
      file = shortened(name, most_bytes - suffix.size()) + suffix;
    }
    files[i] = file;
  }
  return files;
}

}  // namespace vta::tools
