// vta-random-networks: random networks on random legal configurations. Each is quantised, compiled
// for the VTA and run on the functional simulator, every kernel compared with its reference; the
// outputs have to equal, bit for bit, those of the same integers on the CPU.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

#include "compiler/compile.h"
#include "compiler/kernel/chain/chain_chooser.h"
#include "driver/device_registry.h"
#include "driver/runtime/session.h"
#include "isa/config/random_params.h"
#include "isa/program/verify/verifier.h"
#include "tests/onnx_conformance/isolate.h"
#include "tests/random_networks/network.h"
#include "tests/random_networks/small_networks.h"
#include "tools/common/command_line.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/print.h"

namespace vta::random_networks {
namespace {

namespace fs = std::filesystem;
using conformance::End;
using conformance::IsolatedResult;

struct Options {
  uint32_t seed = 1;
  uint32_t cases = 100;
  bool small = false;
  int jobs = 2;
  double limit_seconds = 120;
  bool verbose = false;
  bool optimize = false;
  bool chains = false;
};

/// Blocks of 4 to 64, in and out independent; batch 1 to 16; buffers from a few tiles to the
/// largest that the encoding can address; every extension there or not. `with_chains`: hardware
/// that can run them.
HwConfig randomConfig(std::mt19937& rng, bool with_chains) {
  const auto power = [&](int low, int high) {
    return uint64_t{1} << std::uniform_int_distribution<int>(low, high)(rng);
  };
  const UniformNumber number = [&](int64_t min, int64_t max) {
    return std::uniform_int_distribution<int64_t>(min, max)(rng);
  };
  for (;;) {
    HwParams p = drawHwParams(number);
    p.batch = static_cast<int>(rng() % 2 ? 1 : power(0, 4));
    p.block_in = static_cast<int>(power(2, 6));
    p.block_out = static_cast<int>(rng() % 2 ? p.block_in : power(2, 6));
    p.compat_0_0_2 = rng() % 8 == 0;
    if (with_chains) {
      p.ext_handover = true;
      p.compat_0_0_2 = p.hls_timing = false;
      p.block_out = p.block_in << rng() % 3;
    }
    // Published hardware has depths of powers of two.
    const auto depth = [&](int low, int high) {
      const auto elements = static_cast<int64_t>(power(low, high));
      return static_cast<uint64_t>(p.compat_0_0_2 ? elements : leaveOutSome(elements, number));
    };
    p.uop_buf_bytes = depth(6, 17);
    // Two kernels need more room than one.
    const int more = with_chains ? 5 : 0;
    p.inp_buf_bytes = p.batch * p.block_in * depth(2 + more, 11);
    p.wgt_buf_bytes = uint64_t(p.block_in) * p.block_out * depth(2 + more, 10);
    p.acc_buf_bytes = 4ull * p.batch * p.block_out * depth(3 + more, 12);
    if (Result<HwConfig> hw = HwConfig::create(p); hw.ok()) return *hw;
  }
}

Tensor randomInput(const Shape& shape, std::mt19937& rng) {
  Tensor tensor = Tensor::zeros(DType::kF32, shape);
  std::uniform_real_distribution<float> values(-1, 1);
  for (float& value : tensor.as<float>()) value = values(rng);
  return tensor;
}

Result<driver::RunResult> runModule(const compiler::CompiledModule& module,
                                    const TensorMap& inputs) {
  VTA_ASSIGN_OR_RETURN(auto loaded, driver::LoadedModule::fromMemory(module.elf));
  std::unique_ptr<driver::Device> device;
  if (loaded->hw()) {
    VTA_ASSIGN_OR_RETURN(device, driver::createDevice("functional:checked", *loaded->hw()));
  }
  driver::SessionOptions options;
  options.verify = true;
  options.check_program = [](const Program& program, const HwConfig& hw) {
    return verifyProgramStatus(program, hw);
  };
  options.num_threads = 1;
  VTA_ASSIGN_OR_RETURN(auto session, driver::Session::create(loaded, device.get(), options));
  return session->run(inputs);
}

/// How many kernels ran and were compared, and how many were chains.
struct Counts {
  uint64_t kernels = 0;
  uint64_t chains = 0;
};

Result<uint64_t> countChains(const compiler::CompiledModule& module) {
  VTA_ASSIGN_OR_RETURN(const auto loaded, driver::LoadedModule::fromMemory(module.elf));
  return std::ranges::count_if(loaded->info().layers, [](const LayerInfo& layer) {
    return layer.reason.starts_with("simulated chain");
  });
}

Result<Counts> runCase(const fs::path& model, const Network& network, std::mt19937& rng,
                       const Options& of_run) {
  compiler::CompileOptions options;
  options.hw = randomConfig(rng, of_run.chains);
  if (of_run.chains) options.build.schedule_hints.measure = kernel::measureFloors(options.hw);
  options.build.verify_programs = true;
  if (!of_run.optimize) {
    options.build.code.quality = options.quantize.code.quality = codegen::CodeQuality::kDraft;
  }
  options.quantize.samples = {{{"x", randomInput(network.input_shape, rng)}}};
  const TensorMap inputs = {{"x", randomInput(network.input_shape, rng)}};
  const std::string where = options.hw.summary();
  auto on_vta = compiler::compileOnnx(model, options);
  if (!on_vta.ok()) return on_vta.status().withContext(where);
  options.partition = compiler::Partition::kCpuQuantized;
  auto on_cpu = compiler::compileOnnx(model, options);
  if (!on_cpu.ok()) return on_cpu.status().withContext(where + ", CPU only");
  auto found = runModule(*on_vta, inputs);
  if (!found.ok()) return found.status().withContext(where);
  auto expected = runModule(*on_cpu, inputs);
  if (!expected.ok()) return expected.status().withContext(where + ", CPU only");
  for (const auto& [name, tensor] : expected->outputs) {
    if (found->outputs.at(name).data != tensor.data) {
      return internalError(fmt::format("{}: output '{}' differs from the CPU's", where, name));
    }
  }
  VTA_ASSIGN_OR_RETURN(const uint64_t chains, countChains(*on_vta));
  return Counts{found->verified_steps, chains};
}

constexpr std::string_view kRight = "ok";  // and how many kernels and chains

/// What the text of a right case says.
std::optional<Counts> countsOf(const std::string& text) {
  std::istringstream words(text);
  std::string word;
  Counts counts;
  const bool is_right = words >> word >> counts.kernels >> counts.chains && word == kRight;
  return is_right ? std::optional(counts) : std::nullopt;
}

/// What one case compiles, and the seed of its configuration.
struct Case {
  Network network;
  uint32_t seed = 0;
};

/// Case `number` of a run: a random network on a random configuration, both from one seed, or each
/// small network on every configuration.
Case makeCase(const Options& options, uint32_t number) {
  if (options.small) {
    return {smallNetwork(number % kSmallNetworks), options.seed + number / kSmallNetworks};
  }
  const uint32_t seed = options.seed + number;
  RandomNetwork network(seed);
  return {{network.serialized(), network.inputShape(), network.description()}, seed};
}

/// kRight and its numbers, or what went wrong.
std::string runNumber(const Options& options, uint32_t number) {
  const Case one = makeCase(options, number);
  // Not the network's random numbers: configurations vary where networks do not.
  std::mt19937 rng(one.seed ^ 0x9e3779b9u);
  const fs::path model =
      fs::temp_directory_path() / fmt::format("vta_random_{}_{}.onnx", getpid(), number);
  std::ofstream(model, std::ios::binary) << one.network.model;
  const Result<Counts> counts = runCase(model, one.network, rng, options);
  std::error_code ignored;
  fs::remove(model, ignored);
  if (counts.ok()) return fmt::format("{} {} {}", kRight, counts->kernels, counts->chains);
  return fmt::format("{}\n    [{}]", counts.status().message(), one.network.description);
}

/// How to run case `number` alone.
std::string replay(const Options& options, size_t number) {
  const std::string chains = options.chains ? "--chains " : "";
  if (!options.small) return fmt::format("{}--cases 1 --seed {}", chains, options.seed + number);
  return fmt::format("{}--small --cases {} --seed {}", chains, kSmallNetworks,
                     options.seed + number / kSmallNetworks);
}

int run(const Options& options) {
  std::vector<std::function<std::string()>> tasks;
  for (uint32_t i = 0; i < options.cases; ++i) {
    tasks.emplace_back([&options, i] { return runNumber(options, i); });
  }
  uint32_t failures = 0;
  Counts all;
  conformance::runIsolated(
      tasks, options.jobs, options.limit_seconds, [&](size_t index, const IsolatedResult& result) {
        const auto counts =
            result.end == End::kReturned ? countsOf(result.text) : std::optional<Counts>();
        failures += counts ? 0 : 1;
        all.kernels += counts ? counts->kernels : 0;
        all.chains += counts ? counts->chains : 0;
        if (!counts || options.verbose) {
          tools::print("case {} ({}): {}\n", index, replay(options, index), result.text);
          tools::flushOutput();
        }
      });
  tools::print("{} of {} cases are wrong; {} kernels ran, {} of them chains\n", failures,
               options.cases, all.kernels, all.chains);
  // On average more than one, and where chains are wanted one in ten cases: else little is tested.
  const bool is_enough =
      all.kernels > options.cases && (!options.chains || 10 * all.chains >= options.cases);
  return failures == 0 && is_enough ? 0 : 1;
}

constexpr const char* kTool = "vta-random-networks";

int runMain(int argc, char** argv) {
  Options options;
  CLI::App app("Random networks on random legal configurations, bit for bit against the CPU");
  app.add_option("--cases", options.cases, "how many")
      ->capture_default_str()
      ->check(tools::countRange());
  app.add_option("--seed", options.seed, "of the first case; the others follow")
      ->capture_default_str();
  app.add_flag("--small", options.small,
               "three fixed small networks instead of random ones, each on every configuration: "
               "three cases to a configuration");
  app.add_flag("--chains", options.chains,
               "hardware with extension handover, and chains wherever they move less");
  app.add_option("--jobs", options.jobs, "cases run at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--limit", options.limit_seconds, "seconds for one case")->capture_default_str();
  app.add_flag("--optimize", options.optimize,
               "optimise host code as products do: twice the time, nearly all of it LLVM's");
  app.add_flag("--verbose", options.verbose, "also list cases that are right");
  int exit_code = 0;
  if (!tools::parseCommandLine(app, kTool, argc, argv, exit_code)) return exit_code;
  return run(options);
}

}  // namespace
}  // namespace vta::random_networks

int main(int argc, char** argv) {
  return vta::tools::runTool(vta::random_networks::kTool, argc, argv,
                             vta::random_networks::runMain);
}
