// vta-validate: the same programs on the Verilated RTL and on the cycle simulator; counts how many
// of all cycle counts, counters, dispatch, start and retirement times differ.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "module/module_file.h"
#include "sim/random/random_config.h"
#include "sim/validate/timing_validator.h"
#include "tools/common/command_line.h"
#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/print.h"
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
  vta-validate --module resnet18.vta.so --memory simple --memory DDR3-1066
      every layer of a compiled network

Exit codes: 0 no difference, 1 a difference or a failure, 2 wrong usage.)";

struct Options {
  std::vector<std::string> hw_files;
  std::vector<std::string> modules;
  uint64_t random_hw = 0;
  uint64_t first_random_hw = 1;
  std::vector<std::string> memories;
  uint64_t programs = 100;
  uint64_t seed = 1;
  uint64_t fault_every = 5;
  bool large_fields = false;
  uint32_t most_lines = 12;
};

/// One row of the table: all programs of one configuration, or of one module.
struct Row {
  uint64_t programs = 0;
  uint64_t faults = 0;
  uint64_t bus_errors = 0;  // of the faults
  uint64_t instructions = 0;
  uint64_t cycles = 0;
  uint64_t different = 0;

  void add(const sim::TimingComparison& comparison) {
    ++programs;
    faults += comparison.faulted ? 1 : 0;
    bus_errors += comparison.bus_error ? 1 : 0;
    instructions += comparison.instructions;
    cycles += comparison.cycles;
    different += comparison.differences.empty() ? 0 : 1;
  }
  void add(const Row& row) {
    programs += row.programs;
    faults += row.faults;
    bus_errors += row.bus_errors;
    instructions += row.instructions;
    cycles += row.cycles;
    different += row.different;
  }
};

/// A module, and the programs of it.
struct ModulePrograms {
  std::string name;
  std::vector<ModuleProgram> programs;  // at least one
};

Result<std::vector<HwConfig>> chooseConfigs(const Options& options) {
  std::vector<HwConfig> configs;
  for (const std::string& file : options.hw_files) {
    VTA_ASSIGN_OR_RETURN(HwConfig hw, loadHwConfig(file));
    configs.push_back(std::move(hw));
  }
  for (uint64_t i = 0; i < options.random_hw; ++i) {
    sim::Rng rng(options.first_random_hw + i);
    configs.push_back(sim::randomHwConfig(rng, sim::ElementSizes::kAll));
  }
  if (configs.empty() && options.modules.empty()) configs.push_back(HwConfig::makeDefault());
  return configs;
}

Result<ModulePrograms> loadModule(const std::string& file) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(file));
  const auto view = viewModule(bytes);
  if (!view.ok()) return view.status().withContext(file);
  ModulePrograms module;
  module.name = std::filesystem::path(file).filename().string();
  constexpr std::string_view kSuffix = ".vta.so";
  if (module.name.ends_with(kSuffix)) module.name.resize(module.name.size() - kSuffix.size());
  for (const StepInfo& step : view->info.steps) {
    if (!view->info.executorOf(step).hw) continue;
    auto program = moduleProgram(*view, step.entry);
    if (!program.ok()) return program.status().withContext(file);
    module.programs.push_back(*std::move(program));
  }
  if (module.programs.empty()) {
    return invalidArgument(fmt::format("{}: nothing of this module runs on the VTA", file));
  }
  return module;
}

Result<std::unique_ptr<sim::TimingValidator>> makeValidator(const HwConfig& hw,
                                                            const std::string& memory) {
  VTA_ASSIGN_OR_RETURN(const sim::MemoryConfig memory_config, sim::resolveMemoryConfig(memory));
  sim::ModelCache cache = sim::ModelCache::standard();
  cache.progress = [](const std::string& text) { printError("{}\n", text); };
  return sim::TimingValidator::create(hw, cache, memory_config);
}

/// Adds to `row`; prints what differs.
void take(const sim::TimingComparison& comparison, const std::string& what, const Options& options,
          Row& row) {
  row.add(comparison);
  if (comparison.differences.empty() || row.different > 3) return;
  printError("{}:\n", what);
  for (size_t i = 0; i < comparison.differences.size() && i < options.most_lines; ++i) {
    printError("  {}\n", comparison.differences[i]);
  }
}

Result<Row> validateRandom(const HwConfig& hw, const std::string& memory, const Options& options) {
  VTA_ASSIGN_OR_RETURN(const auto validator, makeValidator(hw, memory));
  const auto program =
      options.large_fields ? sim::RandomProgramOptions::largeFields() : sim::RandomProgramOptions{};
  Row row;
  for (uint64_t seed = options.seed; seed < options.seed + options.programs; ++seed) {
    const auto comparison =
        validator->compareRandom(seed, sim::troubleOf(seed, options.fault_every), program);
    if (!comparison.ok()) return comparison.status().withContext(fmt::format("seed {}", seed));
    take(*comparison, fmt::format("{}, {}, seed {}", hw.name(), memory, seed), options, row);
  }
  return row;
}

