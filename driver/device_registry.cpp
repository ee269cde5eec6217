#include "driver/device_registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/closest_name.h"

namespace vta::driver {
namespace {

std::vector<DeviceKind>& registry() {
  static std::vector<DeviceKind> kinds;
  return kinds;
}

/// Takes the text up to the next comma, without the backslashes before commas.
std::string nextOption(std::string_view& text) {
  std::string option;
  size_t at = 0;
  for (; at < text.size() && text[at] != ','; ++at) {
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == ',') ++at;
    option += text[at];
  }
  text.remove_prefix(std::min(text.size(), at + 1));
  return option;
}

Status unknownOption(const DeviceKind& kind, std::string_view option) {
  const std::string_view key = option.substr(0, option.find('='));
  return invalidArgument(fmt::format(
      "device '{}' has no option '{}'; legal: {}{}", kind.name, option, kind.optionsText(),
      kind.hasOption(key) ? "" : suggestion(key, namesOf(kind.options, &DeviceOption::key))));
}

std::optional<uint64_t> parseNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool hasForm(DeviceOption::Value form, std::string_view value) {
  switch (form) {
    case DeviceOption::Value::kFlag:
      return value.empty();
    case DeviceOption::Value::kOutputFile:
    case DeviceOption::Value::kText:
      return !value.empty();
    case DeviceOption::Value::kSize:
      return parseBytes(value).has_value();
    case DeviceOption::Value::kNumber:
      return parseNumber(value).has_value();
  }
  return false;
}

Status checkOptions(const DeviceKind& kind, const DeviceOptions& options) {
  for (const auto& [key, value] : options) {
    const auto known = std::ranges::find(kind.options, key, &DeviceOption::key);
    if (known == kind.options.end() || !hasForm(known->value, value)) {
      return unknownOption(kind, value.empty() ? key : key + "=" + value);
    }
  }
  return {};
}

std::string_view valueText(DeviceOption::Value value) {
  constexpr std::string_view kTexts[] = {"", "=<file>", "=<name or file>", "=<size>[K|M|G]",
                                         "=<number>"};
  return kTexts[static_cast<size_t>(value)];
}

const DeviceAlias* findAlias(const DeviceKind& kind, std::string_view name) {
  const auto found = std::ranges::find(kind.aliases, name, &DeviceAlias::name);
  return found == kind.aliases.end() ? nullptr : &*found;
}

}  // namespace

bool DeviceKind::hasOption(std::string_view key) const {
  return std::ranges::find(options, key, &DeviceOption::key) != options.end();
}

std::string DeviceKind::optionsText() const {
  std::string text;
  for (const DeviceOption& option : options) {
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", option.key, valueText(option.value));
  }
  return text;
}

bool registerDevice(DeviceKind kind) {
  std::vector<DeviceKind>& kinds = registry();
  if (findDeviceKind(kind.name) != nullptr) return true;
  const auto place = std::ranges::upper_bound(kinds, kind.order, {}, &DeviceKind::order);
  kinds.insert(place, std::move(kind));
  return true;
}

std::span<const DeviceKind> deviceKinds() { return registry(); }

const DeviceKind* findDeviceKind(std::string_view name) {
  const auto found = std::ranges::find_if(registry(), [&](const DeviceKind& kind) {
    const bool is_scheme = !kind.scheme.empty() && kind.scheme == name;
    return kind.name == name || is_scheme || findAlias(kind, name) != nullptr;
  });
  return found == registry().end() ? nullptr : &*found;
}

DeviceSpec withoutSelfTest(DeviceSpec spec) {
  const DeviceKind* kind = findDeviceKind(spec.name);
  if (kind != nullptr && kind->hasOption(kSelfTestOption)) {
    spec.options.try_emplace(std::string(kSelfTestOption), "never");
  }
  return spec;
}

