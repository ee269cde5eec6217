#include "module/hw_config_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/spec/parameters.h"
#include "isa/spec/user_operation.h"

namespace vta {
namespace {

bool isNumber(const Parameter& parameter) { return parameter.kind != ParameterKind::kText; }

/// In front of the keys of a user's operation. Each operation has one value for each number, and
/// its texts stand in keys, behind what they are.
constexpr std::string_view kOperation = "operation.";
constexpr std::string_view kNameKey = "operation.name=";
constexpr std::string_view kMeaningKey = "operation.meaning=";
constexpr std::string_view kSemanticsKey = "operation.semantics=";

/// The numbers of an operation by their keys.
struct OperationNumber {
  std::string_view key;
  int64_t (*get)(const UserOperationText&);
  void (*set)(UserOperationText&, int64_t);
};
constexpr OperationNumber kOperationNumbers[] = {
    {"operation.code", [](const UserOperationText& t) -> int64_t { return t.code; },
     [](UserOperationText& t, int64_t value) { t.code = static_cast<int>(value); }},
    {"operation.operand",
     [](const UserOperationText& t) { return static_cast<int64_t>(t.operand); },
     [](UserOperationText& t, int64_t value) { t.operand = static_cast<AluOperand>(value); }},
    {"operation.immediate",
     [](const UserOperationText& t) { return static_cast<int64_t>(t.immediate); },
     [](UserOperationText& t, int64_t value) { t.immediate = static_cast<AluImmediate>(value); }},
    {"operation.latency_cycles",
     [](const UserOperationText& t) -> int64_t { return t.latency_cycles; },
     [](UserOperationText& t, int64_t value) { t.latency_cycles = static_cast<int>(value); }},
    {"operation.cost.luts", [](const UserOperationText& t) -> int64_t { return t.cost.luts; },
     [](UserOperationText& t, int64_t value) { t.cost.luts = static_cast<int>(value); }},
    {"operation.cost.dsps", [](const UserOperationText& t) -> int64_t { return t.cost.dsps; },
     [](UserOperationText& t, int64_t value) { t.cost.dsps = static_cast<int>(value); }},
};

void appendOperation(const UserOperationText& text, std::vector<HwConfigValue>& values) {
  values.push_back({std::string(kNameKey) + text.name, 0});
  for (const OperationNumber& number : kOperationNumbers) {
    values.push_back({std::string(number.key), number.get(text)});
  }
  values.push_back({std::string(kMeaningKey) + text.meaning, 0});
  values.push_back({std::string(kSemanticsKey) + text.semantics, 0});  // the last one
}

/// Takes one value of the operation that is being read, `text`; the last one completes it.
Status readOperationValue(const HwConfigValue& value, UserOperationText& text,
                          UserOperations& operations) {
  const auto behind = [&](std::string_view key) { return value.key.substr(key.size()); };
  const auto* const number = std::ranges::find(kOperationNumbers, value.key, &OperationNumber::key);
  if (number != std::end(kOperationNumbers)) {
    number->set(text, value.value);
    if (number->get(text) == value.value) return {};
    return invalidArgument(fmt::format("the configuration's {} is {}", value.key, value.value));
  }
  if (value.key.starts_with(kNameKey)) {
    text = {};
    text.name = behind(kNameKey);
  } else if (value.key.starts_with(kMeaningKey)) {
    text.meaning = behind(kMeaningKey);
  } else if (value.key.starts_with(kSemanticsKey)) {
    text.semantics = behind(kSemanticsKey);
    const std::string place = fmt::format("operation \"{}\"", text.name);
    auto operation = makeUserOperation(text, place);
    if (!operation.ok()) return operation.status().withContext("the configuration");
    operations.add(std::move(*operation));
  } else {
    return invalidArgument(
        fmt::format("the configuration has '{}', which this build does not know; compile the model "
                    "again",
                    value.key));
  }
  return {};
}

}  // namespace

HwConfigValues valuesOf(const HwConfig& hw) {
  HwConfigValues values;
  values.name = hw.name();
  for (const Parameter& parameter : parameters()) {
    if (!isNumber(parameter)) continue;
    values.values.push_back({parameter.fullKey(), parameter.access.get(hw.params())});
  }
  for (const auto& operation : hw.params().operations.list()) {
    appendOperation(operation->text, values.values);
  }
  return values;
}

Result<HwConfig> hwConfigOf(const HwConfigValues& values) {
  HwParams params;
  params.name = values.name;
  UserOperationText operation;
  size_t count = 0;  // of parameters
  for (const HwConfigValue& value : values.values) {
    if (value.key.starts_with(kOperation)) {
      VTA_RETURN_IF_ERROR(readOperationValue(value, operation, params.operations));
      continue;
    }
    ++count;
    const auto found = std::ranges::find_if(parameters(), [&](const Parameter& parameter) {
      return isNumber(parameter) && parameter.fullKey() == value.key;
    });
    if (found == parameters().end()) {
      return invalidArgument(
          fmt::format("the configuration has a parameter '{}' that this build does not know; "
                      "compile the model again",
                      value.key));
    }
    found->access.set(params, value.value);
    if (found->access.get(params) != value.value) {
      return invalidArgument(
          fmt::format("the configuration's parameter '{}' is {}", value.key, value.value));
    }
  }
  if (count != static_cast<size_t>(std::ranges::count_if(parameters(), isNumber))) {
    return invalidArgument("the configuration lacks parameters; compile the model again");
  }
  return HwConfig::create(params);
}

}  // namespace vta
