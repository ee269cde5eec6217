// The table of configuration parameters: the one place that knows their keys, types, ranges and
// SystemVerilog names. The YAML reader and writer, the range checks, a program's fingerprint, the
// JSON schema, the SystemVerilog package, the generators of random configurations and the manual's
// table iterate over it. A parameter is a member of HwParams and a row here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/spec/hw_params.h"
#include "isa/spec/memories.h"

namespace vta {

/// How a parameter's value is written.
enum class ParameterKind : uint8_t {
  kText,     // the name
  kInteger,  // 16
  kDecimal,  // 333.33; the value counts `parts` of a unit
  kBytes,    // the size of a scratchpad: 32768, 32KiB, 1MiB
  kChoice,   // one of `names`; the value is its index
  kSet,      // a list of some of `names`; the value has a bit for each
};

struct ValueRange {
  int64_t min = 0;
  int64_t max = 0;
  bool power_of_two = false;
};

/// Reads and writes a parameter as a number, whatever the type of its member.
struct ParameterAccess {
  int64_t (*get)(const HwParams&) = nullptr;
  void (*set)(HwParams&, int64_t) = nullptr;
};

/// One parameter. Its default is the initial value of its member.
struct Parameter {
  std::string_view section{};  // of the YAML file; empty at the top
  std::string_view key{};
  ParameterKind kind = ParameterKind::kInteger;
  ParameterAccess access{};  // absent for kText
  ValueRange legal{};        // kInteger; kDecimal in parts; for kBytes in elements of `memory`
  int64_t parts = 1;         // kDecimal: the power of ten that makes a unit
  std::optional<MemoryType> memory{};         // kBytes: what the scratchpad holds
  std::span<const std::string_view> names{};  // kChoice and kSet
  /// What stands before the value in the text that is a program's fingerprint (hw_config.cpp).
  /// Absent: programs cannot see the parameter.
  std::optional<std::string_view> identity{};
  /// The extension that the parameter belongs to; it means nothing without it.
  bool HwParams::*extension = nullptr;
  std::string_view sv_name{};  // of its constant in vta_pkg; empty if the hardware has none
  bool sv_is_text = false;     // kChoice: the constant is the name, else the value and one for each
  /// Of random configurations, small enough to simulate. For kBytes in elements, of which a part
  /// may be left out. Absent: always the default.
  std::optional<ValueRange> draw{};
  std::string_view unit{};  // of kInteger
  std::string_view doc{};   // one line for the manual

  /// "axi.data_width_bits".
  std::string fullKey() const;
  bool isFlag() const;  // a kChoice of false and true
  /// The value in the unit that files have: 333.33 for 333'330'000 parts of a millionth.
  double number(const HwParams& params) const;
  /// The value for `number` in the unit that files have, rounded to what can be said.
  int64_t valueOf(double number) const;
};

/// All parameters in the order of configuration files; those of a section follow each other.
std::span<const Parameter> parameters();

/// An extension of the instruction set that a configuration lists under isa.extensions.
struct IsaExtension {
  std::string_view name{};     // "pad_min"
  bool HwParams::*member{};    // whether a configuration has it
  std::string_view sv_name{};  // of its flag in vta_pkg
  // Its absence is part of a program's fingerprint too. Later extensions leave the fingerprints of
  // configurations without them as they are.
  bool is_original = false;
};
std::span<const IsaExtension> isaExtensions();

/// "pad_min"; `member` is that of an extension.
std::string_view extensionName(bool HwParams::*member);

/// The legal values in words: "powers of two from 1 to 64", "one of none, 0.0.2".
std::string legalText(const Parameter& parameter);

/// The value as a YAML file has it: "16", "32KiB", "true", "[qmul, clip]", "default".
std::string valueText(const Parameter& parameter, const HwParams& params);

}  // namespace vta
