#include "driver/board/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>

namespace vta::driver {

Result<std::string> readAttribute(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return notFound(fmt::format("{} cannot be opened", path.string()));
  std::string line;
  if (!std::getline(file, line)) return ioError(fmt::format("{} is empty", path.string()));
  return line;
}

bool parseAddress(const std::string& text, uint64_t& value) {
  std::string_view digits = text;
  const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (is_hex) digits.remove_prefix(2);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
  return error == std::errc() && end == digits.data() + digits.size();
}

Result<uint64_t> readNumberAttribute(const std::filesystem::path& path) {
  VTA_ASSIGN_OR_RETURN(const std::string text, readAttribute(path));
  uint64_t value = 0;
  if (parseAddress(text, value)) return value;
  return ioError(fmt::format("{} holds '{}', which is no number", path.string(), text));
}

bool isFolder(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

std::vector<std::string> namesIn(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace vta::driver
