#include "explore/sweep/space/axis_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <unordered_set>
#include <utility>

#include "base/closest_name.h"

namespace vta::sweep {
namespace {

constexpr size_t kMaxValues = 10000;

/// Parameters have their full key; other names are variables of the sweep's own.
Status checkName(const std::string& name) {
  if (findParameter(name) != nullptr) return {};
  static const std::regex kVariable("[A-Za-z_][A-Za-z0-9_]*");
  if (std::regex_match(name, kVariable) && name != "batch" && name != "name") return {};
  std::vector<std::string> known;
  for (const Parameter& parameter : parameters()) {
    if (parameter.kind != ParameterKind::kText) known.push_back(parameter.fullKey());
  }
  return invalidArgument(
      fmt::format("{} is neither a parameter nor a name for a variable (letters, digits and _); "
                  "parameters: {}{}",
                  name, fmt::join(known, ", "), suggestion(name, known)));
}

class AxisReader {
 public:
  AxisReader(std::string source, Axis axis)
      : source_(std::move(source)), parameter_(findParameter(axis.name)), axis_(std::move(axis)) {}

  Result<Axis> read(const YAML::Node& node) {
    VTA_RETURN_IF_ERROR(node.IsMap() ? readMap(node) : readList(node));
    std::unordered_set<double> seen;
    for (const AxisValue& value : axis_.values) {
      if (seen.insert(value.number).second) continue;
      return invalidArgument(fmt::format("{}: {} is there twice", axis_.place, value.text));
    }
    return std::move(axis_);
  }

 private:
  Result<AxisValue> value(const YAML::Node& node) const {
    auto value = parseValue(node, parameter_);
    if (value.ok()) return value;
    return value.status().withContext(
        fmt::format("{}: {}", YamlSection(node, source_).place(), axis_.name));
  }

  Status readList(const YAML::Node& node) {
    const bool is_set = parameter_ != nullptr && parameter_->kind == ParameterKind::kSet;
    if (node.IsScalar() || !node.IsSequence() || node.size() == 0 ||
        (is_set && !node[0].IsSequence())) {
      return invalidArgument(fmt::format(
          "{}: {} must be a list of values{}, or a map with values, or from, to and one "
          "of step and factor",
          axis_.place, axis_.name, is_set ? " (lists themselves)" : ""));
    }
    for (const YAML::Node& item : node) {
      VTA_ASSIGN_OR_RETURN(AxisValue next, value(item));
      axis_.values.push_back(std::move(next));
    }
    return {};
  }

  Status readMap(const YAML::Node& node) {
    YamlSection section(node, source_);
    for (const char* key : {"values", "from", "to", "step", "factor", "when", "otherwise"}) {
      section.expect(key);
    }
    VTA_RETURN_IF_ERROR(section.checkAllKnown());
    if (section.has("values")) {
      VTA_RETURN_IF_ERROR(readList(node["values"]));
    } else {
      VTA_RETURN_IF_ERROR(readRange(section));
    }
    if (section.has("when") != section.has("otherwise")) {
      return invalidArgument(fmt::format(
          "{}: {}: when and otherwise go together: the condition, and the value where it is false",
          axis_.place, axis_.name));
    }
    if (!section.has("when")) return {};
    VTA_ASSIGN_OR_RETURN(const std::string text, section.text("when"));
    auto condition = Expression::parse(text);
    if (!condition.ok()) return condition.status().withContext(section.placeOf("when"));
    axis_.when = *std::move(condition);
    VTA_ASSIGN_OR_RETURN(axis_.otherwise, value(node["otherwise"]));
    return {};
  }

  Status readRange(YamlSection& section) {
    VTA_ASSIGN_OR_RETURN(const YAML::Node from_node, section.node("from"));
    VTA_ASSIGN_OR_RETURN(const YAML::Node to_node, section.node("to"));
    VTA_ASSIGN_OR_RETURN(const AxisValue from, value(from_node));
    VTA_ASSIGN_OR_RETURN(const AxisValue to, value(to_node));
    const bool multiplies = section.has("factor");
    if (multiplies == section.has("step")) {
      return invalidArgument(
          fmt::format("{}: {}: a range needs one of step and factor", axis_.place, axis_.name));
    }
    VTA_ASSIGN_OR_RETURN(const YAML::Node by_node, section.node(multiplies ? "factor" : "step"));
    const auto by = parseValue(by_node, nullptr);
    if (!by.ok()) return by.status().withContext(section.place(by_node));
    const double least = multiplies ? 1 : 0;
    if (by->number <= least || from.number > to.number || (multiplies && from.number <= 0)) {
      return invalidArgument(fmt::format(
          "{}: {}: the range from {} to {} by {} is empty or has no end; legal: from at "
          "most to, and a {}",
          axis_.place, axis_.name, from.text, to.text, by->text,
          multiplies ? "factor above 1" : "step above 0"));
    }
    for (double x = from.number; x <= to.number * (1 + 1e-12);
         x = multiplies ? x * by->number : x + by->number) {
      if (axis_.values.size() == kMaxValues) {
        return invalidArgument(
            fmt::format("{}: {}: more than {} values", axis_.place, axis_.name, kMaxValues));
      }
      axis_.values.push_back({x, numberText(x, parameter_)});
    }
    return {};
  }

  std::string source_;
  const Parameter* parameter_;
  Axis axis_;
};

/// The map of `key`; an undefined node where there is none.
Result<YAML::Node> mapOf(YamlSection& sweep, const char* key) {
  if (!sweep.has(key)) return YAML::Node(YAML::NodeType::Map);
  VTA_ASSIGN_OR_RETURN(const YAML::Node node, sweep.node(key));
  if (node.IsMap()) return node;
  return invalidArgument(
      fmt::format("{}: {} must be a map from names to values", sweep.place(node), key));
}

}  // namespace

Result<std::vector<Axis>> readAxes(YamlSection& sweep) {
  VTA_ASSIGN_OR_RETURN(const YAML::Node grid, mapOf(sweep, "grid"));
  std::vector<Axis> axes;
  for (const auto& entry : grid) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "?";
    const std::string place = sweep.place(entry.first);
    if (const Status status = checkName(name); !status.ok()) return status.withContext(place);
    if (std::ranges::find(axes, name, &Axis::name) != axes.end()) {
      return invalidArgument(fmt::format("{}: {} is there twice", place, name));
    }
    Axis axis;
    axis.name = name;
    axis.place = place;
    VTA_ASSIGN_OR_RETURN(Axis read, AxisReader(sweep.source(), std::move(axis)).read(entry.second));
    axes.push_back(std::move(read));
  }
  return axes;
}

Result<std::vector<Derived>> readDerived(YamlSection& sweep, const std::vector<Axis>& axes) {
  VTA_ASSIGN_OR_RETURN(const YAML::Node derive, mapOf(sweep, "derive"));
  std::vector<Derived> derived;
  for (const auto& entry : derive) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "?";
    const std::string place = sweep.place(entry.first);
    if (const Status status = checkName(name); !status.ok()) return status.withContext(place);
    if (std::ranges::find(axes, name, &Axis::name) != axes.end()) {
      return invalidArgument(fmt::format("{}: {} is in the grid already", place, name));
    }
    if (!entry.second.IsScalar()) {
      return invalidArgument(fmt::format("{}: {} must be an expression", place, name));
    }
    auto expression = Expression::parse(entry.second.Scalar());
    if (!expression.ok()) return expression.status().withContext(sweep.place(entry.second));
    derived.push_back({name, place, *std::move(expression)});
  }
  return derived;
}

}  // namespace vta::sweep
