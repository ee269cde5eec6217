#include "tools/vta_tune/device_memory.h"

#include <fmt/format.h>

#include "driver/device_registry.h"
#include "sim/memory/memory_config.h"

namespace vta::tools {
namespace {

constexpr const char* kOption = "dram";

/// As a value in the text of a device.
std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : value) {
    if (c == ',' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

std::string agreeOnMemory(TuneToolOptions& options) {
  const auto spec = driver::parseDeviceSpec(options.device);
  if (!spec.ok()) return "--device: " + spec.status().message();
  const driver::DeviceKind* kind = driver::findDeviceKind(spec->name);
  if (kind == nullptr || !kind->hasOption(kOption)) return "";
  const auto own = spec->options.find(kOption);
  if (own == spec->options.end()) {
    if (options.memories.empty()) return "";
    const char* separator = spec->options.empty() ? ":" : ",";
    options.device += fmt::format("{}{}={}", separator, kOption, escaped(options.memories.front()));
    return "";
  }
  if (options.memories.empty()) {
    options.memories.push_back(own->second);
    return "";
  }
  const auto wanted = sim::resolveMemoryConfig(options.memories.front());
  if (!wanted.ok()) return "--dram: " + wanted.status().message();
  auto measured = sim::resolveMemoryConfig(own->second);
  if (!measured.ok()) return "--device: " + measured.status().message();
  measured->name = wanted->name;  // only the timing counts
  if (*wanted == *measured) return "";
  return fmt::format("--device measures with the memory '{}', and --dram names '{}': leave one out",
                     own->second, options.memories.front());
}

}  // namespace vta::tools
