// vta-server: offers the devices of this machine to other machines (docs/remote.md).
#include <fmt/format.h>

#include <csignal>
#include <memory>
#include <utility>
#include <vector>

#include "driver/device_registry.h"
#include "driver/remote/server/remote_server.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/print.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"
#include "tools/vta_server/options.h"

namespace vta::tools {
namespace {

Result<HwConfig> configurationOf(const ServedDevice& served) {
  return served.hw_file.empty() ? HwConfig::makeDefault() : loadHwConfig(served.hw_file);
}

Result<std::unique_ptr<remote::SharedDevice>> openDevice(const ServedDevice& served) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, configurationOf(served));
  VTA_ASSIGN_OR_RETURN(const driver::DeviceSpec spec, driver::parseDeviceSpec(served.spec));
  ProgressLine line;
  auto device =
      driver::createDevice(spec, hw, [&](const std::string& what) { line.update(what, 0, 0); });
  line.clear();
  if (!device.ok()) return device.status().withContext("--device " + served.spec);
  const bool is_simulator = driver::findDeviceKind(spec.name)->is_simulator;
  return std::make_unique<remote::SharedDevice>(served.name, *std::move(device), is_simulator);
}

/// A board is what its registers say; `hw` counts where they say nothing.
Result<std::unique_ptr<driver::Device>> openAsItIs(const driver::DeviceSpec& spec,
                                                   const HwConfig& hw) {
  auto found = driver::readConfiguration(spec);
  if (found.status().code() == StatusCode::kUnsupported) return driver::createDevice(spec, hw);
  VTA_RETURN_IF_ERROR(found.status());
  return driver::createDevice(spec, *found);
}

Result<std::unique_ptr<remote::SharedDevice>> openProgrammable(const ServedDevice& served) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, configurationOf(served));
  VTA_ASSIGN_OR_RETURN(const driver::DeviceSpec spec, driver::parseDeviceSpec(served.spec));
  return std::make_unique<remote::SharedDevice>(served.name,
                                                [spec, hw] { return openAsItIs(spec, hw); });
}

/// Opens a device, and prints what it is.
Result<std::unique_ptr<remote::SharedDevice>> offer(const ServedDevice& served) {
  VTA_ASSIGN_OR_RETURN(auto device,
                       served.is_programmable ? openProgrammable(served) : openDevice(served));
  if (const Status presence = device->presence(); !presence.ok()) {
    print("{}: waits for a bitstream\n", served.name);
    reportWarning(kServerTool, fmt::format("'{}': {}", served.name, presence.message()));
    return device;
  }
  print("{}: {} ({})\n", served.name, device->info().name, device->info().hw.summary());
  return device;
}

/// Signals that end the server; blocked in all its threads.
sigset_t blockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

Status serve(const ServerToolOptions& options) {
  const sigset_t signals = blockSignals();
  std::vector<std::unique_ptr<remote::SharedDevice>> devices;
  for (const ServedDevice& served : options.devices) {
    VTA_ASSIGN_OR_RETURN(auto device, offer(served));
    devices.push_back(std::move(device));
  }
  remote::ServerOptions server_options = options.server;
  server_options.log = [](const std::string& line) { reportWarning(kServerTool, line); };
  if (server_options.programming) {
    server_options.programming->log = [](const std::string& line) {
      print("{}\n", line);
      flushOutput();
    };
  }
  VTA_ASSIGN_OR_RETURN(const auto server,
                       remote::RemoteServer::start(server_options, std::move(devices)));
  print("listening at tcp://{}\n", server->address().text());
  flushOutput();
  int signal = 0;
  sigwait(&signals, &signal);
  return {};
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  return runTool<ServerToolOptions>(kServerTool, argc, argv, parseServerOptions, serve);
}
