// What a memory costs, and how much of it schedules win back.
//
// For each network and memory, the cycles of all layers one by one with four kinds of schedules:
// those that the compiler chooses for the simple memory, those that it chooses for this memory,
// tuned ones, and the bound that no schedule beats. Tuned are those that the learned searcher finds
// and then the exhaustive one, which leaves out what is proven to be faster by no more than the
// tolerance. A database keeps what was measured: an interrupted run goes on there.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "explore/tune/measure/simulator.h"
#include "explore/tune/search/registry.h"
#include "explore/tune/target/vta_task.h"
#include "explore/tune/tuner/tuner.h"
#include "tests/benchmarks/tune/tuning_bench.h"
#include "tests/compiler/kernel/cycles/network_program.h"

namespace vta::tune {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> networks = {"resnet18"};
  std::string hw = "configs/hw/default.yaml";
  std::vector<std::string> memories = {"simple"};
  std::string prior;
  std::string database = "build/bench-memories.db";
  int64_t trials = 96;          // of the learned searcher for each layer
  int64_t proof_trials = 4000;  // all trials of a layer, the exhaustive searcher's included
  double tolerance = 0.01;      // of the proofs
  int workers = 2;
};

constexpr double kWantedGap = 0.03;  // between the best and the proven bound of a layer

/// Cycles of one layer, or of several.
struct Cycles {
  uint64_t simple_memory = 0;  // chosen for the simple memory, which is there
  uint64_t for_simple = 0;     // chosen for the simple memory, but another one is there
  uint64_t for_memory = 0;     // chosen for the memory that is there
  uint64_t tuned = 0;
  uint64_t bound = 0;

  void add(const Cycles& layer, uint64_t layers) {
    simple_memory += layers * layer.simple_memory;
    for_simple += layers * layer.for_simple;
    for_memory += layers * layer.for_memory;
    tuned += layers * layer.tuned;
    bound += layers * layer.bound;
  }
};

class Bench {
 public:
  Bench(const Options& options, Database& database, const CostModel* prior)
      : options_(options),
        database_(database),
        prior_(prior),
        measurer_(makeSimulatorMeasurer(options.workers, {.timeout = std::chrono::minutes(10)})) {}

  Result<Cycles> measure(const Task& task) {
    Cycles cycles;
    Task simple = task;
    simple.memory = {};
    VTA_ASSIGN_OR_RETURN(const kernel::Schedule schedule, compilersChoice(simple));
    VTA_ASSIGN_OR_RETURN(cycles.simple_memory, cyclesOf(simple, schedule));
    VTA_ASSIGN_OR_RETURN(cycles.for_simple, cyclesOf(task, schedule));
    VTA_ASSIGN_OR_RETURN(const TunedTask found, tune(task, "learned", options_.trials));
    VTA_ASSIGN_OR_RETURN(const TunedTask proven, tune(task, "exhaustive", options_.proof_trials));
    cycles.for_memory = found.default_cycles;
    cycles.tuned = proven.best->cycles;
    cycles.bound = proven.floor_cycles;
    return cycles;
  }

 private:
  Result<uint64_t> cyclesOf(const Task& task, const kernel::Schedule& schedule) {
    VTA_RETURN_IF_ERROR(measurer_->begin(task));
    const Measurement measured = measurer_->measure({&schedule, 1}, kAnyCycles).front();
    if (measured.outcome == Outcome::kCycles) return measured.cycles;
    return internalError(task.desc.name + ": " + measured.error);
  }

  Result<TunedTask> tune(const Task& task, const char* searcher, int64_t trials) {
    const bool is_proof = std::string_view(searcher) == "exhaustive";
    VTA_ASSIGN_OR_RETURN(const SearcherKind* const kind, findSearcher(searcher));
    Tuner tuner(&database_, {.searcher = kind,
                             .trials = trials,
                             .patience = is_proof ? 0 : trials,
                             .tolerance = options_.tolerance,
                             .prior = prior_});
    VTA_ASSIGN_OR_RETURN(const auto results, tuner.run({&task, 1}, *measurer_));
    return results.front();
  }

  const Options& options_;
  Database& database_;
  const CostModel* prior_;
  std::unique_ptr<Measurer> measurer_;
};

