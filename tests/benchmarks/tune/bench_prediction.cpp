// How many candidates a second the learned searcher can judge: legal schedules found, counted into
// features and predicted by the shipped cost model, on one core. `space/` finds the schedules and
// makes features, floors and estimates; `predict/` asks the trees; `both/` does one after the
// other.
#include <benchmark/benchmark.h>

#include <memory>
#include <numeric>

#include "explore/tune/model/cost_model.h"
#include "explore/tune/space/vta_space.h"
#include "tests/benchmarks/tune/tuning_bench.h"
#include "tests/compiler/kernel/resnet18.h"

namespace vta::tune {
namespace {

struct Case {
  Task task;
  std::shared_ptr<const CostModel> model;
};

/// Stops the benchmark at an error.
template <typename T>
const T* valueOrSkip(const Result<T>& result, benchmark::State& state) {
  if (result.ok()) return &*result;
  state.SkipWithError(result.status().message().c_str());
  return nullptr;
}

void countCandidates(benchmark::State& state, size_t schedules) {
  const auto all = static_cast<double>(schedules) * static_cast<double>(state.iterations());
  state.counters["schedules"] = static_cast<double>(schedules);
  state.counters["candidates_per_second"] = benchmark::Counter(all, benchmark::Counter::kIsRate);
}

Result<std::vector<double>> predictAll(const Space& space, const CostModel& model) {
  std::vector<Candidate> all(space.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<double> estimates;
  std::vector<Features> rows;
  rows.reserve(all.size());
  for (const Candidate i : all) {
    rows.push_back(space.features(i));
    estimates.push_back(space.estimate(i));
  }
  return model.predict(rows, estimates);
}

void benchSpace(benchmark::State& state, const Case& c) {
  size_t schedules = 0;
  for (auto _ : state) {
    const Result<VtaSpace> made = VtaSpace::create(c.task);
    const VtaSpace* space = valueOrSkip(made, state);
    if (space == nullptr) return;
    schedules = space->size();
  }
  countCandidates(state, schedules);
}

void benchPredict(benchmark::State& state, const Case& c) {
  const Result<VtaSpace> made = VtaSpace::create(c.task);
  const VtaSpace* space = valueOrSkip(made, state);
  if (space == nullptr) return;
  for (auto _ : state) {
    const auto scores = predictAll(*space, *c.model);
    if (valueOrSkip(scores, state) == nullptr) return;
  }
  countCandidates(state, space->size());
}

void benchBoth(benchmark::State& state, const Case& c) {
  size_t schedules = 0;
  for (auto _ : state) {
    const Result<VtaSpace> made = VtaSpace::create(c.task);
    const VtaSpace* space = valueOrSkip(made, state);
    if (space == nullptr) return;
    const auto scores = predictAll(*space, *c.model);
    if (valueOrSkip(scores, state) == nullptr) return;
    schedules = space->size();
  }
  countCandidates(state, schedules);
}

Status registerCases() {
  const HwConfig hw = HwConfig::makeDefault();
  VTA_ASSIGN_OR_RETURN(CostModel shipped,
                       testing::readCostModel(VTA_SOURCE_DIR "/configs/tuning/cost-model.json"));
  const auto model = std::make_shared<const CostModel>(std::move(shipped));
  for (const Task& task : makeTasks(kernel::testing::resnet18Kernels(hw), hw, {})) {
    if (task.desc.kind != kernel::KernelKind::kContraction) continue;
    const auto c = std::make_shared<Case>(Case{task, model});
    const auto add = [&](const char* prefix, void (*run)(benchmark::State&, const Case&)) {
      benchmark::RegisterBenchmark((prefix + task.desc.name).c_str(), [c,
                                                                       run](benchmark::State& s) {
        run(s, *c);
      })->Unit(benchmark::kMillisecond);
    };
    add("space/", benchSpace);
    add("predict/", benchPredict);
    add("both/", benchBoth);
  }
  return {};
}

}  // namespace
}  // namespace vta::tune

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const vta::Status status = vta::tune::registerCases();
  if (!status.ok()) return vta::tune::testing::endBenchmark("bench_prediction", status);
  benchmark::RunSpecifiedBenchmarks();
  // Before XGBoost's own end: they hold the model.
  benchmark::ClearRegisteredBenchmarks();
  return 0;
}
