#include "compiler/kernel/chain/chain_chooser.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/thread_pool.h"
#include "compiler/kernel/chain/chain_search.h"
#include "compiler/kernel/lower.h"

namespace vta::kernel {
namespace {

constexpr uint64_t kAnyCycles = std::numeric_limits<uint64_t>::max();

bool isSame(const ScheduledKernel& a, const ScheduledKernel& b) {
  if (a.schedule != b.schedule) return false;
  KernelDesc named = a.desc;
  named.name = b.desc.name;
  return named == b.desc;
}

/// Two kernels that may be a chain, and what their search found.
struct Search {
  const ScheduledKernel* producer = nullptr;
  const ScheduledKernel* consumer = nullptr;
  uint64_t apart_cycles = 0;
  std::optional<FoundChain> found = {};
  Status status = {};

  bool isFor(const ScheduledKernel& first, const ScheduledKernel& second) const {
    return isSame(*producer, first) && isSame(*consumer, second);
  }
};

Result<uint64_t> cyclesAlone(const ScheduledKernel& kernel, const HwConfig& hw,
                             const MeasureProgram& measure) {
  VTA_ASSIGN_OR_RETURN(const Program program, lower(kernel.desc, kernel.schedule, hw));
  VTA_ASSIGN_OR_RETURN(const auto cycles, measure(program, kAnyCycles));
  return cycles.value_or(kAnyCycles);
}

Status run(Search& search, const HwConfig& hw, const ScheduleHints& hints, int trials) {
  VTA_ASSIGN_OR_RETURN(const uint64_t first, cyclesAlone(*search.producer, hw, hints.measure));
  VTA_ASSIGN_OR_RETURN(const uint64_t second, cyclesAlone(*search.consumer, hw, hints.measure));
  search.apart_cycles = first + second;
  const Chain chain{search.producer->desc, search.consumer->desc};
  VTA_ASSIGN_OR_RETURN(search.found, searchChain(chain, hw, hints, search.apart_cycles, trials));
  return {};
}

void runAll(std::vector<Search>& searches, const HwConfig& hw, const ScheduleHints& hints,
            int trials) {
  auto run_range = [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      searches[i].status = run(searches[i], hw, hints, trials);
    }
  };
  ThreadPool threads(static_cast<unsigned>(std::max(hints.threads, 0)));
  threads.parallelFor(
      [](void* closure, int64_t begin, int64_t end) {
        (*static_cast<decltype(run_range)*>(closure))(begin, end);
      },
      &run_range, std::ssize(searches));
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
  std::vector<bool> is_passed(num_kernels, false);  // a path goes on behind it
  for (size_t k = 0; k < num_kernels; ++k) {
    if (ending_at[k] == nullptr) continue;
    const size_t from = ending_at[k]->pair.producer;
    const ChosenChain* const before = ending_at[from];
    const uint64_t up_to = before == nullptr ? 0 : best[before->pair.producer].won_cycles;
    const uint64_t with = up_to + ending_at[k]->won_cycles;
    best[k] = {std::max(with, best[from].won_cycles), with > best[from].won_cycles};
    is_passed[from] = true;
  }
  std::vector<ChosenChain> chosen;
  for (size_t k = 0; k < num_kernels; ++k) {
    if (is_passed[k]) continue;
    for (const ChosenChain* at = ending_at[k]; at != nullptr;) {
      const bool is_taken = best[at->pair.consumer].takes_pair;
      if (is_taken) chosen.push_back(*at);
      at = ending_at[at->pair.producer];
      if (is_taken && at != nullptr) at = ending_at[at->pair.producer];
    }
  }
  std::ranges::sort(chosen, {}, [](const ChosenChain& chain) { return chain.pair.consumer; });
  return chosen;
}

}  // namespace

Result<std::vector<ChosenChain>> chooseChains(std::span<const ScheduledKernel> kernels,
                                              std::span<const KernelPair> pairs, const HwConfig& hw,
                                              const ScheduleHints& hints, int trials) {
  if (!hints.measure) return std::vector<ChosenChain>();
  std::vector<Search> searches;
  std::vector<std::pair<KernelPair, size_t>> searched;  // and the number of its search
  for (const KernelPair& pair : pairs) {
    const ScheduledKernel& first = kernels[pair.producer];
    const ScheduledKernel& second = kernels[pair.consumer];
    if (!checkChain({first.desc, second.desc}, hw).ok()) continue;
    const auto known = std::ranges::find_if(
        searches, [&](const Search& search) { return search.isFor(first, second); });
    searched.emplace_back(pair, known - searches.begin());
    if (known == searches.end()) searches.push_back({&first, &second});
  }
  runAll(searches, hw, hints, trials);
  std::vector<ChosenChain> faster;
  for (const auto& [pair, number] : searched) {
    const Search& search = searches[number];
    if (!search.status.ok()) return search.status;
    if (!search.found) continue;
    faster.push_back({pair, search.found->schedule, search.apart_cycles - search.found->cycles});
  }
  return bestOf(faster, kernels.size());
}

}  // namespace vta::kernel
