// Registers the remote device: "tcp://host:port,option".
#include <memory>

#include "driver/device_registry.h"
#include "driver/remote/client/remote_device.h"

namespace vta::remote {
namespace {

using driver::DeviceOptions;

Status checkOptions(const DeviceOptions& options) { return parseRemoteOptions(options).status(); }

Result<std::unique_ptr<driver::Device>> createFromOptions(
    const DeviceOptions& options, const HwConfig& hw, const driver::DeviceProgress& /*progress*/) {
  VTA_ASSIGN_OR_RETURN(const RemoteOptions parsed, parseRemoteOptions(options));
  return RemoteDevice::create(hw, parsed);
}

}  // namespace
}  // namespace vta::remote

// What a program that links this device names, so that the linker keeps it (CMakeLists.txt).
extern "C" {
extern const bool vta_device_remote;
const bool vta_device_remote = vta::driver::registerDevice(
    {.name = "remote",
     .description = "a device behind a vta-server, written tcp://host:port",
     .options = {{"address", vta::driver::DeviceOption::Value::kText},
                 {"board", vta::driver::DeviceOption::Value::kText},
                 {"token", vta::driver::DeviceOption::Value::kText},
                 {"tls"},
                 {"ca", vta::driver::DeviceOption::Value::kText},
                 {"cert", vta::driver::DeviceOption::Value::kText},
                 {"key", vta::driver::DeviceOption::Value::kText},
                 {"server-name", vta::driver::DeviceOption::Value::kText},
                 {"insecure"},
                 {"connect-timeout", vta::driver::DeviceOption::Value::kNumber},
                 {"answer-timeout", vta::driver::DeviceOption::Value::kNumber}},
     .aliases = {},
     .records_events = true,
     .scheme = "tcp",
     .order = 20,
     .check = vta::remote::checkOptions,
     .create = vta::remote::createFromOptions});
}
