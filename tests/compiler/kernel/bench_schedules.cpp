// How good default schedules are: for each distinct layer of a network, the cycles of the default
// one beside those of the best that simulation finds among all whose estimate is within a factor of
// the smallest estimate.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/kernel/cost_model.h"
#include "tests/compiler/kernel/cycle_runner.h"

namespace vta::kernel::testing {
namespace {

struct Options {
  std::string network = "resnet18";
  std::string hw = VTA_SOURCE_DIR "/configs/hw/default.yaml";
  std::string layer;    // only this one
  double factor = 1.5;  // of the smallest estimate
  bool json = false;
  bool rank = false;
};

struct Candidate {
  Schedule schedule;
  double estimate = 0;
  uint64_t cycles = 0;
};

struct Found {
  double bound = 0;
  Candidate chosen;
  std::vector<Candidate> candidates;  // the fastest first
};

Result<Candidate> simulate(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                           CycleRunner& runner) {
  VTA_ASSIGN_OR_RETURN(const Program program, lower(desc, schedule, hw));
  VTA_ASSIGN_OR_RETURN(const sim::CycleCounters counters, runner.run(program));
  return Candidate{schedule, estimateCost(desc, schedule, hw).cycles, counters.cycles};
}

Result<Found> search(const KernelDesc& desc, const Options& options, const HwConfig& hw,
                     CycleRunner& runner) {
  Found found;
  found.bound = boundOf(desc, hw).cycles(hw);
  VTA_ASSIGN_OR_RETURN(const Schedule schedule, defaultSchedule(desc, hw));
  VTA_ASSIGN_OR_RETURN(found.chosen, simulate(desc, schedule, hw, runner));
  const std::vector<Schedule> schedules = enumerateSchedules(desc, hw);
  std::vector<double> estimates;
  for (const Schedule& s : schedules) estimates.push_back(estimateCost(desc, s, hw).cycles);
  const double limit = options.factor * *std::ranges::min_element(estimates);
  for (size_t i = 0; i < schedules.size(); ++i) {
    if (estimates[i] > limit) continue;
    VTA_ASSIGN_OR_RETURN(const Candidate candidate, simulate(desc, schedules[i], hw, runner));
    found.candidates.push_back(candidate);
  }
  std::ranges::stable_sort(found.candidates, {}, &Candidate::cycles);
  return found;
}

void print(const std::string& name, const Found& found, const Options& options) {
  const Candidate& best = found.candidates.front();
  const double behind = static_cast<double>(found.chosen.cycles) / static_cast<double>(best.cycles);
  fmt::print("{:<22}{:>10.0f}{:>10}{:>10}{:>7.1f}%{:>7}  {}\n{:>68}{}\n", name, found.bound,
             found.chosen.cycles, best.cycles, 100 * (behind - 1), found.candidates.size(),
             found.chosen.schedule.toString(), "", best.schedule.toString());
  constexpr size_t kRanked = 10;
  for (size_t i = 0; options.rank && i < std::min(kRanked, found.candidates.size()); ++i) {
    const Candidate& c = found.candidates[i];
    fmt::print("{:>32}{:>10}  estimate{:>10.0f}  {}\n", "", c.cycles, c.estimate,
               c.schedule.toString());
  }
  std::fflush(stdout);
}

Status run(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, loadHwConfig(options.hw));
  VTA_ASSIGN_OR_RETURN(CycleRunner runner, CycleRunner::create(hw));
  std::vector<KernelDesc> searched;
  nlohmann::ordered_json out;
  for (const NetworkLayer& layer : networks().at(options.network)(hw)) {
    if (!options.layer.empty() && layer.desc.name != options.layer) continue;
    KernelDesc shape = layer.desc;
    shape.name.clear();
    if (std::ranges::find(searched, shape) != searched.end()) continue;
    searched.push_back(shape);
    VTA_ASSIGN_OR_RETURN(const Found found, search(layer.desc, options, hw, runner));
    if (!options.json) print(layer.desc.name, found, options);
    out[layer.desc.name] = {{"bound", found.bound},
                            {"default", found.chosen.cycles},
                            {"best", found.candidates.front().cycles},
                            {"simulated", found.candidates.size()}};
  }
  if (options.json) fmt::print("{}\n", out.dump(1));
  return {};
}

}  // namespace
}  // namespace vta::kernel::testing

int main(int argc, char** argv) {
  using vta::kernel::testing::Options;
  Options options;
  CLI::App app{"Default schedules beside the best that simulation finds"};
  std::vector<std::string> names;
  for (const auto& [name, make] : vta::kernel::testing::networks()) names.push_back(name);
  app.add_option("--network", options.network)->check(CLI::IsMember(names));
  app.add_option("--hw", options.hw, "hardware configuration");
  app.add_option("--layer", options.layer, "only this layer");
  app.add_option("--factor", options.factor,
                 "simulate the schedules whose estimate is within this factor of the smallest");
  app.add_flag("--rank", options.rank, "print the ten fastest with their estimates");
  app.add_flag("--json", options.json);
  CLI11_PARSE(app, argc, argv);
  const vta::Status status = vta::kernel::testing::run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "bench_schedules: %s\n", status.message().c_str());
  return 1;
}
