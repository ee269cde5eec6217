#include "tools/vta_tune/measurer.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "driver/device_registry.h"
#include "explore/tune/measure/device_measurer.h"
#include "explore/tune/measure/farm_measurer.h"
#include "explore/tune/measure/measure_work.h"
#include "explore/tune/measure/simulator.h"
#include "explore/workers/farm/farm.h"
#include "tools/common/commit.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"

namespace vta::tools {
namespace {

using launcher::Json;
using Milliseconds = std::chrono::milliseconds;

Result<std::unique_ptr<tune::Measurer>> deviceMeasurer(const std::string& device,
                                                       const HwConfig& hw, Milliseconds timeout,
                                                       int launches) {
  ProgressLine line;
  VTA_ASSIGN_OR_RETURN(auto made, driver::createDevice(device, hw, [&](const std::string& what) {
                         line.update(what, 0, 0);
                       }));
  line.clear();
  return tune::makeDeviceMeasurer(std::move(made), {.timeout = timeout, .launches = launches});
}

Milliseconds timeoutOf(const TuneToolOptions& options) {
  return Milliseconds(static_cast<int64_t>(options.timeout_seconds * 1e3));
}

/// What every worker has to know.
Json setupOf(const TuneToolOptions& options, const launcher::LauncherConfig& config,
             const HwConfig& hw) {
  return {{"version", toolVersion(kTuneTool)},
          {"processes", config.processes},
          {"timeout_ms", timeoutOf(options).count()},
          {"device", options.device},
          {"launches", options.launches},
          {"hw", hw.toYaml()}};
}

Result<std::unique_ptr<tune::Measurer>> measurerOfSetup(const Json& setup) {
  const Milliseconds timeout(setup.at("timeout_ms").get<int64_t>());
  const std::string device = setup.at("device");
  if (device.empty()) {
    return tune::makeSimulatorMeasurer(setup.at("processes"), {.timeout = timeout});
  }
  VTA_ASSIGN_OR_RETURN(const HwConfig hw,
                       parseHwConfig(setup.at("hw").get<std::string>(), "the farm's accelerator"));
  return deviceMeasurer(device, hw, timeout, setup.at("launches"));
}

Result<std::unique_ptr<tune::Measurer>> farmMeasurer(const TuneToolOptions& options,
                                                     const launcher::LauncherConfig& config,
                                                     const HwConfig& hw,
                                                     const std::atomic<bool>* stop) {
  VTA_ASSIGN_OR_RETURN(auto farm, startFarm(config, setupOf(options, config, hw), stop));
  return tune::makeFarmMeasurer(std::move(farm));
}

}  // namespace

Result<std::unique_ptr<tune::Measurer>> measurerOf(const TuneToolOptions& options,
                                                   const HwConfig& hw,
                                                   const std::atomic<bool>* stop) {
  VTA_ASSIGN_OR_RETURN(const launcher::LauncherConfig config, launcherOf(options.farm));
  if (config.kind != launcher::LauncherKind::kLocal) return farmMeasurer(options, config, hw, stop);
  if (!options.device.empty()) {
    return deviceMeasurer(options.device, hw, timeoutOf(options), options.launches);
  }
  int workers = options.workers > 0 ? options.workers : config.workers;
  if (workers == 0) workers = static_cast<int>(std::thread::hardware_concurrency());
  return tune::makeSimulatorMeasurer(workers, {.timeout = timeoutOf(options)});
}

Status beWorker(const std::string& place, const std::atomic<bool>* stop) {
  tune::MeasureWork work(toolVersion(kTuneTool), measurerOfSetup);
  return launcher::serveWorker(place, work, {.stop = stop});
}

}  // namespace vta::tools
