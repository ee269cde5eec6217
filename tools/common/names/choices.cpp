#include "tools/common/names/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/closest_name.h"

namespace vta::tools {
namespace {

// CLI11 keeps copies of validators without their class: the names are in their description, which
// it shows behind the type of the option.
std::string inBraces(const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format("{{{}}}", fmt::join(names, ","));
}

/// Where the names stand in the text of a type: the first and one past the last character.
std::pair<size_t, size_t> placeOfNames(std::string_view type) {
  const size_t begin = type.find('{');
  const size_t end = begin == std::string_view::npos ? begin : type.find('}', begin);
  if (end == std::string_view::npos) return {type.size(), type.size()};
  return {begin, end + 1};
}

}  // namespace

Offered::Offered(Names names) {
  desc_function_ = [names = std::move(names)] { return inBraces(names()); };
  func_ = [](std::string&) { return std::string(); };
}

Offered::Offered(std::vector<std::string> names)
    : Offered([names = std::move(names)] { return names; }) {}

Renamed::Renamed(std::function<std::string(std::string&)> rename, Names names) {
  desc_function_ = [names = std::move(names)] { return inBraces(names()); };
  func_ = std::move(rename);
}

OneOf::OneOf(std::vector<std::string> names) {
  desc_function_ = [names] { return inBraces(names); };
  func_ = [names = std::move(names)](const std::string& text) -> std::string {
    if (std::ranges::find(names, text) != names.end()) return "";
    return fmt::format("{} not in {}{}", text, inBraces(names), suggestion(text, names));
  };
}

std::vector<std::string> namesFor(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto [begin, end] = placeOfNames(type);
  std::vector<std::string> names;
  if (begin == end) return names;
  std::istringstream list(type.substr(begin + 1, end - begin - 2));
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return names;
}

std::string withoutNames(const std::string& type) {
  const auto [begin, end] = placeOfNames(type);
  if (begin == end) return type;
  const bool has_colon = begin > 0 && type[begin - 1] == ':';
  return type.substr(0, begin - (has_colon ? 1 : 0)) + type.substr(end);
}

}  // namespace vta::tools
