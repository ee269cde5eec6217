#include "driver/devices/registry.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

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

Result<std::unique_ptr<Device>> createFunctional(std::string_view options, const HwConfig& hw) {
  constexpr std::string_view kMemory = "memory=";
  FunctionalDeviceOptions parsed;
  while (!options.empty()) {
    const std::string_view option = options.substr(0, options.find(','));
    options.remove_prefix(std::min(options.size(), option.size() + 1));
    if (option == "checked") {
      parsed.checked = true;
      continue;
    }
    if (option.starts_with(kMemory)) {
      if (const auto bytes = parseBytes(option.substr(kMemory.size()))) {
        parsed.memory_bytes = *bytes;
        continue;
      }
    }
    return invalidArgument(fmt::format(
        "device 'functional' has no option '{}'; legal: checked, memory=<size>[K|M|G]", option));
  }
  return FunctionalDevice::create(hw, parsed);
}

constexpr DeviceKind kKinds[] = {
    {"functional", "checked, memory=<size>[K|M|G]",
     "functional simulator: exact results, no timing", createFunctional},
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
