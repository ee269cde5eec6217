// Cycles of networks on the cycle simulator, beside their bounds: each layer for itself, and all of
// them as one program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/kernel/cost_model.h"
#include "tests/compiler/kernel/cycle_runner.h"

namespace vta::kernel::testing {
namespace {

struct Options {
  std::string network = "resnet18";
  std::string hw = VTA_SOURCE_DIR "/configs/hw/default.yaml";
  std::string layer;
  bool json = false;
  bool one_thread = false;
};

struct Row {
  std::string name;
  double bound = 0;
  uint64_t cycles = 0;
  double estimate = 0;
  sim::CycleCounters counters;
  std::string schedule;
};

void print(const std::vector<Row>& rows, bool json) {
  nlohmann::ordered_json out;
  for (const Row& row : rows) {
    if (json) {
      out[row.name] = {{"bound", row.bound},
                       {"cycles", row.cycles},
                       {"estimate", row.estimate},
                       {"schedule", row.schedule}};
      continue;
    }
    const sim::CycleCounters& c = row.counters;
    fmt::print(
        "{:<22}{:>10.0f}{:>10}{:>7.1f}%{:>10.0f} gemm{:>9} alu{:>8} tok{:>8} mem{:>8} "
        "haz{:>8} {}\n",
        row.name, row.bound, row.cycles, 100.0 * row.bound / static_cast<double>(row.cycles),
        row.estimate, c.gemm_uops, c.alu_uops, c.compute.stall_token_cycles,
        c.compute.stall_memory_cycles, c.compute.stall_hazard_cycles, row.schedule);
  }
  if (json) fmt::print("{}\n", out.dump(1));
}

Result<std::vector<Row>> measure(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, loadHwConfig(options.hw));
  std::vector<NetworkLayer> layers =
      options.network == "resnet18" ? resnet18Network(hw) : mobilenetV2Network(hw);
  VTA_ASSIGN_OR_RETURN(std::vector<Schedule> schedules, defaultSchedules(layers, hw));
  if (options.one_thread) {
    for (Schedule& schedule : schedules) schedule.virtual_threads = 1;
  }
  VTA_ASSIGN_OR_RETURN(const NetworkProgram network, lowerNetwork(layers, schedules, hw));
  VTA_ASSIGN_OR_RETURN(CycleRunner runner, CycleRunner::create(hw));
  std::vector<Row> rows;
  Row sum;
  sum.name = "layers one by one";
  Row all;
  all.name = "network";
  for (size_t i = 0; i < layers.size(); ++i) {
    Row row;
    row.name = layers[i].desc.name;
    row.bound = boundOf(layers[i].desc, hw).cycles(hw);
    row.estimate = estimateCost(layers[i].desc, schedules[i], hw).cycles;
    row.schedule = schedules[i].toString();
    auto counters = runner.run(network.layers[i]);
    if (!counters.ok()) return counters.status().withContext(row.name);
    row.counters = *counters;
    row.cycles = counters->cycles;
    sum.cycles += row.cycles;
    all.bound += row.bound;
    all.estimate += row.estimate;
    rows.push_back(row);
  }
  VTA_ASSIGN_OR_RETURN(all.counters, runner.run(network.program, network.addresses));
  all.cycles = all.counters.cycles;
  sum.bound = all.bound;
  rows.push_back(sum);
  rows.push_back(all);
  return rows;
}

}  // namespace
}  // namespace vta::kernel::testing

int main(int argc, char** argv) {
  using vta::kernel::testing::Options;
  Options options;
  CLI::App app{"Cycles of a network's layers on the cycle simulator"};
  app.add_option("--network", options.network)->check(CLI::IsMember({"resnet18", "mobilenetv2"}));
  app.add_option("--hw", options.hw, "hardware configuration");
  app.add_flag("--json", options.json);
  app.add_flag("--one-thread", options.one_thread, "without virtual threads");
  CLI11_PARSE(app, argc, argv);
  const auto rows = vta::kernel::testing::measure(options);
  if (!rows.ok()) {
    std::fprintf(stderr, "bench_cycles: %s\n", rows.status().message().c_str());
    return 1;
  }
  vta::kernel::testing::print(*rows, options.json);
  return 0;
}
