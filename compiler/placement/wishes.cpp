#include "compiler/placement/wishes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "base/closest_name.h"

namespace vta::placement {
namespace {

/// Without a way back but to the last `*`, which may stand for more letters.
bool fits(std::string_view name, std::string_view pattern) {
  size_t at = 0, in_pattern = 0;
  size_t star = std::string_view::npos, behind_star = 0;
  while (at < name.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      behind_star = at;
    } else if (in_pattern < pattern.size() &&
               (pattern[in_pattern] == '?' || pattern[in_pattern] == name[at])) {
      ++at;
      ++in_pattern;
    } else if (star != std::string_view::npos) {
      at = ++behind_star;
      in_pattern = star + 1;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

}  // namespace

Result<PlaceRule> parsePlaceRule(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return invalidArgument(fmt::format("'{}': write LAYER=MACHINE", text));
  }
  return PlaceRule{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::string_view machineFor(const std::vector<PlaceRule>& rules, std::string_view layer) {
  for (const PlaceRule& rule : std::views::reverse(rules)) {
    if (fits(layer, rule.pattern)) return rule.machine;
  }
  return {};
}

Status checkRules(const std::vector<PlaceRule>& rules, const std::vector<std::string>& layers,
                  const std::vector<std::string>& machines) {
  for (const PlaceRule& rule : rules) {
    if (std::ranges::find(machines, rule.machine) == machines.end()) {
      return invalidArgument(fmt::format("--place {}={}: operators run on {} here{}", rule.pattern,
                                         rule.machine, fmt::join(machines, ", "),
                                         suggestion(rule.machine, machines)));
    }
    const bool is_layer = std::ranges::any_of(
        layers, [&](const std::string& layer) { return fits(layer, rule.pattern); });
    if (is_layer) continue;
    return invalidArgument(fmt::format("--place {}={}: the model has no layer of this name{}",
                                       rule.pattern, rule.machine,
                                       suggestion(rule.pattern, layers)));
  }
  return {};
}

std::string textOf(const Misplaced& misplaced) {
  return fmt::format("layer '{}' is for the {}, but runs on the {}: {}", misplaced.layer,
                     misplaced.wanted, misplaced.machine, misplaced.reason);
}

}  // namespace vta::placement
