// The kind "xrt" among the devices.
#include <fmt/format.h>

#include "driver/device_registry.h"
#include "driver/xrt/xrt_device.h"

namespace vta::driver {
namespace {

constexpr uint64_t kMostCards = 256;

Result<CardOptions> parseOptions(const DeviceOptions& options) {
  CardOptions parsed;
  const auto text = [&](std::string_view key) {
    const auto found = options.find(key);
    return found == options.end() ? std::string() : found->second;
  };
  const uint64_t card = numberOption(options, "card", 0);
  if (card >= kMostCards) {
    return invalidArgument(
        fmt::format("device 'xrt': card={}; legal: 0 to {}", card, kMostCards - 1));
  }
  parsed.card = static_cast<uint32_t>(card);
  parsed.container = text("xclbin");
  if (parsed.container.empty()) {
    return invalidArgument(
        "device 'xrt': which container? Write xrt:0,xclbin=<file>; XRT loads it only when the card "
        "holds another one");
  }
  parsed.ip = text("ip");
  parsed.memory = text("memory");
  VTA_ASSIGN_OR_RETURN(parsed.first_contact, parseFirstContact("xrt", options));
  parsed.lock_timeout = std::chrono::milliseconds(numberOption(options, "lock-wait", 0));
  parsed.busy_timeout = std::chrono::milliseconds(
      numberOption(options, "busy-wait", static_cast<uint64_t>(parsed.busy_timeout.count())));
  return parsed;
}

Status checkOptions(const DeviceOptions& options) { return parseOptions(options).status(); }

Result<HwConfig> readHardware(const DeviceOptions& options) {
  VTA_ASSIGN_OR_RETURN(const CardOptions parsed, parseOptions(options));
  return XrtDevice::configuration(parsed);
}

Result<std::unique_ptr<Device>> createFromOptions(const DeviceOptions& options, const HwConfig& hw,
                                                  const DeviceProgress& /*progress*/) {
  VTA_ASSIGN_OR_RETURN(const CardOptions parsed, parseOptions(options));
  return XrtDevice::create(hw, parsed);
}

}  // namespace
}  // namespace vta::driver

// What a program that links this device names, so that the linker keeps it (CMakeLists.txt).
extern "C" {
extern const bool vta_device_xrt;
const bool vta_device_xrt = vta::driver::registerDevice(
    {.name = "xrt",
     .description = "the core as a kernel on a card, through XRT",
     .options = {{"card", vta::driver::DeviceOption::Value::kNumber},
                 {"xclbin", vta::driver::DeviceOption::Value::kText},
                 {"ip", vta::driver::DeviceOption::Value::kText},
                 {"memory", vta::driver::DeviceOption::Value::kText},
                 {"self-test", vta::driver::DeviceOption::Value::kText},
                 {"lock-wait", vta::driver::DeviceOption::Value::kNumber},
                 {"busy-wait", vta::driver::DeviceOption::Value::kNumber}},
     .aliases = {},
     .first_option = "card",
     .order = 11,
     .check = vta::driver::checkOptions,
     .configuration = vta::driver::readHardware,
     .create = vta::driver::createFromOptions});
}
