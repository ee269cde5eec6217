// vta-validate: the same programs on the Verilated RTL and on the cycle simulator; counts how many
// of all cycle counts, counters, dispatch, start and retirement times differ.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "sim/random/random_config.h"
#include "sim/validate/timing_validator.h"
#include "tools/common/terminal.h"

namespace vta::tools {
namespace {

constexpr const char* kTool = "vta-validate";
constexpr const char* kExamples = R"(
Examples:
  vta-validate --hw configs/hw/default.yaml --programs 500
      seeds 1 to 500 on one configuration, simple memory
  vta-validate --hw configs/hw/wide.yaml --random-hw 11 --memory simple --memory DDR3-1066
      one named configuration and eleven random ones, on both memories
  vta-validate --hw configs/hw/default.yaml --seed 4711 --programs 1
      one program, as a failing run printed it

Exit codes: 0 no difference, 1 a difference or a failure, 2 wrong usage.)";

struct Options {
  std::vector<std::string> hw_files;
  uint64_t random_hw = 0;
  uint64_t first_random_hw = 1;
  std::vector<std::string> memories;
  uint64_t programs = 100;
  uint64_t seed = 1;
  uint64_t fault_every = 5;
  uint32_t most_lines = 12;
};

/// One row of the table: all programs of one configuration on one memory.
struct Row {
  uint64_t programs = 0;
  uint64_t faults = 0;
  uint64_t bus_errors = 0;  // of the faults
  uint64_t instructions = 0;
  uint64_t cycles = 0;
  uint64_t different = 0;
};

Result<std::vector<HwConfig>> chooseConfigs(const Options& options) {
  std::vector<HwConfig> configs;
  for (const std::string& file : options.hw_files) {
    VTA_ASSIGN_OR_RETURN(HwConfig hw, loadHwConfig(file));
    configs.push_back(std::move(hw));
  }
  for (uint64_t i = 0; i < options.random_hw; ++i) {
    sim::Rng rng(options.first_random_hw + i);
    configs.push_back(sim::randomHwConfig(rng));
  }
  if (configs.empty()) configs.push_back(HwConfig::makeDefault());
  return configs;
}

void printDifferences(const HwConfig& hw, const std::string& memory, uint64_t seed,
                      const sim::TimingComparison& comparison, uint32_t most) {
  fmt::print(stderr, "{}, {}, seed {}:\n", hw.name(), memory, seed);
  for (size_t i = 0; i < comparison.differences.size() && i < most; ++i) {
    fmt::print(stderr, "  {}\n", comparison.differences[i]);
  }
}

Result<Row> validate(const HwConfig& hw, const std::string& memory, const Options& options) {
  VTA_ASSIGN_OR_RETURN(const sim::MemoryConfig memory_config, sim::resolveMemoryConfig(memory));
  sim::ModelCache cache = sim::ModelCache::standard();
  cache.progress = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
  VTA_ASSIGN_OR_RETURN(const auto validator,
                       sim::TimingValidator::create(hw, cache, memory_config));
  Row row;
  for (uint64_t seed = options.seed; seed < options.seed + options.programs; ++seed) {
    const auto comparison =
        validator->compareRandom(seed, sim::troubleOf(seed, options.fault_every));
    if (!comparison.ok()) return comparison.status().withContext(fmt::format("seed {}", seed));
    ++row.programs;
    row.faults += comparison->faulted ? 1 : 0;
    row.bus_errors += comparison->bus_error ? 1 : 0;
    row.instructions += comparison->instructions;
    row.cycles += comparison->cycles;
    if (comparison->differences.empty()) continue;
    ++row.different;
    if (row.different <= 3) printDifferences(hw, memory, seed, *comparison, options.most_lines);
  }
  return row;
}

Status validateAll(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const std::vector<HwConfig> configs, chooseConfigs(options));
  fmt::print(
      "| configuration | bus | memory | programs | of these faulty | bus errors | "
      "instructions | cycles | programs with a difference |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  Row total;
  for (const HwConfig& hw : configs) {
    for (const std::string& memory : options.memories) {
      const auto row = validate(hw, memory, options);
      if (!row.ok()) return row.status().withContext(fmt::format("{}, {}", hw.name(), memory));
      fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", hw.name(),
                 hw.params().axi_data_width_bits, memory, row->programs, row->faults,
                 row->bus_errors, row->instructions, row->cycles, row->different);
      std::fflush(stdout);
      total.programs += row->programs;
      total.faults += row->faults;
      total.bus_errors += row->bus_errors;
      total.instructions += row->instructions;
      total.cycles += row->cycles;
      total.different += row->different;
    }
  }
  fmt::print("| all | | | {} | {} | {} | {} | {} | {} |\n", total.programs, total.faults,
             total.bus_errors, total.instructions, total.cycles, total.different);
  if (total.different == 0) return {};
  return internalError(fmt::format("{} of {} programs differ", total.different, total.programs));
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  Options options;
  CLI::App app(
      "Runs random programs on the Verilated RTL and on the cycle simulator and compares total "
      "cycles, every counter, faults, and the cycles in which each instruction is dispatched, "
      "starts and retires.",
      kTool);
  app.footer(kExamples);
  app.add_option("--hw", options.hw_files, "Accelerator configuration (YAML); may be repeated")
      ->type_name("FILE");
  app.add_option("--random-hw", options.random_hw, "That many random configurations besides");
  app.add_option("--first-random-hw", options.first_random_hw, "Seed of the first of these");
  app.add_option("--memory", options.memories,
                 "Memory: simple, a DDR preset or a YAML file; may be repeated");
  app.add_option("--programs", options.programs, "Programs for each configuration and memory");
  app.add_option("--seed", options.seed, "Seed of the first program");
  app.add_option(
      "--fault-every", options.fault_every,
      "Inject a fault, or answer a burst with an error, in every program whose seed is a "
      "multiple of this; 0: none");
  app.add_option("--lines", options.most_lines, "Differences to show of one program");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  if (options.memories.empty()) options.memories.push_back("simple");
  const vta::Status status = validateAll(options);
  return status.ok() ? kExitOk : reportError(kTool, status);
}
