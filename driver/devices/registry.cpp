#include "driver/devices/registry.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

#include "driver/devices/cycle_device.h"
#include "driver/devices/functional_device.h"

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

Result<std::unique_ptr<Device>> createFunctional(std::string_view options, const HwConfig& hw) {
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

Result<std::unique_ptr<Device>> createCycle(std::string_view options, const HwConfig& hw) {
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

constexpr DeviceKind kKinds[] = {
    {"functional", kFunctionalOptions, "functional simulator: exact results, no timing",
     createFunctional},
    {"cycle", kCycleOptions, "cycle simulator: exact results, exact cycle counts", createCycle},
};

}  // namespace

std::span<const DeviceKind> deviceKinds() { return kKinds; }

Result<std::unique_ptr<Device>> createDevice(std::string_view spec, const HwConfig& hw) {
  const std::string_view name = spec.substr(0, spec.find(':'));
  const std::string_view options =
      name.size() < spec.size() ? spec.substr(name.size() + 1) : std::string_view();
  std::string known;
  for (const DeviceKind& kind : kKinds) {
    if (kind.name == name) return kind.create(options, hw);
    known += known.empty() ? "" : ", ";
    known += kind.name;
  }
  return notFound(fmt::format("unknown device '{}'; known: {}", name, known));
}

}  // namespace vta::driver
