// How good schedules are: for each distinct layer of a network, the cycles of the analytic default
// and of the compiler's choice, which simulates some candidates, beside those of the best of all
// schedules of the space. Schedules are left out only where a proven floor of their cycles shows
// that they are no faster than the best, or faster than the choice by no more than a tolerance; a
// simulation ends when it takes longer than that. So each choice is within the tolerance of the
// best of the space, or the best is found.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/schedule/cost_model.h"
#include "compiler/kernel/schedule/floor/schedule_floor.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "tests/compiler/kernel/cycles/network_program.h"

namespace vta::kernel::testing {
namespace {

struct Options {
  std::string network = "resnet18";
  std::string hw = VTA_SOURCE_DIR "/configs/hw/default.yaml";
  std::string layer;                                        // only this one
  double factor = std::numeric_limits<double>::infinity();  // of the smallest estimate
  double tolerance = 0.02;
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
  Candidate estimated;
  Candidate chosen;
  Candidate best;
  size_t space = 0;
  size_t lowered = 0;
  size_t simulated = 0;
  std::vector<Candidate> candidates;  // with Options::rank: those that were simulated to the end
};

class Search {
 public:
  Search(const KernelDesc& desc, const Options& options, const HwConfig& hw,
         sim::ProgramTimer& timer)
      : desc_(desc), options_(options), hw_(hw), timer_(timer), floor_(desc, hw) {}

  Result<Found> run() {
    Found found;
    found.bound = boundOf(desc_, hw_).cycles(hw_);
    VTA_ASSIGN_OR_RETURN(const Schedule estimated, defaultSchedule(desc_, hw_));
    VTA_ASSIGN_OR_RETURN(found.estimated, simulate(estimated));
    const NetworkLayer layer{.desc = desc_};
    VTA_ASSIGN_OR_RETURN(const auto chosen, chooseSchedules({&layer, 1}, hw_, &timer_));
    VTA_ASSIGN_OR_RETURN(found.chosen, simulate(chosen.front()));
    found.best = std::ranges::min(found.chosen, found.estimated, {}, &Candidate::cycles);
    VTA_RETURN_IF_ERROR(searchAll(found));
    std::ranges::stable_sort(found.candidates, {}, &Candidate::cycles);
    return found;
  }

 private:
  // The most promising first, so that the others have little to beat.
  Status searchAll(Found& found) {
    std::vector<Candidate> all;
    for (const Schedule& schedule : enumerateSchedules(desc_, hw_)) {
      all.push_back({schedule, estimateCost(desc_, schedule, hw_).cycles, 0});
    }
    found.space = all.size();
    std::ranges::stable_sort(all, {}, &Candidate::estimate);
    for (const Candidate& candidate : all) {
      if (candidate.estimate > options_.factor * all.front().estimate) break;
      VTA_RETURN_IF_ERROR(consider(candidate, found));
    }
    return {};
  }

  // Simulates the candidate unless it cannot be faster than the best.
  Status consider(Candidate candidate, Found& found) {
    const uint64_t most = options_.rank ? std::numeric_limits<uint64_t>::max() : wanted(found);
    KernelPlan plan;
    PlanFailure failure;
    if (!makePlan(desc_, candidate.schedule, hw_, plan, failure)) {
      return internalError("a schedule of the space does not fit");
    }
    const uint64_t floor = floor_.leastCycles(candidate.schedule, plan);
    if (floor > most) return {};
    ++found.lowered;
    VTA_ASSIGN_OR_RETURN(const Program program, lower(desc_, candidate.schedule, hw_));
    const uint64_t program_floor = leastCycles(program, hw_);
    if (program_floor > most) return {};
    ++found.simulated;
    VTA_ASSIGN_OR_RETURN(const auto cycles, timer_.cyclesUpTo(program, most));
    if (!cycles) return {};
    if (*cycles < std::max(floor, program_floor)) {
      return internalError("a floor is above the cycles");
    }
    candidate.cycles = *cycles;
    if (candidate.cycles < found.best.cycles) found.best = candidate;
    if (options_.rank) found.candidates.push_back(candidate);
    return {};
  }

