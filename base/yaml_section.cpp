#include "base/yaml_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/closest_name.h"

namespace vta {

std::string YamlSection::place(const YAML::Node& node) const {
  const YAML::Mark mark = node.Mark();
  if (mark.is_null()) return source_;
  return fmt::format("{}:{}:{}", source_, mark.line + 1, mark.column + 1);
}

Result<YAML::Node> YamlSection::node(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  const YAML::Node value = node_[std::string(key)];
  if (value.IsDefined()) return value;
  return invalidArgument(fmt::format("{}: key {} is missing", place(), key));
}

Result<std::string> YamlSection::text(std::string_view key) {
  VTA_ASSIGN_OR_RETURN(const YAML::Node value, node(key));
  if (value.IsScalar()) return value.Scalar();
  return invalidArgument(fmt::format("{}: {} must be a single value", place(value), key));
}

Result<int> YamlSection::integer(std::string_view key) {
  VTA_ASSIGN_OR_RETURN(const std::string digits, text(key));
  int value = 0;
  const char* end = digits.data() + digits.size();
  const auto [ptr, ec] = std::from_chars(digits.data(), end, value);
  if (!digits.empty() && ec == std::errc() && ptr == end) return value;
  return invalidArgument(
      fmt::format("{}: {} is \"{}\"; it must be an integer", placeOf(key), key, digits));
}

Status YamlSection::checkAllKnown() const {
  std::vector<std::string> seen;
  for (const auto& entry : node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string("?");
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      return invalidArgument(fmt::format("{}: unknown key {}; legal keys: {}{}", place(entry.first),
                                         key, fmt::join(known_, ", "),
                                         suggestion(key, namesOf(known_))));
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      return invalidArgument(fmt::format("{}: key {} appears twice", place(entry.first), key));
    }
    seen.push_back(key);
  }
  return {};
}

}  // namespace vta
