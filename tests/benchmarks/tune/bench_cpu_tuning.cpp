// Networks on the CPU: the code without tuning and with the schedules of a database, by turns in
// one process, so that both see the same machine.
//
// Times are those of one thread (its own clock, which does not count other processes), and of all
// threads by the clock on the wall. The median of --runs counts. In int8, one thread is compared
// with the peak of its processor's multiply-adds, too.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/bytes/aligned_bytes.h"
#include "base/clock.h"
#include "compiler/codegen/executable.h"
#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/frontend/onnx/import.h"
#include "compiler/graph_passes/passes.h"
#include "compiler/quantize/quantize.h"
#include "compiler/registration.h"
#include "explore/tune/database/database.h"
#include "explore/tune/task/conv_task.h"
#include "host_cpu/backend/backend.h"
#include "host_cpu/backend/conv_code.h"
#include "host_cpu/backend/options.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tests/benchmarks/functional/dot_peak.h"

namespace vta::tune {
namespace {

struct Options {
  std::vector<std::string> models;
  std::string database = "vta-tuning.db";
  bool adds_integers = false;
  int runs = 15;
};

/// One row of the table.
struct Variant {
  bool in_integers = false, is_parallel = false;
};

/// A network's code with its tensors.
struct Network {
  std::unique_ptr<codegen::Executable> code;
  std::vector<AlignedBytes> tensors;
  std::vector<void*> arguments;
  int64_t macs = 0;
};

/// The same numbers for every run.
void fill(std::span<float> values) {
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.01f * static_cast<float>(i % 97) - 0.5f;
}

/// Calibrated with one input: the time of integers does not depend on their scales.
Status quantise(mlir::ModuleOp module) {
  VTA_ASSIGN_OR_RETURN(const compiler::ModelSignature signature,
                       compiler::signatureOf(module.lookupSymbol<mlir::func::FuncOp>("main")));
  compiler::QuantizeOptions options;
  TensorMap& sample = options.samples.emplace_back();
  for (const compiler::Port& input : signature.inputs) {
    Tensor& tensor = sample[input.name] = Tensor::zeros(DType::kF32, input.shape);
    fill(tensor.as<float>());
  }
  return compiler::quantizeGraph(module, HwConfig::makeDefault(), options).status();
}

Result<Network> load(const std::string& model, const Variant& variant,
                     const codegen::blocked::FindConvSchedule& find) {
  mlir::DialectRegistry registry;
  compiler::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  VTA_ASSIGN_OR_RETURN(auto module, compiler::importOnnx(model, {}, context));
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  compiler::buildGraphOptimizationPipeline(manager);
  if (mlir::failed(manager.run(*module))) return internalError("the graph is not optimised");
  if (variant.in_integers) VTA_RETURN_IF_ERROR(quantise(*module));
  Network network;
  module->walk([&](mlir::Operation* op) { network.macs += graph::countMacs(op); });
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  for (mlir::Type type :
       llvm::concat<const mlir::Type>(function.getArgumentTypes(), function.getResultTypes())) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    const auto bytes = static_cast<size_t>(tensor.getNumElements()) * sizeof(float);
    AlignedBytes& buffer = network.tensors.emplace_back(bytes);
    auto* values = reinterpret_cast<float*>(buffer.data());
    fill({values, bytes / sizeof(float)});
    network.arguments.push_back(values);
  }
  codegen::CodeOptions options;
  options.parallel = variant.is_parallel;
  codegen::CpuOptions of_cpu;
  of_cpu.find_schedule = find;
  codegen::setCpuOptions(options, of_cpu);
  VTA_ASSIGN_OR_RETURN(network.code,
                       codegen::Executable::create(*module, codegen::cpuBackend(), options));
  return network;
}

double threadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double medianOf(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Seconds of both by turns.
std::pair<double, double> compare(Network& plain, Network& tuned, int runs, bool is_one_thread) {
  std::vector<double> plain_times, tuned_times;
  for (int run = 0; run <= runs; ++run) {
    for (auto [network, times] : {std::pair(&plain, &plain_times), {&tuned, &tuned_times}}) {
      const Clock::time_point wall = Clock::now();
      const double start = threadSeconds();
      static_cast<void>(network->code->call("main", network->arguments));
      const double seconds = is_one_thread ? threadSeconds() - start : secondsSince(wall);
      if (run > 0) times->push_back(seconds);
    }
  }
  return {medianOf(plain_times), medianOf(tuned_times)};
}

std::string nameOf(const std::string& model, const Variant& variant) {
  return fmt::format("{}{}, {}", std::filesystem::path(model).stem().string(),
                     variant.in_integers ? ", int8" : "",
                     variant.is_parallel ? "all threads" : "1 thread");
}

Result<nlohmann::ordered_json> measure(const std::string& model, const Variant& variant,
                                       const Database& database, int runs) {
  VTA_ASSIGN_OR_RETURN(const std::string cpu, codegen::cpuText({}));
  int found = 0, layers = 0;
  const auto find = [&](const codegen::blocked::ConvLayer& layer) -> std::optional<ConvSchedule> {
    ++layers;
    const auto best = database.best(convKey(layer.spec, cpu), kCpuSource);
    if (!best.ok() || !*best) return std::nullopt;
    const auto schedule = parseConvSchedule((*best)->schedule);
    if (!schedule.ok()) return std::nullopt;
    ++found;
    return *schedule;
  };
  VTA_ASSIGN_OR_RETURN(Network plain, load(model, variant, {}));
  VTA_ASSIGN_OR_RETURN(Network tuned, load(model, variant, find));
  const auto [before, after] = compare(plain, tuned, runs, !variant.is_parallel);
  nlohmann::ordered_json row = {{"untuned_seconds", before},
                                {"tuned_seconds", after},
                                {"tuned_layers", fmt::format("{} of {}", found, layers)}};
  if (variant.in_integers && !variant.is_parallel) {
    const double peak_seconds = static_cast<double>(plain.macs) / bench::dotPeakMacsPerSecond();
    row["untuned_share"] = peak_seconds / before;
    row["tuned_share"] = peak_seconds / after;
  }
  return row;
}

Status run(const Options& options) {
  const bool is_lines = options.database.ends_with(".jsonl");
  VTA_ASSIGN_OR_RETURN(const Database database,
                       is_lines ? Database::readJsonLines(options.database)
                                : Database::open(options.database, Database::Access::kRead));
  std::vector<Variant> variants = {{false, false}, {false, true}};
  if (options.adds_integers) variants.insert(variants.end(), {{true, false}, {true, true}});
  nlohmann::ordered_json rows;
  for (const std::string& model : options.models) {
    for (const Variant& variant : variants) {
      VTA_ASSIGN_OR_RETURN(rows[nameOf(model, variant)],
                           measure(model, variant, database, options.runs));
    }
  }
  fmt::print("{}\n", rows.dump(1));
  return {};
}

}  // namespace
}  // namespace vta::tune

int main(int argc, char** argv) {
  vta::tune::Options options;
  CLI::App app{"Networks on the CPU, with and without tuned schedules"};
  app.add_option("models", options.models, "ONNX files")->required();
  app.add_option("--tuned", options.database,
                 "database of vta-tune --target cpu, or lines of JSON from it");
  app.add_flag("--int8", options.adds_integers, "The networks in int8, too");
  app.add_option("--runs", options.runs)->check(CLI::Range(1, 10'000));
  CLI11_PARSE(app, argc, argv);
  const vta::Status status = vta::tune::run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "bench_cpu_tuning: %s\n", status.message().c_str());
  return 1;
}
