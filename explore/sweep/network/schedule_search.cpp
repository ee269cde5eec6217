#include "explore/sweep/network/schedule_search.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "explore/tune/measure/simulator.h"
#include "explore/tune/search/registry.h"
#include "explore/tune/space/vta_space.h"

namespace vta::sweep {
namespace {

/// One search: proposes, measures and tells in batches.
class ScheduleSearch {
 public:
  ScheduleSearch(const tune::VtaSpace& space, const tune::SearcherKind& kind)
      : space_(space), searcher_(kind.make({.space = &space})) {}

  Status run(const tune::Task& task, int64_t trials) {
    const std::unique_ptr<tune::Measurer> measurer = tune::makeLocalMeasurer();
    VTA_RETURN_IF_ERROR(measurer->begin(task));
    while (trials > 0) {
      const size_t wanted = std::min(static_cast<size_t>(trials), searcher_->batchSize());
      VTA_ASSIGN_OR_RETURN(const std::vector<tune::Candidate> batch, searcher_->propose(wanted));
      if (batch.empty()) break;
      trials -= std::ssize(batch);
      VTA_RETURN_IF_ERROR(measure(batch, *measurer));
    }
    return {};
  }

  Result<kernel::Schedule> best() const {
    if (best_) return space_.schedule(best_->candidate);
    return internalError("none of the schedules that were proposed could be measured");
  }

 private:
  Status measure(const std::vector<tune::Candidate>& batch, tune::Measurer& measurer) {
    std::vector<kernel::Schedule> schedules;
    for (const tune::Candidate candidate : batch) schedules.push_back(space_.schedule(candidate));
    const auto measured = measurer.measure(schedules, searcher_->limitCycles());
    VTA_RETURN_IF_ERROR(measurer.health());
    std::vector<tune::Trial> trials;
    for (size_t i = 0; i < batch.size(); ++i) {
      const bool has_cycles = measured[i].outcome == tune::Outcome::kCycles;
      trials.push_back({batch[i], has_cycles ? std::optional(measured[i].cycles) : std::nullopt});
      if (has_cycles && (!best_ || measured[i].cycles < *best_->cycles)) best_ = trials.back();
    }
    return searcher_->tell(trials);
  }

  const tune::VtaSpace& space_;
  std::unique_ptr<tune::Searcher> searcher_;
  std::optional<tune::Trial> best_;
};

}  // namespace

Result<kernel::Schedule> searchSchedule(const tune::Task& task, const std::string& searcher,
                                        int64_t trials) {
  VTA_ASSIGN_OR_RETURN(const tune::SearcherKind* kind, tune::findSearcher(searcher));
  VTA_ASSIGN_OR_RETURN(const tune::VtaSpace space, tune::VtaSpace::create(task));
  ScheduleSearch search(space, *kind);
  VTA_RETURN_IF_ERROR(search.run(task, trials));
  return search.best();
}

}  // namespace vta::sweep