Result<Row> validateModule(const ModulePrograms& module, const std::string& memory,
                           const Options& options) {
  VTA_ASSIGN_OR_RETURN(const auto validator, makeValidator(module.programs.front().hw, memory));
  Row row;
  for (size_t i = 0; i < module.programs.size(); ++i) {
    const auto what = fmt::format("{}, {}, program {}", module.name, memory, i);
    const auto comparison = validator->compareProgram(module.programs[i].program, options.seed + i);
    if (!comparison.ok()) return comparison.status().withContext(what);
    take(*comparison, what, options, row);
  }
  return row;
}

void printRow(const std::string& name, const std::string& bus, const Row& row) {
  print("| {} | {} | {} | {} | {} | {} | {} | {} |\n", name, bus, formatCount(row.programs),
        formatCount(row.faults), formatCount(row.bus_errors), formatCount(row.instructions),
        formatCount(row.cycles), row.different);
  flushOutput();
}

/// A row for `name`, over all memories; `validate` makes the part of one.
template <typename Validate>
Status validateOne(const std::string& name, const HwConfig& hw, const Options& options, Row& total,
                   const Validate& validate) {
  Row all;
  for (const std::string& memory : options.memories) {
    const Result<Row> row = validate(memory);
    if (!row.ok()) return row.status().withContext(fmt::format("{}, {}", name, memory));
    all.add(*row);
  }
  printRow(name, fmt::format("{}", hw.params().axi_data_width_bits), all);
  total.add(all);
  return {};
}

Status validateAll(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const std::vector<HwConfig> configs, chooseConfigs(options));
  std::vector<ModulePrograms> modules;
  for (const std::string& file : options.modules) {
    VTA_ASSIGN_OR_RETURN(ModulePrograms module, loadModule(file));
    modules.push_back(std::move(module));
  }
  printText(fmt::format("Memories: {}.\n\n", fmt::join(options.memories, ", ")));
  print(
      "| {} | bus | programs | of these faulty | bus errors | instructions | cycles | programs "
      "with "
      "a difference |\n|---|---|---|---|---|---|---|---|\n",
      modules.empty() ? "configuration" : "configuration or module");
  Row total;
  for (const HwConfig& hw : configs) {
    VTA_RETURN_IF_ERROR(validateOne(hw.name(), hw, options, total, [&](const std::string& memory) {
      return validateRandom(hw, memory, options);
    }));
  }
  for (const ModulePrograms& module : modules) {
    const HwConfig& hw = module.programs.front().hw;
    VTA_RETURN_IF_ERROR(validateOne(
        fmt::format("{}, {}", module.name, hw.name()), hw, options, total,
        [&](const std::string& memory) { return validateModule(module, memory, options); }));
  }
  printRow("all", "", total);
  if (total.different == 0) return {};
  return internalError(fmt::format("{} of {} programs differ", total.different, total.programs));
}

bool parseOptions(int argc, char** argv, Options& options, int& exit_code) {
  CLI::App app(
      "Runs random programs on the Verilated RTL and on the cycle simulator and compares total "
      "cycles, every counter, faults, and the cycles in which each instruction is dispatched, "
      "starts and retires.",
      kTool);
  app.footer(kExamples);
  addRepeatable(app, "--hw", options.hw_files,
                "Accelerator configuration, a file or a name; may be repeated")
      ->type_name("FILE|NAME")
      ->transform(hardwareName());
  addRepeatable(app, "--module", options.modules,
                "Module from vta-compile: each of its programs on its own configuration; may be "
                "repeated")
      ->type_name("FILE");
  app.add_option("--random-hw", options.random_hw, "That many random configurations besides")
      ->check(wholeNumber(0, 1'000'000));
  app.add_option("--first-random-hw", options.first_random_hw, "Seed of the first of these")
      ->check(seedRange());
  addRepeatable(app, "--memory", options.memories,
                "Memory: simple, a DDR preset or a YAML file; may be repeated");
  app.add_option("--programs", options.programs, "Programs for each configuration and memory")
      ->check(countRange());
  app.add_option("--seed", options.seed, "Seed of the first program")->check(seedRange());
  app.add_option(
      "--fault-every", options.fault_every,
      "Inject a fault, or answer a burst with an error, in every program whose seed is a "
      "multiple of this; 0: none");
  app.add_flag("--large-fields", options.large_fields,
               "Programs of few instructions with fields up to their largest values");
  app.add_option("--lines", options.most_lines, "Differences to show of one program");
  if (!parseCommandLine(app, kTool, argc, argv, exit_code)) return false;
  if (options.memories.empty()) options.memories.push_back("simple");
  return true;
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  return runTool<Options>(kTool, argc, argv, parseOptions, validateAll);
}
