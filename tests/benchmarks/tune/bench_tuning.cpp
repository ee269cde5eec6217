// How many trials searchers need. Every schedule of each task is measured once; then each searcher
// is replayed with several seeds against these measurements, so that seeds cost hardly anything.
//
// For each searcher: the trials after which its best is as good as that of the AutoTVM-like
// searcher after 1,000 trials, and the trials after which its best is within 2 % of the optimum.
// Medians and extremes over seeds. A search that does not get there counts as all schedules of its
// space. --first-batch says how good the first 16 trials are, with a cost model that learned
// elsewhere and without.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/compiler/kernel/cycles/network_program.h"
#include "tune/database/database.h"
#include "tune/measure/simulator.h"
#include "tune/search/registry.h"
#include "tune/space/vta_space.h"
#include "tune/tuner/tuner.h"

namespace vta::tune {
namespace {

struct Options {
  std::string network = "resnet18";
  std::string hw;
  std::vector<std::string> memories;
  std::vector<std::string> layers;
  int64_t seeds = 10;
  int64_t most_layers = 1000;
  std::string prior;                   // file of a cost model; empty: none
  std::string database;                // of what was measured before; empty: none
  std::vector<std::string> searchers;  // empty: all
  bool first_batch = false;
  bool json = false;
};

constexpr size_t kPeerTrials = 1000;
constexpr double kClose = 1.02;

/// A task with the cycles of all of its schedules.
struct MeasuredTask {
  Task task;
  VtaSpace space;
  std::vector<uint64_t> cycles;  // of each candidate; 0: it failed
  uint64_t best = kAnyCycles;
};

/// What earlier runs measured of `task`, in the database of --db.
Result<std::map<std::string, uint64_t>> knownCycles(const Task& task, const Database* database) {
  std::map<std::string, uint64_t> known;
  if (database == nullptr) return known;
  VTA_ASSIGN_OR_RETURN(const auto trials, database->trials(keyOf(task), kSimulatorSource));
  for (const TrialRecord& trial : trials) {
    if (trial.outcome == Outcome::kCycles) known[trial.schedule] = trial.cycles;
  }
  return known;
}

/// Measures what `known` lacks, adds it there, and keeps it in `database`.
Status measureRest(const Task& task, const VtaSpace& space, Measurer& measurer, Database* database,
                   std::map<std::string, uint64_t>& known) {
  std::vector<kernel::Schedule> schedules;
  for (Candidate i = 0; i < space.size(); ++i) {
    if (!known.contains(scheduleText(space.schedule(i)))) schedules.push_back(space.schedule(i));
  }
  if (schedules.empty()) return {};
  VTA_RETURN_IF_ERROR(measurer.begin(task));
  const std::vector<Measurement> results = measurer.measure(schedules, kAnyCycles);
  std::vector<TrialRecord> trials;
  for (size_t i = 0; i < results.size(); ++i) {
    trials.push_back({.schedule = scheduleText(schedules[i]),
                      .outcome = results[i].outcome,
                      .cycles = results[i].cycles,
                      .searcher = "all"});
    if (results[i].outcome == Outcome::kCycles) known[trials.back().schedule] = results[i].cycles;
  }
  return database == nullptr ? Status()
                             : database->addTrials(storedTask(task), kSimulatorSource, trials);
}

Result<MeasuredTask> measureAll(const Task& task, Measurer& measurer, Database* database) {
  VTA_ASSIGN_OR_RETURN(VtaSpace space, VtaSpace::create(task));
  VTA_ASSIGN_OR_RETURN(auto known, knownCycles(task, database));
  VTA_RETURN_IF_ERROR(measureRest(task, space, measurer, database, known));
  MeasuredTask measured{task, std::move(space), {}};
  for (Candidate i = 0; i < measured.space.size(); ++i) {
    const auto found = known.find(scheduleText(measured.space.schedule(i)));
    measured.cycles.push_back(found == known.end() ? 0 : found->second);
    if (measured.cycles.back() > 0) {
      measured.best = std::min(measured.best, measured.cycles.back());
    }
  }
  return measured;
}

/// The best cycles after each trial of one search.
Result<std::vector<uint64_t>> replay(const MeasuredTask& measured, const SearcherKind& kind,
                                     uint64_t seed, std::span<const Sample> past,
                                     const CostModel* prior) {
  const auto searcher =
      kind.make({.space = &measured.space, .seed = seed, .past = past, .prior = prior});
  std::vector<uint64_t> best_after;
  uint64_t best = kAnyCycles;
  for (;;) {
    const uint64_t limit = searcher->limitCycles();
    VTA_ASSIGN_OR_RETURN(const auto batch, searcher->propose(searcher->batchSize()));
    if (batch.empty()) return best_after;
    std::vector<Trial> trials;
    for (const Candidate i : batch) {
      const uint64_t cycles = measured.cycles[i];
      const bool has_cycles = cycles > 0 && cycles <= limit;
      if (has_cycles) best = std::min(best, cycles);
      best_after.push_back(best);
      trials.push_back({i, has_cycles ? std::optional(cycles) : std::nullopt});
    }
    VTA_RETURN_IF_ERROR(searcher->tell(trials));
    if (best == measured.best) return best_after;  // it cannot get better
  }
}

size_t trialsTo(const std::vector<uint64_t>& best_after, double cycles, size_t if_never) {
  for (size_t i = 0; i < best_after.size(); ++i) {
    if (static_cast<double>(best_after[i]) <= cycles) return i + 1;
  }
  return if_never;
}

struct Spread {
  size_t least, median, most;
};
Spread spreadOf(std::vector<size_t> values) {
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

/// Trials of one searcher on one task.
struct Row {
  Spread to_peer;   // as good as the AutoTVM-like searcher after kPeerTrials
  Spread to_close;  // within 2 % of the optimum
};

Result<Row> measureSearcher(const MeasuredTask& task, const SearcherKind& kind, double peer_cycles,
                            int64_t seeds, std::span<const Sample> past, const CostModel* prior) {
  std::vector<size_t> to_peer;
  std::vector<size_t> to_close;
  for (int64_t seed = 1; seed <= seeds; ++seed) {
    VTA_ASSIGN_OR_RETURN(const auto run,
                         replay(task, kind, static_cast<uint64_t>(seed), past, prior));
    to_peer.push_back(trialsTo(run, peer_cycles, task.space.size()));
    to_close.push_back(trialsTo(run, kClose * static_cast<double>(task.best), task.space.size()));
  }
  return Row{spreadOf(to_peer), spreadOf(to_close)};
}

/// The median over seeds of the peer's best after kPeerTrials.
Result<double> peerCycles(const MeasuredTask& task, int64_t seeds) {
  const SearcherKind* peer = *findSearcher("autotvm");
  std::vector<uint64_t> bests;
  for (int64_t seed = 1; seed <= seeds; ++seed) {
    VTA_ASSIGN_OR_RETURN(const auto run,
                         replay(task, *peer, static_cast<uint64_t>(seed), {}, nullptr));
    bests.push_back(run[std::min(run.size(), kPeerTrials) - 1]);
  }
  std::ranges::sort(bests);
  return static_cast<double>(bests[bests.size() / 2]);
}

std::vector<Sample> samplesOf(const MeasuredTask& task, uint32_t group) {
  // As many as a search leaves in a database.
  constexpr size_t kKept = 200;
  std::vector<Sample> samples;
  const size_t step = task.space.size() / kKept + 1;
  for (size_t n = 0; n < task.space.size(); n += step) {
    const Candidate i = task.space.byEstimate()[n];
    if (task.cycles[i] == 0) continue;
    samples.push_back({task.space.features(i), task.space.estimate(i), task.cycles[i], group});
  }
  return samples;
}

/// Whether a list of names has `name`, or says nothing.
bool isWanted(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

Result<std::vector<Task>> tasksOf(const Options& options) {
  HwConfig hw = HwConfig::makeDefault();
  if (!options.hw.empty()) {
    VTA_ASSIGN_OR_RETURN(hw, loadHwConfig(options.hw));
  }
  std::vector<kernel::KernelDesc> kernels;
  for (const auto& layer : kernel::testing::networks().at(options.network)(hw)) {
    const bool is_wanted = isWanted(options.layers, layer.desc.name);
    if (is_wanted && layer.desc.kind == kernel::KernelKind::kContraction) {
      kernels.push_back(layer.desc);
    }
  }
  std::vector<Task> tasks;
  std::vector<std::string> memories = options.memories;
  if (memories.empty()) memories = {"simple"};
  for (const std::string& name : memories) {
    VTA_ASSIGN_OR_RETURN(sim::MemoryConfig memory, sim::resolveMemoryConfig(name));
    memory.name = std::filesystem::path(name).stem();  // several files are of the simple kind
    std::vector<Task> of_memory = makeTasks(kernels, hw, memory);
    const auto count = std::min(of_memory.size(), static_cast<size_t>(options.most_layers));
    tasks.insert(tasks.end(), of_memory.begin(),
                 of_memory.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return tasks;
}

Result<std::optional<CostModel>> readPrior(const std::string& file) {
  if (file.empty()) return std::optional<CostModel>();
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return notFound("cannot read " + file);
  CostModel model({});
  VTA_RETURN_IF_ERROR(model.loadJson(text.str()));
  return std::optional(std::move(model));
}

/// The fastest of the first batch of the learned searcher, which has seen nothing of the task.
Result<uint64_t> bestOfFirstBatch(const VtaSpace& space, Measurer& measurer,
                                  const CostModel* prior) {
  constexpr size_t kFirstBatch = 16;
  const auto searcher = (*findSearcher("learned"))->make({.space = &space, .prior = prior});
  VTA_ASSIGN_OR_RETURN(const auto batch, searcher->propose(kFirstBatch));
  std::vector<kernel::Schedule> schedules;
  for (const Candidate i : batch) schedules.push_back(space.schedule(i));
  uint64_t best = kAnyCycles;
  for (const Measurement& result : measurer.measure(schedules, kAnyCycles)) {
    if (result.outcome == Outcome::kCycles) best = std::min(best, result.cycles);
  }
  return best;
}

/// How good the first batch is, with the cost model and without, beside the proven best.
Status runFirstBatches(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const std::vector<Task> tasks, tasksOf(options));
  VTA_ASSIGN_OR_RETURN(const std::optional<CostModel> prior, readPrior(options.prior));
  const auto measurer = makeSimulatorMeasurer(2);
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Task& task : tasks) {
    TuneOptions proof;
    proof.searcher = *findSearcher("exhaustive");
    proof.trials = std::numeric_limits<int64_t>::max();
    proof.patience = 0;
    VTA_ASSIGN_OR_RETURN(const auto proven, Tuner(nullptr, proof).run({&task, 1}, *measurer));
    VTA_ASSIGN_OR_RETURN(const VtaSpace space, VtaSpace::create(task));
    VTA_ASSIGN_OR_RETURN(const uint64_t cold, bestOfFirstBatch(space, *measurer, nullptr));
    VTA_ASSIGN_OR_RETURN(const uint64_t warm,
                         bestOfFirstBatch(space, *measurer, prior ? &*prior : nullptr));
    const auto best = static_cast<double>(proven.front().best->cycles);
    nlohmann::ordered_json entry = {
        {"name", fmt::format("{}, {}, {}", task.desc.name, task.hw.name(), task.memory.name)},
        {"schedules", space.size()},
        {"best_cycles", proven.front().best->cycles},
        {"cold_share", best / static_cast<double>(cold)},
        {"warm_share", best / static_cast<double>(warm)}};
    if (!options.json) fmt::print("{}\n", entry.dump());
    std::fflush(stdout);
    out.push_back(std::move(entry));
  }
  if (options.json) fmt::print("{}\n", out.dump(1));
  return {};
}

Status run(const Options& options) {
  if (options.first_batch) return runFirstBatches(options);
  VTA_ASSIGN_OR_RETURN(const std::vector<Task> tasks, tasksOf(options));
  const auto measurer = makeSimulatorMeasurer(2);
  std::optional<Database> database;
  if (!options.database.empty()) {
    VTA_ASSIGN_OR_RETURN(database, Database::open(options.database, Database::Access::kWrite));
  }
  VTA_ASSIGN_OR_RETURN(const std::optional<CostModel> prior, readPrior(options.prior));
  std::vector<Sample> past;  // of the tasks before, as from a database
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  uint32_t group = 0;
  for (const Task& task : tasks) {
    VTA_ASSIGN_OR_RETURN(const MeasuredTask measured,
                         measureAll(task, *measurer, database ? &*database : nullptr));
    VTA_ASSIGN_OR_RETURN(const double peer, peerCycles(measured, options.seeds));
    nlohmann::ordered_json entry = {{"layer", task.desc.name},
                                    {"memory", task.memory.name},
                                    {"schedules", measured.space.size()},
                                    {"best", measured.best},
                                    {"autotvm_1000", peer}};
    for (const SearcherKind& kind : searcherKinds()) {
      if (kind.name == "exhaustive" || !isWanted(options.searchers, kind.name)) continue;
      VTA_ASSIGN_OR_RETURN(const Row row, measureSearcher(measured, kind, peer, options.seeds, past,
                                                          prior ? &*prior : nullptr));
      const auto json = [](const Spread& s) { return std::vector{s.least, s.median, s.most}; };
      entry["searchers"][std::string(kind.name)] = {{"to_peer", json(row.to_peer)},
                                                    {"to_2_percent", json(row.to_close)}};
    }
    if (!options.json) fmt::print("{}\n", entry.dump());
    std::fflush(stdout);
    out.push_back(std::move(entry));
    const std::vector<Sample> samples = samplesOf(measured, group++);
    past.insert(past.end(), samples.begin(), samples.end());
  }
  if (options.json) fmt::print("{}\n", out.dump(1));
  return {};
}

}  // namespace
}  // namespace vta::tune

int main(int argc, char** argv) {
  vta::tune::Options options;
  CLI::App app{"Trials that searchers need, on every convolution of a network"};
  app.add_option("--network", options.network)
      ->check(CLI::IsMember(vta::kernel::testing::networks()));
  app.add_option("--hw", options.hw, "accelerator configuration");
  app.add_option("--dram", options.memories, "memories; default: simple");
  app.add_option("--layer", options.layers, "only these layers");
  app.add_option("--seeds", options.seeds)->check(CLI::Range(1, 1000));
  app.add_option("--most-layers", options.most_layers, "distinct layers, at most")
      ->check(CLI::Range(1, 1000));
  app.add_option("--cost-model", options.prior, "cost model that searchers begin with");
  app.add_option("--db", options.database, "tuning database that keeps what was measured");
  app.add_option("--searcher", options.searchers, "only these searchers");
  app.add_flag("--first-batch", options.first_batch,
               "only the share of the proven best that the first 16 trials reach");
  app.add_flag("--json", options.json);
  CLI11_PARSE(app, argc, argv);
  const vta::Status status = vta::tune::run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "bench_tuning: %s\n", status.message().c_str());
  return 1;
}
