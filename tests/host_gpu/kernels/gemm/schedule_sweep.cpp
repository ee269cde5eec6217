#include "tests/host_gpu/kernels/gemm/schedule_sweep.h"

#include <array>
#include <initializer_list>
#include <random>
#include <set>

namespace vta::codegen::testing {
namespace {

constexpr size_t kSchedulesOfProduct = 400;

using Pair = std::array<int64_t, 4>;  // a number's place and its value, twice

GemmSchedule randomSchedule(const GemmSpec& spec, std::mt19937& random) {
  const auto pick = [&](std::initializer_list<int64_t> values) {
    return values.begin()[random() % values.size()];
  };
  for (;;) {
    GemmSchedule schedule{.block_rows = pick({4, 8, 12, 16, 32}),
                          .block_columns = pick({4, 8, 12, 16, 32}),
                          .block_depth = pick({4, 8, 16, 32}),
                          .tile_rows = pick({1, 2, 4}),
                          .tile_columns = pick({1, 2, 4}),
                          .stages = pick({1, 2}),
                          .split_depth = pick({1, 1, 2, 4}),
                          .split_grid = pick({1, 1, 1, 2, 3}),
                          .vector = pick({1, 2, 4}),
                          .unroll = pick({1, 2, 4}),
                          .tier = static_cast<GemmTier>(pick({0, 1})),
                          .order = static_cast<GemmOrder>(pick({0, 1}))};
    if (brokenRule(spec, schedule, {}).empty()) return schedule;
  }
}

template <typename See>
void forEachPair(const Trial& trial, See see) {
  const std::vector<int64_t> values = trial.values();
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      see(Pair{static_cast<int64_t>(i), values[i], static_cast<int64_t>(j), values[j]});
    }
  }
}

}  // namespace

std::vector<int64_t> Trial::values() const {
  std::vector<int64_t> values;
  for (const GemmScheduleField& field : gemmScheduleFields()) values.push_back(field.get(schedule));
  values.push_back(static_cast<int64_t>(device));
  return values;
}

std::vector<Trial> possibleTrials(const std::vector<GemmSpec>& specs, size_t product,
                                  size_t devices) {
  std::mt19937 random(static_cast<unsigned>(product));
  std::vector<Trial> trials;
  for (size_t i = 0; i < kSchedulesOfProduct; ++i) {
    const GemmSchedule schedule = randomSchedule(specs[product], random);
    for (size_t device = 0; device < devices; ++device) {
      trials.push_back({product, schedule, device});
    }
  }
  return trials;
}

std::vector<Trial> chooseTrials(const std::vector<GemmSpec>& specs, size_t devices,
                                size_t of_each_product) {
  std::vector<Trial> chosen;
  std::set<Pair> seen;
  for (size_t round = 0; round < of_each_product; ++round) {
    for (size_t product = 0; product < specs.size(); ++product) {
      const std::vector<Trial> possible = possibleTrials(specs, product, devices);
      const Trial* best = nullptr;
      size_t most = 0;
      for (const Trial& trial : possible) {
        size_t fresh = 0;
        forEachPair(trial, [&](const Pair& pair) { fresh += seen.contains(pair) ? 0 : 1; });
        if (best != nullptr && fresh <= most) continue;
        best = &trial;
        most = fresh;
      }
      chosen.push_back(*best);
      forEachPair(*best, [&](const Pair& pair) { seen.insert(pair); });
    }
  }
  return chosen;
}

size_t countPairs(const std::vector<Trial>& trials) {
  std::set<Pair> seen;
  for (const Trial& trial : trials) {
    forEachPair(trial, [&](const Pair& pair) { seen.insert(pair); });
  }
  return seen.size();
}

}  // namespace vta::codegen::testing
