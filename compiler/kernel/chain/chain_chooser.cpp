#include "compiler/kernel/chain/chain_chooser.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/thread_pool.h"
#include "compiler/kernel/chain/chain_search.h"
#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/floor/schedule_floor.h"

namespace vta::kernel {
namespace {

constexpr uint64_t kAnyCycles = std::numeric_limits<uint64_t>::max();

/// Two kernels that may be a chain, and what their search found.
struct Search {
  KernelPair pair;
  uint64_t apart_cycles = 0;
  std::optional<FoundChain> found = {};
  Status status = {};
};

Result<uint64_t> cyclesAlone(const ScheduledKernel& kernel, const HwConfig& hw,
                             const MeasureProgram& measure) {
  VTA_ASSIGN_OR_RETURN(const Program program, lower(kernel.desc, kernel.schedule, hw));
  VTA_ASSIGN_OR_RETURN(const auto cycles, measure(program, kAnyCycles));
  return cycles.value_or(kAnyCycles);
}

Status run(Search& search, std::span<const ScheduledKernel> kernels, const HwConfig& hw,
           const ScheduleHints& hints, int trials) {
  const ScheduledKernel& first = kernels[search.pair.producer];
  const ScheduledKernel& second = kernels[search.pair.consumer];
  for (const ScheduledKernel* kernel : {&first, &second}) {
    VTA_ASSIGN_OR_RETURN(const uint64_t cycles, cyclesAlone(*kernel, hw, hints.measure));
    search.apart_cycles += cycles;
  }
  VTA_ASSIGN_OR_RETURN(
      search.found, searchChain({first.desc, second.desc}, hw, hints, search.apart_cycles, trials));
  return {};
}

/// The kernels without their names: what a schedule depends on.
std::vector<ScheduledKernel> shapesOf(std::span<const ScheduledKernel> kernels) {
  std::vector<ScheduledKernel> shapes;
  for (const ScheduledKernel& kernel : kernels) {
    shapes.push_back({withoutName(kernel.desc), kernel.schedule});
  }
  return shapes;
}

/// The most that chains win among the kernels up to one, and whether the last pair is one of them.
struct Best {
  uint64_t won_cycles = 0;
  bool takes_pair = false;
};

// A kernel is in two pairs at most, so pairs form paths. Along each path the best choice up to a
// kernel takes the pair that ends there, or it does not.
std::vector<ChosenChain> bestOf(std::span<const ChosenChain> chains, size_t num_kernels) {
  std::vector<const ChosenChain*> ending_at(num_kernels, nullptr);
  for (const ChosenChain& chain : chains) ending_at[chain.pair.consumer] = &chain;
  std::vector<Best> best(num_kernels);
  for (size_t k = 0; k < num_kernels; ++k) {
    if (ending_at[k] == nullptr) continue;
    const size_t from = ending_at[k]->pair.producer;
    const ChosenChain* const before = ending_at[from];
    const uint64_t up_to = before == nullptr ? 0 : best[before->pair.producer].won_cycles;
    const uint64_t with = up_to + ending_at[k]->won_cycles;
    best[k] = {std::max(with, best[from].won_cycles), with > best[from].won_cycles};
  }
  // Back from the ends of the paths; the producer of a pair that is taken is in no other pair.
  std::vector<ChosenChain> chosen;
  std::vector<bool> is_producer(num_kernels, false);
  for (size_t k = num_kernels; k-- > 0;) {
    if (is_producer[k] || !best[k].takes_pair) continue;
    chosen.push_back(*ending_at[k]);
    is_producer[ending_at[k]->pair.producer] = true;
  }
  std::ranges::reverse(chosen);
  return chosen;
}

}  // namespace

Result<std::vector<ChosenChain>> chooseChains(std::span<const ScheduledKernel> kernels,
                                              std::span<const KernelPair> pairs, const HwConfig& hw,
                                              const ScheduleHints& hints, int trials) {
  if (!hints.measure) return std::vector<ChosenChain>();
  const std::vector<ScheduledKernel> shapes = shapesOf(kernels);
  std::vector<Search> searches;
  std::vector<std::pair<KernelPair, size_t>> searched;  // and the number of its search
  for (const KernelPair& pair : pairs) {
    if (!checkChain({kernels[pair.producer].desc, kernels[pair.consumer].desc}, hw).ok()) continue;
    const auto known = std::ranges::find_if(searches, [&](const Search& search) {
      return shapes[search.pair.producer] == shapes[pair.producer] &&
             shapes[search.pair.consumer] == shapes[pair.consumer];
    });
    searched.emplace_back(pair, known - searches.begin());
    if (known == searches.end()) searches.push_back({pair});
  }
  ThreadPool threads(static_cast<unsigned>(std::max(hints.threads, 0)));
  threads.forEach(std::ssize(searches), [&](int64_t number) {
    Search& search = searches[static_cast<size_t>(number)];
    search.status = run(search, kernels, hw, hints, trials);
  });
  std::vector<ChosenChain> faster;
  for (const auto& [pair, number] : searched) {
    const Search& search = searches[number];
    if (!search.status.ok()) return search.status;
    if (!search.found) continue;
    faster.push_back({pair, search.found->schedule, search.apart_cycles - search.found->cycles});
  }
  return bestOf(faster, kernels.size());
}

MeasureProgram measureFloors(const HwConfig& hw, const MemoryTraits& memory) {
  return [hw, memory](const Program& program, uint64_t most) -> Result<std::optional<uint64_t>> {
    const uint64_t cycles = leastCycles(program, hw, memory);
    return cycles <= most ? std::optional(cycles) : std::nullopt;
  };
}

}  // namespace vta::kernel