Result<std::vector<Task>> tasksOf(const std::string& network, const HwConfig& hw,
                                  const std::string& memory_name) {
  std::vector<kernel::KernelDesc> kernels;
  for (const auto& layer : kernel::testing::networks().at(network)(hw)) {
    kernels.push_back(layer.desc);
  }
  return testing::tasksWithMemory(kernels, hw, memory_name);
}

/// The share of `loss` cycles that `cycles` are below `before`.
Json shareOf(uint64_t before, uint64_t cycles, double loss) {
  return (static_cast<double>(before) - static_cast<double>(cycles)) / loss;
}

Json rowOf(const Cycles& sum, size_t layers, size_t close) {
  Json row = {{"simple_memory", sum.simple_memory},
              {"for_simple", sum.for_simple},
              {"for_memory", sum.for_memory},
              {"tuned", sum.tuned},
              {"bound", sum.bound},
              {"close", fmt::format("{} of {}", close, layers)}};
  const double loss = static_cast<double>(sum.for_simple) - static_cast<double>(sum.simple_memory);
  if (loss <= 0.01 * static_cast<double>(sum.simple_memory)) return row;  // nothing to win back
  row["loss"] = loss / static_cast<double>(sum.simple_memory);
  row["won_by_choice"] = shareOf(sum.for_simple, sum.for_memory, loss);
  row["won_by_tuning"] = shareOf(sum.for_simple, sum.tuned, loss);
  row["won_at_most"] = shareOf(sum.for_simple, sum.bound, loss);
  return row;
}

/// The row of a network with a memory.
Result<Json> measureNetwork(Bench& bench, const std::string& title, std::span<const Task> tasks) {
  Cycles sum;
  size_t close = 0;
  for (const Task& task : tasks) {
    VTA_ASSIGN_OR_RETURN(const Cycles layer, bench.measure(task));
    sum.add(layer, task.layers.size());
    const bool is_close =
        static_cast<double>(layer.tuned) <= (1 + kWantedGap) * static_cast<double>(layer.bound) + 1;
    close += is_close ? 1 : 0;
    fmt::print(stderr, "{}, {}: chosen for simple {}, for the memory {}, tuned {}, bound {}{}\n",
               task.desc.name, title, layer.for_simple, layer.for_memory, layer.tuned, layer.bound,
               is_close ? "" : ": far");
  }
  return rowOf(sum, tasks.size(), close);
}

Status run(const Options& options) {
  VTA_ASSIGN_OR_RETURN(Database database,
                       Database::open(options.database, Database::Access::kWrite));
  std::optional<CostModel> prior;
  if (!options.prior.empty()) {
    VTA_ASSIGN_OR_RETURN(prior, testing::readCostModel(options.prior));
  }
  Bench bench(options, database, prior ? &*prior : nullptr);
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, loadHwConfig(options.hw));
  Json rows = Json::object();
  for (const std::string& network : options.networks) {
    for (const std::string& memory : options.memories) {
      VTA_ASSIGN_OR_RETURN(const auto tasks, tasksOf(network, hw, memory));
      const std::string title = fmt::format("{}, {}", network, tasks.front().memory.name);
      VTA_ASSIGN_OR_RETURN(rows[title], measureNetwork(bench, title, tasks));
      fmt::print(stderr, "{}: {}\n", title, rows[title].dump());
    }
  }
  fmt::print("{}\n", rows.dump(1));
  return {};
}

}  // namespace
}  // namespace vta::tune

int main(int argc, char** argv) {
  vta::tune::Options options;
  CLI::App app{"Schedules for memories: chosen, tuned and bounds, as JSON"};
  app.add_option("--network", options.networks)
      ->check(CLI::IsMember(vta::kernel::testing::networks()));
  app.add_option("--hw", options.hw, "accelerator configuration");
  app.add_option("--dram", options.memories, "memories; default: simple");
  app.add_option("--cost-model", options.prior, "cost model that searches begin with");
  app.add_option("--db", options.database, "tuning database that keeps what was measured")
      ->capture_default_str();
  app.add_option("--trials", options.trials, "trials of the learned searcher for each layer")
      ->capture_default_str();
  app.add_option("--proof-trials", options.proof_trials,
                 "trials of each layer, the exhaustive searcher's included")
      ->capture_default_str();
  app.add_option("--tolerance", options.tolerance, "of the proofs")->capture_default_str();
  app.add_option("--workers", options.workers, "processes that simulate")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return vta::tune::testing::endBenchmark("bench_memory_schedules", vta::tune::run(options));
}
