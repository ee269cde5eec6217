// How many trials the learned searcher needs, beside the AutoTVM-like one and random search.
//
// For each layer: the trials after which the learned searcher is as good as the AutoTVM-like one is
// after 1,000 trials (the median of its seeds), and the trials after which it and random search are
// within 2 % of the proven best. A search that does not get there counts as 1,000 trials, or as
// its whole space. --first-batch says how good the first 16 trials are, with a cost model that
// learned elsewhere and without.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "explore/tune/measure/simulator.h"
#include "explore/tune/search/registry.h"
#include "tests/benchmarks/tune/measured_task.h"
#include "tests/benchmarks/tune/tuning_bench.h"
#include "tests/compiler/kernel/cycles/network_program.h"

namespace vta::tune {
namespace {

using testing::MeasuredTask;
using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> networks = {"resnet18"};
  std::vector<std::string> hws = {"configs/hw/default.yaml"};
  std::vector<std::string> memories = {"simple"};
  std::vector<std::string> layers;  // empty: all
  int64_t seeds = 10;
  int64_t most_layers = 1000;
  std::string prior;     // file of a cost model; empty: none
  std::string database;  // of what was measured before; empty: none
  bool first_batch = false;
  bool each_layer = false;
};

/// What all measurements share.
struct Bench {
  const Options& options;
  Measurer& measurer;
  Database* database;
  const CostModel* prior;
};

constexpr size_t kPeerTrials = 1000;
constexpr size_t kWantedTrials = 120;  // 12 % of the peer's
constexpr double kClose = 1 / 0.98;

/// The trials of a random search until one is within `goal` cycles; its whole space if none is. It
/// learns nothing, so a simulation may end where the trial is not good enough.
Result<size_t> randomTrialsTo(MeasuredTask& task, uint64_t seed, double goal) {
  const auto searcher = (*findSearcher("random"))->make({.space = &task.space(), .seed = seed});
  const auto limit = static_cast<uint64_t>(goal);
  for (size_t trials = 1;; ++trials) {
    VTA_ASSIGN_OR_RETURN(const auto batch, searcher->propose(1));
    if (batch.empty()) return trials - 1;
    VTA_ASSIGN_OR_RETURN(const bool is_within, task.isWithin(batch.front(), limit));
    if (is_within) return trials;
  }
}

/// The best cycles after each trial of one search, which ends at `goal` cycles.
Result<std::vector<uint64_t>> search(MeasuredTask& task, const char* searcher_name, uint64_t seed,
                                     const CostModel* prior, size_t most_trials, double goal) {
  const auto searcher =
      (*findSearcher(searcher_name))->make({.space = &task.space(), .seed = seed, .prior = prior});
  std::vector<uint64_t> best_after;
  uint64_t best = kAnyCycles;
  while (best_after.size() < most_trials && static_cast<double>(best) > goal) {
    VTA_ASSIGN_OR_RETURN(const auto batch, searcher->propose(searcher->batchSize()));
    if (batch.empty()) break;
    VTA_ASSIGN_OR_RETURN(const auto trials, task.measure(batch, kAnyCycles));
    for (const Trial& trial : trials) {
      best = std::min(best, *trial.cycles);
      best_after.push_back(best);
    }
    VTA_RETURN_IF_ERROR(searcher->tell(trials));
  }
  return best_after;
}

size_t trialsTo(const std::vector<uint64_t>& best_after, double cycles, size_t if_never) {
  for (size_t i = 0; i < best_after.size(); ++i) {
    if (static_cast<double>(best_after[i]) <= cycles) return i + 1;
  }
  return if_never;
}

template <typename T>
T medianOf(std::vector<T> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Trials that searches of one layer need.
struct LayerResult {
  size_t schedules = 0;
  uint64_t best_cycles = 0;
  std::vector<size_t> to_peer;  // of each seed, the learned searcher
  std::vector<size_t> learned_to_close, random_to_close;
};

/// The median over seeds of the AutoTVM-like searcher's best after kPeerTrials. A search ends
/// earlier when it has the proven best, `best_cycles`.
Result<double> peerCycles(MeasuredTask& task, int64_t seeds, uint64_t best_cycles) {
  std::vector<uint64_t> bests;
  for (int64_t seed = 1; seed <= seeds; ++seed) {
    VTA_ASSIGN_OR_RETURN(const auto run,
                         search(task, "autotvm", static_cast<uint64_t>(seed), nullptr, kPeerTrials,
                                static_cast<double>(best_cycles)));
    bests.push_back(run[std::min(run.size(), kPeerTrials) - 1]);
  }
  return static_cast<double>(medianOf(bests));
}

Result<LayerResult> measureLayer(const Task& of, const Bench& bench) {
  VTA_ASSIGN_OR_RETURN(MeasuredTask task, MeasuredTask::create(of, bench.measurer, bench.database));
  LayerResult result;
  result.schedules = task.space().size();
  VTA_ASSIGN_OR_RETURN(result.best_cycles, task.provenBest());
  VTA_ASSIGN_OR_RETURN(const double peer,
                       peerCycles(task, bench.options.seeds, result.best_cycles));
  const double close = kClose * static_cast<double>(result.best_cycles);
  for (int64_t n = 1; n <= bench.options.seeds; ++n) {
    const auto seed = static_cast<uint64_t>(n);
    VTA_ASSIGN_OR_RETURN(const auto learned, search(task, "learned", seed, bench.prior, kPeerTrials,
                                                    std::min(peer, close)));
    VTA_ASSIGN_OR_RETURN(const size_t random, randomTrialsTo(task, seed, close));
    result.to_peer.push_back(trialsTo(learned, peer, kPeerTrials));
    result.learned_to_close.push_back(trialsTo(learned, close, kPeerTrials));
    result.random_to_close.push_back(random);
  }
  return result;
}

/// The fewest and the most trials of all seeds and layers.
struct Spread {
  size_t least = std::numeric_limits<size_t>::max();
  size_t most = 0;

  void add(const std::vector<size_t>& trials) {
    least = std::min(least, std::ranges::min(trials));
    most = std::max(most, std::ranges::max(trials));
  }
  std::string text() const { return fmt::format("{} to {}", least, most); }
};

/// Layers of one network, accelerator and memory as one row.
Json rowOf(const std::vector<LayerResult>& layers) {
  std::vector<size_t> medians;
  size_t within = 0, learned = 0, random = 0, schedules = 0;
  Spread to_peer, learned_spread, random_spread;
  for (const LayerResult& layer : layers) {
    medians.push_back(medianOf(layer.to_peer));
    if (medians.back() <= kWantedTrials) ++within;
    to_peer.add(layer.to_peer);
    learned_spread.add(layer.learned_to_close);
    random_spread.add(layer.random_to_close);
    learned += medianOf(layer.learned_to_close);
    random += medianOf(layer.random_to_close);
    schedules += layer.schedules;
  }
  return {{"layers", layers.size()},
          {"schedules", schedules},
          {"peer_trials", kPeerTrials},
          {"to_peer", medianOf(medians)},
          {"to_peer_spread", to_peer.text()},
          {"layers_within", fmt::format("{} of {}", within, layers.size())},
          {"learned_to_close", learned},
          {"learned_spread", learned_spread.text()},
          {"random_to_close", random},
          {"random_spread", random_spread.text()}};
}

/// The best cycles of the first trials of each seed.
Result<std::vector<uint64_t>> firstTrials(MeasuredTask& task, int64_t seeds,
                                          const CostModel* prior) {
  constexpr size_t kFirstTrials = 16;
  std::vector<uint64_t> bests;
  for (int64_t seed = 1; seed <= seeds; ++seed) {
    VTA_ASSIGN_OR_RETURN(const auto run, search(task, "learned", static_cast<uint64_t>(seed), prior,
                                                kFirstTrials, 0));
    bests.push_back(run[std::min(run.size(), kFirstTrials) - 1]);
  }
  return bests;
}

/// How good the learned searcher's first trials are, with the cost model and without: the median
/// and the worst of all seeds.
Result<Json> measureFirstBatch(const Task& of, const Bench& bench) {
  VTA_ASSIGN_OR_RETURN(MeasuredTask task, MeasuredTask::create(of, bench.measurer, bench.database));
  VTA_ASSIGN_OR_RETURN(const auto cold, firstTrials(task, bench.options.seeds, nullptr));
  VTA_ASSIGN_OR_RETURN(const auto warm, firstTrials(task, bench.options.seeds, bench.prior));
  VTA_ASSIGN_OR_RETURN(const uint64_t proven, task.provenBest());
  const auto shareOf = [&](uint64_t cycles) {
    return static_cast<double>(proven) / static_cast<double>(cycles);
  };
  return Json{{"schedules", task.space().size()},
              {"best_cycles", proven},
              {"cold_share", shareOf(medianOf(cold))},
              {"warm_share", shareOf(medianOf(warm))},
              {"warm_worst", shareOf(std::ranges::max(warm))}};
}

/// The contractions of a network, no two with the same shape.
Result<std::vector<Task>> tasksOf(const Options& options, const std::string& network,
                                  const HwConfig& hw, const std::string& memory_name) {
  std::vector<kernel::KernelDesc> kernels;
  for (const auto& layer : kernel::testing::networks().at(network)(hw)) {
    const bool is_wanted =
        options.layers.empty() || std::ranges::count(options.layers, layer.desc.name) > 0;
    if (is_wanted && layer.desc.kind == kernel::KernelKind::kContraction) {
      kernels.push_back(layer.desc);
    }
  }
  VTA_ASSIGN_OR_RETURN(std::vector<Task> tasks, testing::tasksWithMemory(kernels, hw, memory_name));
  if (std::ssize(tasks) > options.most_layers) {
    tasks.erase(tasks.begin() + options.most_layers, tasks.end());
  }
  return tasks;
}

/// Adds the rows of one network on one accelerator with one memory.
Status addRows(const Bench& bench, const std::string& name, std::span<const Task> tasks,
               Json& rows) {
  std::vector<LayerResult> layers;
  for (const Task& task : tasks) {
    const std::string layer_name = fmt::format("{}, {}", task.desc.name, name);
    Json row;
    if (bench.options.first_batch) {
      VTA_ASSIGN_OR_RETURN(row, measureFirstBatch(task, bench));
    } else {
      VTA_ASSIGN_OR_RETURN(LayerResult layer, measureLayer(task, bench));
      row = rowOf({layer});
      layers.push_back(std::move(layer));
    }
    fmt::print(stderr, "{}: {}\n", layer_name, row.dump());
    if (bench.options.first_batch || bench.options.each_layer) rows[layer_name] = std::move(row);
  }
  if (!layers.empty() && !bench.options.each_layer) rows[name] = rowOf(layers);
  return {};
}

Status run(const Options& options) {
  std::optional<Database> database;
  if (!options.database.empty()) {
    VTA_ASSIGN_OR_RETURN(database, Database::open(options.database, Database::Access::kWrite));
  }
  std::optional<CostModel> prior;
  if (!options.prior.empty()) {
    VTA_ASSIGN_OR_RETURN(prior, testing::readCostModel(options.prior));
  }
  // Where other programs compute, too, a trial may take long.
  const auto measurer = makeSimulatorMeasurer(2, {.timeout = std::chrono::minutes(10)});
  const Bench bench{options, *measurer, database ? &*database : nullptr, prior ? &*prior : nullptr};
  Json rows = Json::object();
  for (const std::string& file : options.hws) {
    VTA_ASSIGN_OR_RETURN(const HwConfig hw, loadHwConfig(file));
    for (const std::string& memory : options.memories) {
      for (const std::string& network : options.networks) {
        VTA_ASSIGN_OR_RETURN(const auto tasks, tasksOf(options, network, hw, memory));
        if (tasks.empty()) continue;
        const std::string where = fmt::format("{}, {}", hw.name(), tasks.front().memory.name);
        const bool names_layers = options.first_batch || options.each_layer;
        const std::string name = names_layers ? where : fmt::format("{}, {}", network, where);
        VTA_RETURN_IF_ERROR(addRows(bench, name, tasks, rows));
      }
    }
  }
  fmt::print("{}\n", rows.dump(1));
  return {};
}

}  // namespace
}  // namespace vta::tune

int main(int argc, char** argv) {
  vta::tune::Options options;
  CLI::App app{"Trials that searchers need on convolutions of networks, as JSON"};
  app.add_option("--network", options.networks)
      ->check(CLI::IsMember(vta::kernel::testing::networks()));
  app.add_option("--hw", options.hws, "accelerator configurations");
  app.add_option("--dram", options.memories, "memories; default: simple");
  app.add_option("--layer", options.layers, "only these layers");
  app.add_option("--seeds", options.seeds)->check(CLI::Range(1, 1000));
  app.add_option("--most-layers", options.most_layers, "distinct layers of a network, at most")
      ->check(CLI::Range(1, 1000));
  app.add_option("--cost-model", options.prior, "cost model that searches begin with");
  app.add_option("--db", options.database, "tuning database that keeps what was measured");
  app.add_flag("--first-batch", options.first_batch,
               "only the share of the proven best that the first 16 trials reach");
  app.add_flag("--each-layer", options.each_layer, "a row for each layer, not for each network");
  CLI11_PARSE(app, argc, argv);
  return vta::tune::testing::endBenchmark("bench_tuning", vta::tune::run(options));
}
