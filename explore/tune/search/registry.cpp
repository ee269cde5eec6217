#include "explore/tune/search/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/closest_name.h"

namespace vta::tune {
namespace {

constexpr SearcherKind kSearchers[] = {
    {"learned",
     "a cost model that starts from the analytic model's estimate and from all trials of "
     "the database, and proposes diverse batches (the default)",
     makeLearnedSearcher, true},
    {"exhaustive",
     "every schedule that a proven floor does not rule out: the optimum, or a proven "
     "gap to it",
     makeExhaustiveSearcher},
    {"autotvm",
     "as in AutoTVM: a ranking model of the schedule alone, batches of 64, one candidate "
     "in twenty at random",
     makeAutoTvmSearcher},
    {"genetic", "crossover and mutation of the fastest schedules", makeGeneticSearcher},
    {"analytic", "in the order of the analytic model", makeAnalyticSearcher},
    {"random", "at random", makeRandomSearcher},
    {"grid", "in the order of the space", makeGridSearcher},
};

}  // namespace

std::span<const SearcherKind> searcherKinds() { return kSearchers; }

Result<const SearcherKind*> findSearcher(std::string_view name) {
  const auto found = std::ranges::find(kSearchers, name, &SearcherKind::name);
  if (found != std::end(kSearchers)) return found;
  const std::vector<std::string> names = namesOf(kSearchers, &SearcherKind::name);
  return invalidArgument(fmt::format("'{}' is no searcher; there are {}{}", name,
                                     fmt::join(names, ", "), suggestion(name, names)));
}

}  // namespace vta::tune
