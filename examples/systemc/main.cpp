// A virtual platform that runs one compiled layer: a processor launches the accelerator through its
// registers, the accelerator moves its data through its memory socket, an interrupt ends it. Prints
// the cycles that the registers tell, and those of the cycle simulator's engine alone: they are
// equal.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <systemc>

#include <tlm_utils/tlm_quantumkeeper.h>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "module/module_file.h"
#include "sim/cycle/cycle_model.h"
#include "sim/functional/functional_model.h"
#include "sim/random/program_image.h"
#include "sim/systemc/platform.h"
#include "tools/common/command_line.h"
#include "tools/common/files.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/print.h"
#include "tools/common/terminal.h"

namespace {

using namespace vta;

constexpr const char* kTool = "vta-systemc-example";

struct Options {
  std::string module;
  int program = 0;
  std::string coding = "loose";
  std::string memory = "simple";
  double quantum_cycles = 0;
};

// A layer and the accelerator that it was compiled for.
Result<ModuleProgram> loadLayer(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> file, readFile(options.module));
  auto module = viewModule(file);
  if (!module.ok()) return module.status().withContext(options.module);
  return moduleProgram(*module, options.program);
}

// Without a module: a convolution of 64 channels, 3x3, on 14x14 pixels.
Result<ModuleProgram> compileLayer() {
  const HwConfig hw = HwConfig::makeDefault();
  kernel::KernelDesc desc;
  desc.name = "conv";
  desc.num_params = 1;
  kernel::Geometry& g = desc.geometry;
  g.in_channel_blocks = g.out_channel_blocks = 64 / hw.blockIn();
  g.in_height = g.in_width = g.out_height = g.out_width = 14;
  g.kernel_height = g.kernel_width = 3;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 1;
  desc.epilogue = {{AluOpcode::kAdd, kernel::EpilogueStep::Source::kParam, 0, 0},
                   {AluOpcode::kShr, kernel::EpilogueStep::Source::kImmediate, 8, 0}};
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule schedule, kernel::defaultSchedule(desc, hw));
  VTA_ASSIGN_OR_RETURN(Program program, kernel::lower(desc, schedule, hw));
  return ModuleProgram{std::move(program), hw};
}

// The same launch without SystemC: cycles, and memory afterwards in `image`.
Result<uint64_t> runEngine(const HwConfig& hw, const sim::MemoryConfig& memory,
                           sim::ProgramImage& image) {
  VTA_ASSIGN_OR_RETURN(const auto timing, sim::CycleModel::create(hw, memory));
  VTA_ASSIGN_OR_RETURN(const auto values, sim::FunctionalModel::create(hw));
  const auto view = sim::streamOf(image, hw);
  const std::vector<std::byte> stream(view.begin(), view.end());
  sim::ImageDram dram(image);
  const auto result = timing->run(stream, image.instruction_address, image.bases, dram);
  if (values->run(stream, image.bases, dram).fault) return internalError("the layer is faulty");
  return result.counters.cycles;
}

Status run(const Options& options) {
  const bool loose = options.coding == "loose";
  VTA_ASSIGN_OR_RETURN(const ModuleProgram layer,
                       options.module.empty() ? compileLayer() : loadLayer(options));
  sim::PlatformOptions platform_options;
  VTA_ASSIGN_OR_RETURN(platform_options.timing, sim::resolveMemoryConfig(options.memory));
  sim::Rng rng(1);  // of the layer's data
  VTA_ASSIGN_OR_RETURN(sim::ProgramImage image, sim::makeImage(layer.program, layer.hw, rng));
  platform_options.coding =
      loose ? sim::TlmCoding::kLooselyTimed : sim::TlmCoding::kApproximatelyTimed;
  platform_options.memory_address = image.address;
  platform_options.memory_bytes = image.bytes.size();
  VTA_ASSIGN_OR_RETURN(const auto platform,
                       sim::Platform::create("platform", layer.hw, platform_options));
  tlm_utils::tlm_quantumkeeper::set_global_quantum(options.quantum_cycles *
                                                   platform->vta().clockPeriod());
  std::ranges::copy(image.bytes, platform->memory().bytes().begin());
  const auto& outcome =
      platform->run({image.instruction_address, image.instruction_count, image.bases});
  if (!outcome) return internalError("the interrupt never came");

  VTA_ASSIGN_OR_RETURN(const uint64_t engine_cycles,
                       runEngine(layer.hw, platform_options.timing, image));
  const bool same_memory = std::ranges::equal(platform->memory().bytes(), image.bytes);
  const auto& statistics = platform->vta().statistics();
  tools::print("{} instructions on {}, memory {}, {} timed\n", image.instruction_count,
               layer.hw.name(), options.memory, loose ? "loosely" : "approximately");
  tools::print("cycles through the sockets  {:>12}\n", tools::formatCount(outcome->counters[0]));
  tools::print("cycles of the engine        {:>12}\n", tools::formatCount(engine_cycles));
  tools::print("simulated time {}, {} transactions, {} synchronisations, {} late responses\n",
               outcome->duration.to_string(), statistics.transfers, statistics.syncs,
               statistics.late_responses);
  tools::print("memory {} the functional model's\n", same_memory ? "equals" : "differs from");
  if (outcome->fault == 0 && outcome->counters[0] == engine_cycles && same_memory) return {};
  return internalError("the platform and the models differ");
}

bool parseOptions(int argc, char** argv, Options& options, int& exit_code) {
  CLI::App app("Runs a compiled layer on a SystemC platform and compares with the engine alone.",
               kTool);
  app.add_option("module", options.module,
                 "Module from vta-compile; default: a convolution that is compiled here");
  app.add_option("--program", options.program, "Which of the module's programs");
  app.add_option("--coding", options.coding, "Loosely or approximately timed")
      ->check(CLI::IsMember({"loose", "approximate"}));
  app.add_option("--memory", options.memory, "simple, a DDR preset or a YAML file");
  app.add_option("--quantum", options.quantum_cycles,
                 "Cycles that the accelerator may run ahead of SystemC's time")
      ->check(tools::wholeNumber(0, 1'000'000'000));
  return tools::parseCommandLine(app, kTool, argc, argv, exit_code);
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  return vta::tools::runTool<Options>(kTool, argc, argv, parseOptions, run);
}
