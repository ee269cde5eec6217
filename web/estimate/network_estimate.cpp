#include "web/estimate/network_estimate.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "explore/sweep/evaluate/time_shares.h"
#include "explore/sweep/network/compilers_chooser.h"
#include "explore/sweep/network/network_run.h"
#include "explore/sweep/network/outline_work.h"
#include "explore/tune/task/task.h"
#include "isa/spec/memory_ports.h"

namespace vta::web {
namespace {

using compiler::ModuleOutline;
using Json = nlohmann::ordered_json;

// Beside tensors the device holds programs and the lowering's constants.
constexpr uint64_t kProgramBytes = uint64_t{64} << 20;

/// Enough for what a session allocates: addresses do not depend on it.
uint64_t deviceBytes(const ModuleInfo& info) {
  uint64_t bytes = kProgramBytes + info.deviceArenaBytes();
  for (const TensorInfo& tensor : info.tensors) {
    const SpaceInfo& space = info.spaceOf(tensor);
    if (!info.isOnCpu(tensor) && space.contents == SpaceInfo::Contents::kConstants) {
      bytes += tensor.size_bytes + space.alignment_bytes;
    }
  }
  return bytes;
}

Result<std::vector<kernel::Schedule>> chooseSchedules(const ModuleOutline& outline,
                                                      const EstimateRequest& request) {
  VTA_ASSIGN_OR_RETURN(kernel::ScheduleChooser chooser,
                       sweep::compilersChooser(request.hw, request.memory, request.simulates));
  std::vector<kernel::Schedule> schedules;
  for (const compiler::OutlinedKernel& kernel : outline.kernels) {
    const auto chosen = chooser.choose(kernel.desc);
    if (!chosen.ok()) {
      return chosen.status().withContext(fmt::format("layer '{}'", kernel.desc.name));
    }
    schedules.push_back(chosen->schedule);
  }
  return schedules;
}

/// Figures of a network or layer.
class Work {
 public:
  explicit Work(const EstimateRequest& request)
      : request_(request), beat_(tune::memoryTraits(request.memory, request.hw).cycles_per_beat) {}

  Json json(int64_t macs, const LaunchCounters& counters) const {
    const sweep::TimeShares shares = sweep::sharesOf(counters, macs, request_.hw, beat_);
    return {{"macs", macs},
            {"cycles", counters.cycles},
            {"read_bytes",
             counters.fetch.read_bytes + counters.load.read_bytes + counters.compute.read_bytes},
            {"write_bytes", counters.store.write_bytes},
            {"time",
             {{"array", shares.array},
              {"lanes", shares.lanes},
              {"alu", shares.alu},
              {"bus", shares.bus},
              {"latency", shares.latency},
              {"control", shares.control}}},
            {"limit", shares.limit}};
  }

  Json roofs() const {
    const HwParams& p = request_.hw.params();
    return {{"macs_per_cycle", p.batch * p.block_in * p.block_out},
            {"bytes_per_cycle", p.axi_data_width_bits / 8.0 * memoryPorts(p).readPorts() / beat_}};
  }

 private:
  const EstimateRequest& request_;
  double beat_;
};

Json hostLayers(const ModuleOutline& outline) {
  Json layers = Json::array();
  for (const StepInfo& step : outline.info.steps) {
    const LayerInfo& layer = outline.info.layers[step.layer];
    if (outline.info.isOnCpu(step)) layers.push_back({{"layer", layer.name}, {"macs", layer.macs}});
  }
  return layers;
}

}  // namespace

Result<Json> estimateNetwork(const ModuleOutline& outline, const EstimateRequest& request) {
  VTA_ASSIGN_OR_RETURN(const auto schedules, chooseSchedules(outline, request));
  const sweep::NetworkRunner runner(request.hw, request.memory, deviceBytes(outline.info));
  VTA_ASSIGN_OR_RETURN(const sweep::NetworkRun run, runner.run(outline, schedules));
  VTA_ASSIGN_OR_RETURN(const sweep::NetworkRun alone, runner.runAlone(outline, schedules));

  const sweep::OutlineWork outlined = sweep::workOf(outline);
  const Work work(request);
  Json json = work.json(outlined.macs_on_vta, run.counters);
  json["clock_mhz"] = request.hw.params().clockMhz();
  json["launches"] = run.launches.size();
  json["macs_on_cpu"] = outlined.macs_on_cpu;
  json["program_bytes"] = run.program_bytes;
  json["activation_bytes"] = outlined.activation_bytes;
  json["roofs"] = work.roofs();
  json["layers"] = Json::array();
  for (size_t i = 0; i < outline.kernels.size(); ++i) {
    const LayerInfo& layer = outline.info.layers[outline.info.steps[outline.kernels[i].step].layer];
    Json entry = {{"layer", layer.name}};
    entry.update(work.json(layer.macs, alone.launches[i]));
    json["layers"].push_back(std::move(entry));
  }
  json["host_layers"] = hostLayers(outline);
  return json;
}

}  // namespace vta::web
