// Registers the remote device: "tcp://host:port,option".
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "driver/device_registry.h"
#include "driver/remote/client/remote_device.h"

namespace vta::remote {
namespace {

using driver::DeviceOptions;

std::string textOf(const DeviceOptions& options, std::string_view key) {
  const auto found = options.find(key);
  return found == options.end() ? std::string() : found->second;
}

Result<RemoteOptions> parseOptions(const DeviceOptions& options) {
  const std::string address = textOf(options, "address");
  if (address.empty()) {
    return invalidArgument("device 'remote' needs an address: write tcp://host:port");
  }
  RemoteOptions parsed;
  VTA_ASSIGN_OR_RETURN(parsed.address, parseHostPort(address));
  parsed.board = textOf(options, "board");
  parsed.ca = textOf(options, "ca");
  parsed.certificate = textOf(options, "cert");
  parsed.key = textOf(options, "key");
  parsed.server_name = textOf(options, "server-name");
  parsed.token_file = textOf(options, "token");
  parsed.use_tls = options.contains("tls") || !parsed.ca.empty() || !parsed.certificate.empty();
  parsed.is_insecure = options.contains("insecure");
  constexpr uint64_t kMostMs = 3'600'000;
  const auto timeout_ms = driver::numberOption(
      options, "connect-timeout", static_cast<uint64_t>(parsed.connect_timeout.count()));
  if (timeout_ms == 0 || timeout_ms > kMostMs) {
    return invalidArgument("device 'remote': connect-timeout is from 1 to 3600000 milliseconds");
  }
  parsed.connect_timeout = std::chrono::milliseconds(timeout_ms);
  if (parsed.certificate.empty() != parsed.key.empty()) {
    return invalidArgument("device 'remote': cert and key need each other");
  }
  if (!parsed.server_name.empty() && !parsed.use_tls) {
    return invalidArgument("device 'remote': server-name needs tls or ca=FILE");
  }
  return parsed;
}

Status checkOptions(const DeviceOptions& options) { return parseOptions(options).status(); }

Result<std::unique_ptr<driver::Device>> createFromOptions(
    const DeviceOptions& options, const HwConfig& hw, const driver::DeviceProgress& /*progress*/) {
  VTA_ASSIGN_OR_RETURN(const RemoteOptions parsed, parseOptions(options));
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
                 {"connect-timeout", vta::driver::DeviceOption::Value::kNumber}},
     .aliases = {},
     .records_events = true,
     .scheme = "tcp",
     .order = 20,
     .check = vta::remote::checkOptions,
     .create = vta::remote::createFromOptions});
}
