// vta-cosim: random programs on the Verilated RTL, every retirement compared with the functional
// model.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "isa/config/extension_folder.h"
#include "sim/random/random_config.h"
#include "sim/rtl/cosim/cosim.h"
#include "sim/rtl/cosim/edge_programs.h"
#include "tools/common/command_line.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/names/choices.h"
#include "tools/common/print.h"

namespace vta::tools {
namespace {

constexpr const char* kTool = "vta-cosim";
constexpr const char* kExamples = R"(
Examples:
  vta-cosim --hw configs/hw/default.yaml --count 100
      seeds 1 to 100
  vta-cosim --hw configs/hw/default.yaml --seed 4711
      one program, as a failing run printed it
  vta-cosim --random-hw 3 --count 50 --bus random --mode faults
      a random configuration, random back-pressure, a fault in every program

Exit codes: 0 no difference, 1 a difference or a failure, 2 wrong usage.)";

struct Options {
  std::string hw_file;
  std::vector<std::string> extensions;
  uint64_t random_hw = 0;
  uint64_t seed = 1;
  std::optional<uint64_t> count;  // absent: one program, or all edge programs
  std::string memory = "simple";
  std::string bus = "memory";
  std::string mode = "legal";
  std::string coverage_file;
  bool print_hw = false;
  bool print_hw_only = false;
};

Result<HwConfig> chooseHw(const Options& options) {
  if (options.random_hw != 0) {
    sim::Rng rng(options.random_hw);
    return sim::randomHwConfig(rng, sim::ElementSizes::kAll);
  }
  HwConfig hw = HwConfig::makeDefault();
  if (!options.hw_file.empty()) {
    VTA_ASSIGN_OR_RETURN(hw, loadHwConfig(options.hw_file));
  }
  return withExtensions(hw, options.extensions);
}

Result<sim::CosimReport> runOne(sim::Cosim& cosim, const Options& options, uint64_t seed) {
  if (options.mode == "faults") {
    return cosim.runFaulty(seed, static_cast<sim::InjectedFault>(seed % sim::kInjectedFaultCount));
  }
  if (options.mode == "resets") return cosim.runWithReset(seed);
  if (options.mode == "soft-resets") return cosim.runWithSoftReset(seed);
  if (options.mode == "bus-errors") return cosim.runWithBusErrors(seed);
  if (options.mode == "registers") return cosim.runAmongRegisterAccesses(seed);
  if (options.mode == "edges") return cosim.runEdge(seed);
  return cosim.runLegal(seed);
}

Status cosimulate(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, chooseHw(options));
  if (options.print_hw || options.print_hw_only) printRaw(hw.toYaml());
  if (options.print_hw_only) return {};
  flushOutput();  // a model that is built next may take a minute
  sim::CosimOptions cosim_options;
  if (options.mode == "large") {
    cosim_options.program = sim::RandomProgramOptions::largeFields();
  }
  sim::RtlOptions& rtl = cosim_options.rtl;
  VTA_ASSIGN_OR_RETURN(rtl.memory, sim::resolveMemoryConfig(options.memory));
  rtl.variant =
      options.coverage_file.empty() ? sim::ModelVariant::kChecked : sim::ModelVariant::kCoverage;
  rtl.random_seed = static_cast<uint32_t>(options.seed | 1);
  if (options.bus == "random" || options.mode == "bus-errors") {
    rtl.random_bus = sim::RandomBusOptions{.seed = options.seed};
    if (options.mode == "bus-errors") rtl.random_bus->error_one_in = 60;
  }
  sim::ModelCache cache = sim::ModelCache::standard();
  cache.progress = [](const std::string& text) { printError("{}\n", text); };
  VTA_ASSIGN_OR_RETURN(const auto cosim, sim::Cosim::create(hw, cache, cosim_options));

  uint64_t cycles = 0;
  uint64_t instructions = 0;
  uint64_t faults = 0;
  const uint64_t count = options.count.value_or(options.mode == "edges" ? sim::kEdgePrograms : 1);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t seed = options.seed + i;
    const auto report = runOne(*cosim, options, seed);
    if (!report.ok()) return report.status().withContext(fmt::format("seed {}", seed));
    cycles += report->cycles;
    instructions += report->instructions;
    faults += report->fault.empty() || report->fault == "no fault" ? 0 : 1;
  }
  if (!options.coverage_file.empty()) {
    VTA_RETURN_IF_ERROR(cosim->simulator().model().writeCoverage(options.coverage_file));
  }
  print("{}: seeds {} to {}, {} instructions checked, {} cycles, {} faults: no difference\n",
        hw.name(), options.seed, options.seed + count - 1, instructions, cycles, faults);
  return {};
}

bool parseOptions(int argc, char** argv, Options& options, int& exit_code) {
  CLI::App app(
      "Runs random programs on the Verilated RTL and compares every retired instruction with the "
      "functional simulator.",
      kTool);
  app.footer(kExamples);
  addHardware(app, options.hw_file);
  addExtensions(app, options.extensions);
  app.add_option("--random-hw", options.random_hw, "A random configuration with this seed instead")
      ->check(seedRange());
  app.add_flag("--print-hw", options.print_hw, "Print the configuration first");
  app.add_flag("--print-hw-only", options.print_hw_only, "Print the configuration, run nothing");
  app.add_option("--seed", options.seed, "Seed of the first program")->check(seedRange());
  app.add_option("--count", options.count,
                 "How many programs, with consecutive seeds; default: 1, and with --mode edges all "
                 "of them")
      ->check(countRange());
  app.add_option("--memory", options.memory, "Memory: simple, a DDR preset or a YAML file");
  app.add_option("--bus", options.bus, "memory: its timing; random: random back-pressure")
      ->check(OneOf({"memory", "random"}));
  app.add_option(
         "--mode", options.mode,
         "legal programs; faults: one in each; resets: reset at a random moment first; "
         "soft-resets: by the control register, on a bus that answers late; "
         "bus-errors: random error responses; registers: bad launches first, refused ones and "
         "register accesses meanwhile; edges: programs at the limits of queues and addresses; "
         "large: "
         "fields up to their largest values")
      ->check(OneOf({"legal", "faults", "resets", "soft-resets", "bus-errors", "registers", "edges",
                     "large"}));
  app.add_option("--coverage", options.coverage_file, "Write Verilator's coverage of the RTL here")
      ->type_name("FILE");
  return parseCommandLine(app, kTool, argc, argv, exit_code);
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  using namespace vta::tools;
  return runTool<Options>(kTool, argc, argv, parseOptions, cosimulate);
}
