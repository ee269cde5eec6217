// What hand-overs are worth: pairs of layers of a network as chains, each pair as one program,
// beside the two layers by themselves.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/integer_math.h"
#include "compiler/kernel/chain/chain_chooser.h"
#include "compiler/kernel/desc/depthwise_fold.h"
#include "compiler/kernel/lower.h"
#include "sim/memory/memory_config.h"
#include "tests/compiler/kernel/cycles/network_program.h"

namespace vta::kernel::testing {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> networks = {"mobilenetv2"};
  std::vector<std::string> hws = {VTA_SOURCE_DIR "/configs/hw/default.yaml"};
  std::vector<std::string> memories = {"simple"};
  int trials = kChainTrials;
};

/// The layer as the compiler has it where an element of OUT is several of INP: they are columns of
/// the pixel.
KernelDesc readStored(KernelDesc desc, const HwConfig& hw) {
  const int64_t parts = hw.blockOut() / hw.blockIn();
  if (desc.kind != KernelKind::kContraction || parts < 2) return desc;
  Geometry& g = desc.geometry;
  const bool is_depthwise = g.groups > 1;
  g.fold_taps = g.fold_pitch = 1;
  g.in_channel_blocks = ceilDiv(g.in_channel_blocks, parts);
  if (is_depthwise) g.in_channel_blocks = g.groups = g.out_channel_blocks;
  g.in_width *= parts;
  g.kernel_width *= parts;
  g.stride_x *= parts;
  g.pad_left *= parts;
  g.pad_right *= parts;
  const auto folded = is_depthwise ? foldGeometry(desc, hw) : std::nullopt;
  return folded ? *folded : desc;
}

/// The only layer that reads what layer `number` makes; none where others do, or it adds it.
std::optional<size_t> onlyReader(const std::vector<NetworkLayer>& layers, size_t number) {
  const int tensor = static_cast<int>(number) + 1;
  std::optional<size_t> reader;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].input != tensor && layers[i].residual != tensor) continue;
    if (reader || layers[i].residual == tensor || layers[i].after_host) return std::nullopt;
    reader = i;
  }
  return reader;
}

/// The pairs of which the second layer is the only reader of the first one, and follows it.
std::vector<KernelPair> pairsOf(const std::vector<NetworkLayer>& layers) {
  std::vector<KernelPair> pairs;
  for (size_t i = 0; i + 1 < layers.size(); ++i) {
    if (onlyReader(layers, i) == i + 1) pairs.push_back({i, i + 1});
  }
  return pairs;
}

Result<Json> measure(const std::string& name, const HwConfig& hw, const sim::MemoryConfig& memory,
                     int trials) {
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, sim::ProgramTimer::create(hw, memory));
  std::vector<NetworkLayer> layers = networks().at(name)(hw);
  for (NetworkLayer& layer : layers) layer.desc = readStored(layer.desc, hw);
  VTA_ASSIGN_OR_RETURN(const std::vector<Schedule> schedules, chooseSchedules(layers, hw, &timer));
  std::vector<ScheduledKernel> kernels;
  std::vector<uint64_t> alone;
  for (size_t i = 0; i < layers.size(); ++i) {
    kernels.push_back({layers[i].desc, schedules[i]});
    VTA_ASSIGN_OR_RETURN(const Program program, lower(layers[i].desc, schedules[i], hw));
    VTA_ASSIGN_OR_RETURN(const LaunchCounters counters, timer.run(program));
    alone.push_back(counters.cycles);
  }
  ScheduleHints hints;
  hints.measure = [&timer](const Program& program, uint64_t most) {
    return timer.cyclesUpTo(program, most);
  };
  VTA_ASSIGN_OR_RETURN(const std::vector<ChosenChain> chains,
                       chooseChains(kernels, pairsOf(layers), hw, hints, trials));
  const uint64_t cycles = std::accumulate(alone.begin(), alone.end(), uint64_t{0});
  Json row = {{"apart_cycles", cycles}, {"pairs", chains.size()}, {"best", "none"}};
  uint64_t won = 0;
  double most = 0;
  for (const ChosenChain& chain : chains) {
    const uint64_t apart = alone[chain.pair.producer] + alone[chain.pair.consumer];
    const std::string& first = layers[chain.pair.producer].desc.name;
    const double share = static_cast<double>(chain.won_cycles) / static_cast<double>(apart);
    fmt::print(stderr, "{}: {:.1f} % of {} cycles, with {}\n", first, 100 * share, apart,
               chain.schedule.toString());
    won += chain.won_cycles;
    if (share <= most) continue;
    most = share;
    row["best"] = fmt::format("{}: {:.1f} %", first, 100 * most);
  }
  row["chain_cycles"] = cycles - won;
  row["won_cycles"] = won;
  return row;
}

Status run(const Options& options) {
  Json rows = Json::object();
  for (const std::string& file : options.hws) {
    VTA_ASSIGN_OR_RETURN(const HwConfig without, loadHwConfig(file));
    HwParams params = without.params();
    params.ext_handover = true;
    VTA_ASSIGN_OR_RETURN(const HwConfig hw, HwConfig::create(params));
    for (const std::string& spec : options.memories) {
      VTA_ASSIGN_OR_RETURN(const sim::MemoryConfig memory, sim::resolveMemoryConfig(spec));
      for (const std::string& network : options.networks) {
        const std::string name = fmt::format("{}, {}, {}", network, hw.name(),
                                             std::filesystem::path(spec).stem().string());
        VTA_ASSIGN_OR_RETURN(rows[name], measure(network, hw, memory, options.trials));
      }
    }
  }
  fmt::print("{}\n", rows.dump(1));
  return {};
}

}  // namespace
}  // namespace vta::kernel::testing

int main(int argc, char** argv) {
  vta::kernel::testing::Options options;
  CLI::App app{"Cycles of pairs of layers with a hand-over between them, as JSON"};
  app.add_option("--network", options.networks)
      ->check(CLI::IsMember(vta::kernel::testing::networks()));
  app.add_option("--hw", options.hws, "accelerators; they get extension handover");
  app.add_option("--dram", options.memories, "memories");
  app.add_option("--trials", options.trials, "schedules of each pair that are measured")
      ->check(CLI::Range(1, 1000000));
  CLI11_PARSE(app, argc, argv);
  const vta::Status status = vta::kernel::testing::run(options);
  if (status.ok()) return 0;
  fmt::print(stderr, "bench_handover: {}\n", status.message());
  return 1;
}
