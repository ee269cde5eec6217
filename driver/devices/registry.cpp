#include "driver/devices/registry.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

#include "driver/devices/cycle_device.h"
#include "driver/devices/functional_device.h"
#include "driver/devices/rtl_device.h"

namespace vta::driver {
namespace {

/// "256M" in bytes; nullopt when it is no such size.
std::optional<uint64_t> parseBytes(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value == 0) return std::nullopt;
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  constexpr std::string_view kUnits[] = {"", "K", "M", "G"};
  for (int i = 0; i < 4; ++i) {
    const int shift = 10 * i;
    if (unit == kUnits[i] && value <= (~uint64_t{0} >> shift)) return value << shift;
  }
  return std::nullopt;
}

/// Takes the next of the options that commas separate.
std::string_view nextOption(std::string_view& options) {
  const std::string_view option = options.substr(0, options.find(','));
  options.remove_prefix(std::min(options.size(), option.size() + 1));
  return option;
}

/// Sets `bytes` when `option` is memory=<size>.
bool parseMemoryOption(std::string_view option, uint64_t& bytes) {
  constexpr std::string_view kMemory = "memory=";
  if (!option.starts_with(kMemory)) return false;
  const auto size = parseBytes(option.substr(kMemory.size()));
  bytes = size.value_or(bytes);
  return size.has_value();
}

Status unknownOption(std::string_view device, std::string_view option, std::string_view legal) {
  return invalidArgument(
      fmt::format("device '{}' has no option '{}'; legal: {}", device, option, legal));
}

constexpr std::string_view kFunctionalOptions = "checked, memory=<size>[K|M|G]";

Result<std::unique_ptr<Device>> createFunctional(std::string_view options, const HwConfig& hw,
                                                 const DeviceProgress& /*progress*/) {
  FunctionalDeviceOptions parsed;
  while (!options.empty()) {
    const std::string_view option = nextOption(options);
    if (option == "checked") {
      parsed.checked = true;
    } else if (!parseMemoryOption(option, parsed.memory_bytes)) {
      return unknownOption("functional", option, kFunctionalOptions);
    }
  }
  return FunctionalDevice::create(hw, parsed);
}

constexpr std::string_view kCycleOptions = "timing-only, dram=<name or file>, memory=<size>[K|M|G]";

Result<std::unique_ptr<Device>> createCycle(std::string_view options, const HwConfig& hw,
                                            const DeviceProgress& /*progress*/) {
  constexpr std::string_view kDram = "dram=";
  CycleDeviceOptions parsed;
  while (!options.empty()) {
    const std::string_view option = nextOption(options);
    if (option == "timing-only") {
      parsed.timing_only = true;
    } else if (option.starts_with(kDram)) {
      VTA_ASSIGN_OR_RETURN(parsed.dram, sim::resolveMemoryConfig(option.substr(kDram.size())));
    } else if (!parseMemoryOption(option, parsed.memory_bytes)) {
      return unknownOption("cycle", option, kCycleOptions);
    }
  }
  return CycleDevice::create(hw, parsed);
}

constexpr std::string_view kRtlOptions =
    "checked, dram=<name or file>, max-cycles=<number>, memory=<size>[K|M|G], waves=<file>, "
    "waves-from=<number>, waves-to=<number>";

template <typename Number>
bool parseNumber(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// False when `option` is none of `rtl`.
Result<bool> parseRtlOption(std::string_view option, RtlDeviceOptions& parsed) {
  const size_t equals = std::min(option.find('='), option.size());
  const std::string_view key = option.substr(0, equals);
  const std::string_view value = option.substr(std::min(equals + 1, option.size()));
  if (key == "dram") {
    VTA_ASSIGN_OR_RETURN(parsed.rtl.memory, sim::resolveMemoryConfig(value));
    return true;
  }
  if (key == "waves" && !value.empty()) {
    parsed.rtl.waves = value;
    parsed.rtl.variant = sim::ModelVariant::kWaves;
    return true;
  }
  if (option == "checked") {
    parsed.rtl.variant = sim::ModelVariant::kChecked;
    return true;
  }
  if (key == "max-cycles") return parseNumber(value, parsed.rtl.max_cycles);
  if (key == "waves-from") return parseNumber(value, parsed.rtl.waves_from);
  if (key == "waves-to") return parseNumber(value, parsed.rtl.waves_to);
  return parseMemoryOption(option, parsed.memory_bytes);
}

Result<std::unique_ptr<Device>> createRtl(std::string_view options, const HwConfig& hw,
                                          const DeviceProgress& progress) {
  const std::string name = options.empty() ? "rtl" : fmt::format("rtl:{}", options);
  RtlDeviceOptions parsed;
  parsed.progress = progress;
  while (!options.empty()) {
    const std::string_view option = nextOption(options);
    VTA_ASSIGN_OR_RETURN(const bool known, parseRtlOption(option, parsed));
    if (!known) return unknownOption("rtl", option, kRtlOptions);
  }
  return RtlDevice::create(name, hw, parsed);
}

constexpr DeviceKind kKinds[] = {
    {"functional", kFunctionalOptions, "functional simulator: exact results, no timing",
     createFunctional},
    {"cycle", kCycleOptions, "cycle simulator: exact results, exact cycle counts", createCycle},
    {"rtl", kRtlOptions, "the Verilated RTL: the hardware itself, cycle by cycle", createRtl},
};

}  // namespace

std::span<const DeviceKind> deviceKinds() { return kKinds; }

Result<std::unique_ptr<Device>> createDevice(std::string_view spec, const HwConfig& hw,
                                             const DeviceProgress& progress) {
  const std::string_view name = spec.substr(0, spec.find(':'));
  const std::string_view options =
      name.size() < spec.size() ? spec.substr(name.size() + 1) : std::string_view();
  std::string known;
  for (const DeviceKind& kind : kKinds) {
    if (kind.name == name) return kind.create(options, hw, progress);
    known += known.empty() ? "" : ", ";
    known += kind.name;
  }
  return notFound(fmt::format("unknown device '{}'; known: {}", name, known));
}

}  // namespace vta::driver
