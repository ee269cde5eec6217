// Networks on the CPU: the code without tuning and with the schedules of a database, by turns in
// one process, so that both see the same machine.
//
// Times are those of one thread (its own clock, which does not count other processes), and of all
// threads by the clock on the wall. The median of --runs counts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/aligned_bytes.h"
#include "base/clock.h"
#include "compiler/codegen/cpu/backend.h"
#include "compiler/codegen/cpu/conv_code.h"
#include "compiler/codegen/executable.h"
#include "compiler/dialects/graph/element_type.h"
#include "compiler/frontend/onnx/import.h"
#include "compiler/graph_passes/passes.h"
#include "compiler/registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tune/database/database.h"
#include "tune/task/conv_task.h"

namespace vta::tune {
namespace {

struct Options {
  std::vector<std::string> models;
  std::string database = "vta-tuning.db";
  int runs = 15;
};

/// A network's code with its tensors.
struct Network {
  std::unique_ptr<codegen::Executable> code;
  std::vector<AlignedBytes> tensors;
  std::vector<void*> arguments;
};

Result<Network> load(const std::string& model, bool is_parallel,
                     const codegen::blocked::FindConvSchedule& find) {
  mlir::DialectRegistry registry;
  compiler::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  VTA_ASSIGN_OR_RETURN(auto module, compiler::importOnnx(model, {}, context));
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  compiler::buildGraphOptimizationPipeline(manager);
  if (mlir::failed(manager.run(*module))) return internalError("the graph is not optimised");
  Network network;
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  for (mlir::Type type :
       llvm::concat<const mlir::Type>(function.getArgumentTypes(), function.getResultTypes())) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    const auto bytes = static_cast<size_t>(tensor.getNumElements()) * sizeof(float);
    AlignedBytes& buffer = network.tensors.emplace_back(bytes);
    auto* values = reinterpret_cast<float*>(buffer.data());
    for (size_t i = 0; i < bytes / sizeof(float); ++i) {
      values[i] = 0.01f * static_cast<float>(i % 97) - 0.5f;
    }
    network.arguments.push_back(values);
  }
  codegen::CodeOptions options;
  options.parallel = is_parallel;
  options.find_schedule = find;
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

Status run(const Options& options) {
  const bool is_lines = options.database.ends_with(".jsonl");
  VTA_ASSIGN_OR_RETURN(const Database database,
                       is_lines ? Database::readJsonLines(options.database)
                                : Database::open(options.database, Database::Access::kRead));
  VTA_ASSIGN_OR_RETURN(const std::string cpu, codegen::cpuText({}));
  nlohmann::ordered_json rows;
  for (const std::string& model : options.models) {
    for (const bool is_parallel : {false, true}) {
      int found = 0, layers = 0;
      const auto find =
          [&](const codegen::blocked::ConvLayer& layer) -> std::optional<ConvSchedule> {
        ++layers;
        const auto best = database.best(convKey(layer.spec, cpu), kCpuSource);
        if (!best.ok() || !*best) return std::nullopt;
        const auto schedule = parseConvSchedule((*best)->schedule);
        if (!schedule.ok()) return std::nullopt;
        ++found;
        return *schedule;
      };
      VTA_ASSIGN_OR_RETURN(Network plain, load(model, is_parallel, {}));
      VTA_ASSIGN_OR_RETURN(Network tuned, load(model, is_parallel, find));
      const auto [before, after] = compare(plain, tuned, options.runs, !is_parallel);
      const std::string name = std::filesystem::path(model).stem().string();
      rows[name + (is_parallel ? ", all threads" : ", 1 thread")] = {
          {"untuned_seconds", before},
          {"tuned_seconds", after},
          {"tuned_layers", fmt::format("{} of {}", found, layers)}};
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
  app.add_option("--runs", options.runs)->check(CLI::Range(1, 10'000));
  CLI11_PARSE(app, argc, argv);
  const vta::Status status = vta::tune::run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "bench_cpu_tuning: %s\n", status.message().c_str());
  return 1;
}