Result<DeviceSpec> parseDeviceSpec(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  std::string_view rest = name.size() < text.size() ? text.substr(name.size() + 1) : "";
  DeviceSpec spec{std::string(name), {}};
  const DeviceKind* kind = findDeviceKind(name);
  if (kind == nullptr) return spec;  // createDevice knows what to say
  spec.name = kind->name;
  if (const DeviceAlias* alias = findAlias(*kind, name)) spec.options.emplace(alias->option, "");
  if (name == kind->scheme) {
    if (!rest.starts_with("//")) {
      return invalidArgument(
          fmt::format("device '{}': write {}://address, with options behind commas", text, name));
    }
    rest.remove_prefix(2);
    std::string address = nextOption(rest);
    if (!address.empty()) spec.options.emplace("address", std::move(address));
  }
  const bool first_may_be_value = !kind->first_option.empty();
  for (bool is_first = true; !rest.empty(); is_first = false) {
    std::string option = nextOption(rest);
    const bool is_value = is_first && first_may_be_value && !option.empty() &&
                          option.find('=') == std::string::npos && !kind->hasOption(option);
    if (is_value) option = std::string(kind->first_option) + "=" + option;
    const size_t equals = std::min(option.find('='), option.size());
    const bool is_cut_off = equals + 1 == option.size();
    if (equals == 0 || is_cut_off) return unknownOption(*kind, option);
    const std::string value = equals < option.size() ? option.substr(equals + 1) : "";
    if (!spec.options.emplace(option.substr(0, equals), value).second) {
      return invalidArgument(
          fmt::format("device '{}': option '{}' comes twice", name, option.substr(0, equals)));
    }
  }
  return spec;
}

Status checkDevice(const DeviceSpec& spec) {
  const DeviceKind* kind = findDeviceKind(spec.name);
  if (kind == nullptr) {
    const std::vector<std::string> known = namesOf(deviceKinds(), &DeviceKind::name);
    return notFound(fmt::format("unknown device '{}'; known: {}{}", spec.name,
                                fmt::join(known, ", "), suggestion(spec.name, known)));
  }
  VTA_RETURN_IF_ERROR(checkOptions(*kind, spec.options));
  return kind->check == nullptr ? Status() : kind->check(spec.options);
}

Result<std::unique_ptr<Device>> createDevice(const DeviceSpec& spec, const HwConfig& hw,
                                             const DeviceProgress& progress) {
  VTA_RETURN_IF_ERROR(checkDevice(spec));
  return findDeviceKind(spec.name)->create(spec.options, hw, progress);
}

Result<std::unique_ptr<Device>> createDevice(std::string_view spec, const HwConfig& hw,
                                             const DeviceProgress& progress) {
  VTA_ASSIGN_OR_RETURN(const DeviceSpec parsed, parseDeviceSpec(spec));
  return createDevice(parsed, hw, progress);
}

Result<HwConfig> readConfiguration(const DeviceSpec& spec) {
  VTA_RETURN_IF_ERROR(checkDevice(spec));
  const DeviceKind& kind = *findDeviceKind(spec.name);
  if (kind.configuration != nullptr) return kind.configuration(spec.options);
  return unsupported(
      fmt::format("device '{}' is no hardware: it has any configuration", spec.name));
}

std::optional<uint64_t> parseBytes(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value == 0) return std::nullopt;
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (unit.size() == 3 && unit.ends_with("iB")) unit.remove_suffix(2);
  constexpr std::string_view kUnits[] = {"", "K", "M", "G"};
  for (int i = 0; i < 4; ++i) {
    const int shift = 10 * i;
    if (unit == kUnits[i] && value <= (~uint64_t{0} >> shift)) return value << shift;
  }
  return std::nullopt;
}

uint64_t sizeOption(const DeviceOptions& options, std::string_view key, uint64_t otherwise) {
  const auto found = options.find(key);
  return found == options.end() ? otherwise : parseBytes(found->second).value_or(otherwise);
}

uint64_t numberOption(const DeviceOptions& options, std::string_view key, uint64_t otherwise) {
  const auto found = options.find(key);
  return found == options.end() ? otherwise : parseNumber(found->second).value_or(otherwise);
}

}  // namespace vta::driver
