// Cycles of networks on the cycle simulator, beside their bounds: each layer for itself, and all of
// them in as few launches as there can be.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/kernel/schedule/cost_model.h"
#include "isa/program/text/assembler.h"
#include "tests/compiler/kernel/cycles/network_program.h"
#include "tests/compiler/kernel/cycles/savings.h"

namespace vta::kernel::testing {
namespace {

struct Options {
  std::string network = "resnet18";
  std::string hw = VTA_SOURCE_DIR "/configs/hw/default.yaml";
  std::string trace;  // a layer's name
  bool json = false;
  bool one_thread = false;
  bool estimated = false;  // schedules by the analytic model alone
  std::vector<std::string> without;
};

struct Row {
  std::string name;
  double bound = 0;
  double estimate = 0;
  int64_t macs = 0;
  int64_t kernel = 0;  // columns of the kernel, and from one to the next
  int64_t stride = 0;
  uint64_t uop_bytes = 0;  // that are loaded
  LaunchCounters counters;
  std::string schedule;
};

/// Bytes that LOADs of micro-ops read.
uint64_t uopBytes(const Program& program, const HwConfig& hw) {
  uint64_t uops = 0;
  for (const Instruction& instruction : program.instructions) {
    const auto* mem = std::get_if<MemInsn>(&instruction.body);
    if (mem == nullptr || mem->memory_type != MemoryType::kUop) continue;
    uops += uint64_t{mem->y_size} * mem->x_size;
  }
  return uops * hw.uopBytes();
}

nlohmann::ordered_json toJson(const Row& row, const HwConfig& hw) {
  const LaunchCounters& c = row.counters;
  const double array = hw.batch() * hw.blockIn() * hw.blockOut();
  const uint64_t read_bytes = c.fetch.read_bytes + c.load.read_bytes + c.compute.read_bytes;
  return {{"bound", row.bound},
          {"cycles", c.cycles},
          {"estimate", row.estimate},
          {"schedule", row.schedule},
          {"macs", row.macs},
          {"kernel", row.kernel},
          {"stride", row.stride},
          {"array_macs", static_cast<double>(c.cycles) * array},
          {"bus_bytes", c.cycles * hw.params().axi_data_width_bits / 8},
          {"read_bytes", read_bytes},
          {"write_bytes", c.store.write_bytes},
          {"fetch_bytes", c.fetch.read_bytes},
          {"uop_bytes", row.uop_bytes}};
}

void print(const std::vector<Row>& rows, const HwConfig& hw, bool json) {
  nlohmann::ordered_json out;
  for (const Row& row : rows) {
    if (json) {
      out[row.name] = toJson(row, hw);
      continue;
    }
    const LaunchCounters& c = row.counters;
    fmt::print(
        "{:<22}{:>10.0f}{:>10}{:>7.1f}%{:>10.0f} gemm{:>9} alu{:>8} tok{:>8} mem{:>8} "
        "haz{:>8} {}\n",
        row.name, row.bound, c.cycles, 100.0 * row.bound / static_cast<double>(c.cycles),
        row.estimate, c.gemm_uops, c.alu_uops, c.compute.stall_token_cycles,
        c.compute.stall_memory_cycles, c.compute.stall_hazard_cycles, row.schedule);
  }
  if (json) fmt::print("{}\n", out.dump(1));
}

// When each instruction of a layer started and retired.
void printTrace(const Program& program, const Recording& recording) {
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const InstructionTimes& times = recording.instructions[i];
    fmt::print("{:>6}{:>10}{:>10}  {:<8}{}\n", i, times.started, times.retired,
               unitName(program.instructions[i].unit()), disassemble(program.instructions[i]));
  }
}

Result<std::vector<Row>> measure(const Options& options, const HwConfig& hw) {
  std::vector<NetworkLayer> layers = networks().at(options.network)(hw);
  for (const std::string& saving : options.without) removeFrom(layers, saving);
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, sim::ProgramTimer::create(hw));
  VTA_ASSIGN_OR_RETURN(std::vector<Schedule> schedules,
                       chooseSchedules(layers, hw, options.estimated ? nullptr : &timer));
  for (const std::string& saving : options.without) removeFrom(schedules, saving, layers, hw);
  if (options.one_thread) {
    for (Schedule& schedule : schedules) schedule.virtual_threads = 1;
  }
  VTA_ASSIGN_OR_RETURN(const NetworkProgram network, lowerNetwork(layers, schedules, hw));
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
    row.macs = layers[i].macs;
    row.kernel = layers[i].desc.geometry.kernel_width;
    row.stride = layers[i].desc.geometry.stride_x;
    row.schedule = schedules[i].toString();
    row.uop_bytes = uopBytes(network.layers[i], hw);
    Recording recording;
    const bool trace = options.trace == row.name;
    auto counters = timer.run(network.layers[i], trace ? &recording : nullptr);
    if (trace) printTrace(network.layers[i], recording);
    if (!counters.ok()) return counters.status().withContext(row.name);
    row.counters = *counters;
    sum.counters.cycles += counters->cycles;
    sum.uop_bytes += row.uop_bytes;
    all.bound += row.bound;
    all.estimate += row.estimate;
    all.macs += row.macs;
    rows.push_back(row);
  }
  VTA_ASSIGN_OR_RETURN(all.counters, runNetwork(network, timer));
  for (const NetworkLaunch& launch : network.launches) {
    all.uop_bytes += uopBytes(launch.program, hw);
  }
  sum.bound = all.bound;
  sum.macs = all.macs;
  rows.push_back(sum);
  rows.push_back(all);
  return rows;
}

Status run(const Options& options) {
  VTA_ASSIGN_OR_RETURN(HwConfig hw, loadHwConfig(options.hw));
  for (const std::string& saving : options.without) hw = hwWithout(saving, hw);
  VTA_ASSIGN_OR_RETURN(const std::vector<Row> rows, measure(options, hw));
  print(rows, hw, options.json);
  return {};
}

}  // namespace
}  // namespace vta::kernel::testing

int main(int argc, char** argv) {
  using vta::kernel::testing::Options;
  Options options;
  CLI::App app{"Cycles of a network's layers on the cycle simulator"};
  app.add_option("--network", options.network)
      ->check(CLI::IsMember(vta::kernel::testing::networks()));
  app.add_option("--hw", options.hw, "hardware configuration");
  app.add_option("--trace", options.trace, "print the times of this layer's instructions");
  app.add_flag("--json", options.json);
  app.add_flag("--estimated", options.estimated, "schedules by the analytic model alone");
  app.add_flag("--one-thread", options.one_thread, "without virtual threads");
  app.add_option("--without", options.without, "savings of operations to do without, one or more")
      ->check(CLI::IsMember(vta::kernel::testing::kSavings));
  CLI11_PARSE(app, argc, argv);
  const vta::Status status = vta::kernel::testing::run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "bench_cycles: %s\n", status.message().c_str());
  return 1;
}
