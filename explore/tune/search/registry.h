// The searchers by name.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "explore/tune/search/searcher.h"

namespace vta::tune {

struct SearcherKind {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Searcher> (*make)(const SearchSetup& setup);
  bool learns = false;  // from SearchSetup::past
};

std::span<const SearcherKind> searcherKinds();

/// Error kInvalidArgument: no searcher has this name; it lists those that there are.
Result<const SearcherKind*> findSearcher(std::string_view name);

// One each, in a file of its own.
std::unique_ptr<Searcher> makeLearnedSearcher(const SearchSetup& setup);
std::unique_ptr<Searcher> makeAutoTvmSearcher(const SearchSetup& setup);
std::unique_ptr<Searcher> makeGeneticSearcher(const SearchSetup& setup);
std::unique_ptr<Searcher> makeRandomSearcher(const SearchSetup& setup);
std::unique_ptr<Searcher> makeGridSearcher(const SearchSetup& setup);
std::unique_ptr<Searcher> makeAnalyticSearcher(const SearchSetup& setup);
std::unique_ptr<Searcher> makeExhaustiveSearcher(const SearchSetup& setup);

}  // namespace vta::tune
