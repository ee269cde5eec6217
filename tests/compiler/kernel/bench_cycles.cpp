// Cycles of networks on the cycle simulator, beside their bounds: each layer for itself, and all of
// them as one program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/cost_model.h"
#include "isa/assembler.h"
#include "tests/compiler/kernel/cycle_runner.h"

namespace vta::kernel::testing {
namespace {

struct Options {
  std::string network = "resnet18";
  std::string hw = VTA_SOURCE_DIR "/configs/hw/default.yaml";
  std::string trace;  // a layer's name
  bool json = false;
  bool one_thread = false;
  size_t search = 0;  // schedules of each layer to simulate
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

// When each instruction of a layer started and retired.
void printTrace(const Program& program, const sim::Recording& recording) {
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const sim::InstructionTimes& times = recording.instructions[i];
    fmt::print("{:>6}{:>10}{:>10}  {:<8}{}\n", i, times.started, times.retired,
               unitName(program.instructions[i].unit()), disassemble(program.instructions[i]));
  }
}

// The best schedule that simulation finds among the `options.search` with the smallest estimates.
Result<Row> searchLayer(const KernelDesc& desc, const HwConfig& hw, const Options& options,
                        CycleRunner& runner) {
  std::vector<std::pair<double, Schedule>> candidates;
  for (const Schedule& schedule : enumerateSchedules(desc, hw)) {
    candidates.emplace_back(estimateCost(desc, schedule, hw).cycles, schedule);
  }
  std::ranges::stable_sort(candidates, {}, &std::pair<double, Schedule>::first);
  candidates.resize(std::min(candidates.size(), options.search));
  Row best;
  for (const auto& [estimate, schedule] : candidates) {
    VTA_ASSIGN_OR_RETURN(const Program program, lower(desc, schedule, hw));
    VTA_ASSIGN_OR_RETURN(const sim::CycleCounters counters, runner.run(program));
    if (best.cycles != 0 && counters.cycles >= best.cycles) continue;
    best.cycles = counters.cycles;
    best.counters = counters;
    best.estimate = estimate;
    best.schedule = schedule.toString();
  }
  best.name = "  best of search";
  best.bound = boundOf(desc, hw).cycles(hw);
  return best;
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
  std::vector<KernelDesc> searched;
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
    sim::Recording recording;
    const bool trace = options.trace == row.name;
    auto counters = runner.run(network.layers[i], trace ? &recording : nullptr);
    if (trace) printTrace(network.layers[i], recording);
    if (!counters.ok()) return counters.status().withContext(row.name);
    row.counters = *counters;
    row.cycles = counters->cycles;
    sum.cycles += row.cycles;
    all.bound += row.bound;
    all.estimate += row.estimate;
    rows.push_back(row);
    KernelDesc shape = layers[i].desc;
    shape.name.clear();
    if (options.search > 0 && std::ranges::find(searched, shape) == searched.end()) {
      searched.push_back(shape);
      VTA_ASSIGN_OR_RETURN(const Row best, searchLayer(layers[i].desc, hw, options, runner));
      rows.push_back(best);
      print({row, best}, false);
      std::fflush(stdout);
    }
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
  app.add_option("--trace", options.trace, "print the times of this layer's instructions");
  app.add_flag("--json", options.json);
  app.add_flag("--one-thread", options.one_thread, "without virtual threads");
  app.add_option("--search", options.search,
                 "also simulate each layer's schedules with the smallest estimates, so many");
  CLI11_PARSE(app, argc, argv);
  const auto rows = vta::kernel::testing::measure(options);
  if (!rows.ok()) {
    std::fprintf(stderr, "bench_cycles: %s\n", rows.status().message().c_str());
    return 1;
  }
  vta::kernel::testing::print(*rows, options.json);
  return 0;
}
