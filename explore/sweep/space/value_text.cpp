#include "explore/sweep/space/value_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/closest_name.h"

namespace vta::sweep {
namespace {

Status wrong(const std::string& text, std::string_view legal) {
  return invalidArgument(fmt::format("\"{}\" is no value here; legal: {}", text, legal));
}

std::string legalOf(const Parameter* parameter) {
  return parameter == nullptr ? "a number, or a size such as 32KiB" : legalText(*parameter);
}

Result<double> nameIndex(const std::string& text, const Parameter& parameter) {
  const auto found = std::ranges::find(parameter.names, text);
  if (found == parameter.names.end()) {
    return wrong(text, fmt::format("{}{}", fmt::join(parameter.names, ", "),
                                   suggestion(text, namesOf(parameter.names))));
  }
  return static_cast<double>(found - parameter.names.begin());
}

Result<double> numberOf(const std::string& text, const Parameter* parameter) {
  std::string_view digits = text;
  double unit = 1;
  const std::pair<const char*, double> units[] = {
      {"KiB", 1024.0}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024}};
  for (const auto& [suffix, factor] : units) {
    if (!digits.ends_with(suffix)) continue;
    unit = factor;
    digits.remove_suffix(3);
  }
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc() || stop != end || !std::isfinite(value)) {
    return wrong(text, legalOf(parameter));
  }
  return value * unit;
}

Result<AxisValue> parseSet(const YAML::Node& node, const Parameter& parameter) {
  if (!node.IsSequence()) {
    return wrong(node.IsScalar() ? node.Scalar() : "?",
                 fmt::format("a list of {}", fmt::join(parameter.names, ", ")));
  }
  AxisValue value{0, "["};
  for (const YAML::Node& item : node) {
    VTA_ASSIGN_OR_RETURN(const double index,
                         nameIndex(item.IsScalar() ? item.Scalar() : "?", parameter));
    value.number += std::exp2(index);
    value.text += (value.text.size() > 1 ? ", " : "") + item.Scalar();
  }
  value.text += "]";
  return value;
}

}  // namespace

const Parameter* findParameter(std::string_view full_key) {
  const auto found = std::ranges::find_if(parameters(), [&](const Parameter& parameter) {
    return parameter.kind != ParameterKind::kText && parameter.fullKey() == full_key;
  });
  return found == parameters().end() ? nullptr : &*found;
}

Result<AxisValue> parseValue(const YAML::Node& node, const Parameter* parameter) {
  if (parameter != nullptr && parameter->kind == ParameterKind::kSet) {
    return parseSet(node, *parameter);
  }
  if (!node.IsScalar()) return wrong("a list or a map", legalOf(parameter));
  const std::string& text = node.Scalar();
  if (parameter != nullptr && parameter->kind == ParameterKind::kChoice) {
    VTA_ASSIGN_OR_RETURN(const double index, nameIndex(text, *parameter));
    return AxisValue{index, text};
  }
  VTA_ASSIGN_OR_RETURN(const double number, numberOf(text, parameter));
  return AxisValue{number, text};
}

std::string numberText(double number, const Parameter* parameter) {
  const bool has_decimals = parameter != nullptr && parameter->kind == ParameterKind::kDecimal;
  if (parameter != nullptr && (has_decimals || number == std::floor(number))) {
    HwParams params;
    parameter->access.set(params, parameter->valueOf(number));
    return valueText(*parameter, params);
  }
  return fmt::format("{:g}", number);
}

Status setParameter(const Parameter& parameter, double value, HwParams& params) {
  const auto illegal = [&] {
    return invalidArgument(
        fmt::format("{} is {}; legal: {}", parameter.fullKey(), value, legalText(parameter)));
  };
  const bool has_decimals = parameter.kind == ParameterKind::kDecimal;
  if ((value != std::floor(value) && !has_decimals) || !(std::abs(value) <= 1e15)) return illegal();
  const bool is_name = parameter.kind == ParameterKind::kChoice;
  if (is_name && (value < 0 || value >= static_cast<double>(parameter.names.size()))) {
    return illegal();
  }
  // Members are of several types; HwConfig::create checks what is legal.
  const bool is_number = parameter.kind == ParameterKind::kInteger || has_decimals;
  if (value < 0 || (is_number && value > 1'000'000'000)) return illegal();
  parameter.access.set(params, parameter.valueOf(value));
  return {};
}

}  // namespace vta::sweep