  // Cycles of a schedule that makes a difference.
  uint64_t wanted(const Found& found) const {
    const double close = static_cast<double>(found.chosen.cycles) / (1 + options_.tolerance);
    return std::min(found.best.cycles - 1, static_cast<uint64_t>(close));
  }

  Result<Candidate> simulate(const Schedule& schedule) {
    VTA_ASSIGN_OR_RETURN(const Program program, lower(desc_, schedule, hw_));
    VTA_ASSIGN_OR_RETURN(const LaunchCounters counters, timer_.run(program));
    return Candidate{schedule, estimateCost(desc_, schedule, hw_).cycles, counters.cycles};
  }

  const KernelDesc& desc_;
  const Options& options_;
  const HwConfig& hw_;
  sim::ProgramTimer& timer_;
  ScheduleFloor floor_;
};

void print(const std::string& name, const Found& found) {
  const auto behind = [&](const Candidate& candidate) {
    return 100 *
           (static_cast<double>(candidate.cycles) / static_cast<double>(found.best.cycles) - 1);
  };
  fmt::print("{:<22}{:>10.0f} estimated{:>9}{:>6.1f}%  chosen{:>9}{:>6.1f}%  best{:>9}  {}\n", name,
             found.bound, found.estimated.cycles, behind(found.estimated), found.chosen.cycles,
             behind(found.chosen), found.best.cycles, found.best.schedule.toString());
  fmt::print("{:>22}{:>10} schedules, {} lowered, {} simulated\n", "", found.space, found.lowered,
             found.simulated);
  constexpr size_t kRanked = 10;
  for (size_t i = 0; i < std::min(kRanked, found.candidates.size()); ++i) {
    const Candidate& c = found.candidates[i];
    fmt::print("{:>32}{:>10}  estimate{:>10.0f}  {}\n", "", c.cycles, c.estimate,
               c.schedule.toString());
  }
  std::fflush(stdout);
}

Status run(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, loadHwConfig(options.hw));
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, sim::ProgramTimer::create(hw));
  std::vector<KernelDesc> searched;
  nlohmann::ordered_json out;
  for (const NetworkLayer& layer : networks().at(options.network)(hw)) {
    if (!options.layer.empty() && layer.desc.name != options.layer) continue;
    const KernelDesc shape = withoutName(layer.desc);
    if (std::ranges::find(searched, shape) != searched.end()) continue;
    searched.push_back(shape);
    VTA_ASSIGN_OR_RETURN(const Found found, Search(layer.desc, options, hw, timer).run());
    if (!options.json) print(layer.desc.name, found);
    out[layer.desc.name] = {{"bound", found.bound},          {"estimated", found.estimated.cycles},
                            {"cycles", found.chosen.cycles}, {"best", found.best.cycles},
                            {"space", found.space},          {"lowered", found.lowered},
                            {"simulated", found.simulated}};
  }
  if (options.json) fmt::print("{}\n", out.dump(1));
  return {};
}

}  // namespace
}  // namespace vta::kernel::testing

int main(int argc, char** argv) {
  using vta::kernel::testing::Options;
  Options options;
  CLI::App app{"Schedules beside the best that simulation finds"};
  app.add_option("--network", options.network)
      ->check(CLI::IsMember(vta::kernel::testing::networks()));
  app.add_option("--hw", options.hw, "hardware configuration");
  app.add_option("--layer", options.layer, "only this layer");
  app.add_option("--factor", options.factor,
                 "search only schedules whose estimate is within this factor of the smallest");
  app.add_option("--tolerance", options.tolerance,
                 "look only for schedules faster than the choice by more than this share");
  app.add_flag("--rank", options.rank,
               "simulate whatever its floor, and print the ten fastest with their estimates");
  app.add_flag("--json", options.json);
  CLI11_PARSE(app, argc, argv);
  const vta::Status status = vta::kernel::testing::run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "bench_schedules: %s\n", status.message().c_str());
  return 1;
}
