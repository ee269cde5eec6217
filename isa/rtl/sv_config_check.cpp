#include "isa/rtl/sv_config_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/config/config_rules.h"
#include "isa/spec/parameters.h"

namespace vta {
namespace {

std::string constant(std::string_view sv_name) { return fmt::format("vta_pkg::{}", sv_name); }

// An `if` at module level that stops elaboration.
std::string stopIf(std::string_view condition, std::string_view key, std::string_view message) {
  std::string label(key);
  std::ranges::replace(label, '.', '_');
  return fmt::format("  if ({})\n  begin : gen_{}\n    $error(\"{}\");\n  end\n", condition, label,
                     message);
}

// The flag of an extension; `member` is that of one.
std::string flag(bool HwParams::*member) {
  const auto extension = std::ranges::find(isaExtensions(), member, &IsaExtension::member);
  return constant(extension->sv_name);
}

// The condition under which a rule does not hold.
std::string broken(const HardwareRule& rule) {
  const std::string only = rule.extension == nullptr ? "" : flag(rule.extension) + " && ";
  const std::string left = constant(rule.left.sv_name);
  const std::string right = constant(rule.right.sv_name);
  if (rule.divides) return fmt::format("{}{} % {} != 0", only, right, left);
  return fmt::format("{}{} * {} > {}", only, rule.factor, left, right);
}

// The condition under which `value` is outside `range`.
std::string outside(const std::string& value, const ValueRange& range) {
  if (range.min == range.max) return fmt::format("{} != {}", value, range.min);
  const std::string shape =
      range.power_of_two ? fmt::format(" || !is_power_of_2({})", value) : std::string();
  return fmt::format("{0} < {1} || {0} > {2}{3}", value, range.min, range.max, shape);
}

}  // namespace

std::string svConfigCheck() {
  std::string text =
      R"(// Stops elaboration with a message when a parameter is outside what the RTL is built for. Holds no logic.
// Generated from isa/spec/parameters.cpp and isa/config/config_rules.cpp by vta-info --rtl-config-check: do not edit.
module vta_config_check;

  function automatic bit is_power_of_2(int unsigned value);
    is_power_of_2 = value != 0 && (value & (value - 1)) == 0;
  endfunction

)";
  for (const Parameter& p : parameters()) {
    const std::string message = fmt::format("{}: {}", p.fullKey(), legalText(p));
    if (p.memory) {
      const std::string depth = fmt::format("{}Depth", memoryInfo(*p.memory).sv_name);
      text += stopIf(outside(constant(depth), p.legal), p.fullKey(), message);
    } else if (p.kind == ParameterKind::kInteger && !p.sv_name.empty()) {
      text += stopIf(outside(constant(p.sv_name), p.legal), p.fullKey(), message);
    }
  }
  for (const HardwareRule& rule : hardwareRules()) {
    text += stopIf(broken(rule),
                   fmt::format("{}_{}{}", rule.keys[0], rule.keys[1], rule.divides ? "_whole" : ""),
                   fmt::format("{}, {}: {}", rule.keys[0], rule.keys[1], rule.text));
  }
  // The list of the extensions.
  const std::string set_key =
      std::ranges::find(parameters(), ParameterKind::kSet, &Parameter::kind)->fullKey();
  for (const ExtensionRule& rule : extensionRules()) {
    const std::string_view extension = extensionName(rule.extension);
    const std::string_view needed = extensionName(rule.needed);
    text += stopIf(fmt::format("{} && !{}", flag(rule.extension), flag(rule.needed)),
                   fmt::format("{}_without_{}", extension, needed),
                   fmt::format("{}: {} needs {}, {}", set_key, extension, needed, rule.why));
  }
  return text + "\nendmodule\n";
}

}  // namespace vta
