#include "compiler/kernel/schedule/schedule_chooser.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <tuple>

#include "base/thread_pool.h"
#include "compiler/kernel/lower.h"
#include "compiler/kernel/plan/cost_constants.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/schedule/schedule_space.h"

namespace vta::kernel {
namespace {

constexpr uint64_t kAnyCycles = std::numeric_limits<uint64_t>::max();
constexpr const char* kSimulated = "simulated schedule";

// What makes one program better than another: its cycles, and short programs where many
// instructions crowd the bus, which other layers and other masters need, too.
double weigh(uint64_t cycles, size_t instructions, const HwConfig& hw) {
  const double bus_bytes = hw.params().axi_data_width_bits / 8.0;
  const double fetch = static_cast<double>(instructions * hw.instructionBytes()) / bus_bytes;
  const auto time = static_cast<double>(cycles);
  return time + kFetchWorth * std::max(0.0, fetch - kFetchShare * time);
}

// Schedules of one kind have the same working set and order; the model compares them well.
bool sameKind(const Schedule& a, const Schedule& b) {
  const auto kind = [](const Schedule& s) {
    return std::tie(s.tile_out_blocks, s.tile_in_blocks, s.order);
  };
  return kind(a) == kind(b);
}

// Measures those that the model ranks best and the best of each kind; then goes from the fastest to
// a faster neighbour as long as there is one.
class CandidateSearch {
 public:
  CandidateSearch(const KernelDesc& desc, const HwConfig& hw, const MeasureProgram& measure,
                  const std::vector<Schedule>& ranked)
      : desc_(desc), hw_(hw), measure_(measure), ranked_(ranked), done_(ranked.size(), false) {}

  Result<Schedule> run() {
    VTA_RETURN_IF_ERROR(survey());
    bool moved = true;
    while (moved && !isOver(kMostMeasured)) {
      VTA_ASSIGN_OR_RETURN(moved, moveToNeighbour());
    }
    return ranked_[best_];
  }

 private:
  bool isOver(size_t most) const {
    if (measured_ >= kEnoughMeasured && measured_cycles_ >= kMeasuredCycles) return true;
    if (measured_ >= kFewestMeasured && measured_cycles_ >= kMostMeasuredCycles) return true;
    return measured_ >= most;
  }

  Status survey() {
    std::vector<size_t> kinds;  // one schedule of each
    for (size_t i = 0; i < ranked_.size() && !isOver(kMostSurveyed); ++i) {
      const bool known = std::ranges::any_of(
          kinds, [&](size_t kind) { return sameKind(ranked_[kind], ranked_[i]); });
      if (!known) kinds.push_back(i);
      if (i < kBestOfModel || !known) VTA_RETURN_IF_ERROR(measure(i));
    }
    return {};
  }

  Result<bool> moveToNeighbour() {
    const size_t from = best_;
    for (size_t i = 0; i < ranked_.size() && !isOver(kMostMeasured); ++i) {
      if (done_[i] || countDifferences(ranked_[from], ranked_[i]) != 1) continue;
      VTA_RETURN_IF_ERROR(measure(i));
      if (best_ != from) return true;
    }
    return false;
  }

  Status measure(size_t i) {
    VTA_ASSIGN_OR_RETURN(const Program program, lower(desc_, ranked_[i], hw_));
    const bool first = measured_ == 0;
    const uint64_t most = first ? kAnyCycles : static_cast<uint64_t>(best_weight_);
    VTA_ASSIGN_OR_RETURN(const std::optional<uint64_t> cycles, measure_(program, most));
    done_[i] = true;
    ++measured_;
    measured_cycles_ += cycles.value_or(most);
    if (!cycles) return {};
    // Of equals the model's better one.
    const double weight = weigh(*cycles, program.instructions.size(), hw_);
    if (!first && (weight > best_weight_ || (weight == best_weight_ && i > best_))) return {};
    best_ = i;
    best_weight_ = weight;
    return {};
  }

  const KernelDesc& desc_;
  const HwConfig& hw_;
  const MeasureProgram& measure_;
  const std::vector<Schedule>& ranked_;
  std::vector<bool> done_;
  size_t best_ = 0;
  double best_weight_ = 0;
  size_t measured_ = 0;
  uint64_t measured_cycles_ = 0;
};

}  // namespace

ScheduleChooser::ScheduleChooser(HwConfig hw, ScheduleHints hints)
    : hw_(std::move(hw)), hints_(std::move(hints)) {}

void ScheduleChooser::searchAhead(std::span<const KernelDesc> kernels,
                                  const std::function<void()>& searched) {
  std::vector<KernelDesc> left;  // without their names
  for (const KernelDesc& kernel : kernels) {
    KernelDesc shape = withoutName(kernel);
    if (isKnown(shape) || std::ranges::find(left, shape) != left.end()) continue;
    if (auto tuned = findTuned(kernel)) {
      known_.emplace_back(std::move(shape), *std::move(tuned));
    } else {
      left.push_back(std::move(shape));
    }
  }
  if (!hints_.measure || left.empty()) return;
  std::vector<std::optional<Schedule>> found(left.size());
  std::mutex mutex;
  ThreadPool threads(static_cast<unsigned>(std::max(hints_.threads, 0)));
  threads.forEach(std::ssize(left), [&](int64_t number) {
    const auto i = static_cast<size_t>(number);
    // Whoever asks for the kernel hears why.
    if (Result<Schedule> schedule = search(left[i]); schedule.ok()) found[i] = *schedule;
    const std::lock_guard lock(mutex);
    searched();
  });
  for (size_t i = 0; i < left.size(); ++i) {
    if (found[i]) known_.emplace_back(std::move(left[i]), ChosenSchedule{*found[i], kSimulated});
  }
}

bool ScheduleChooser::isKnown(const KernelDesc& shape) const {
  return std::ranges::find(known_, shape, &std::pair<KernelDesc, ChosenSchedule>::first) !=
         known_.end();
}

Result<ChosenSchedule> ScheduleChooser::choose(const KernelDesc& desc) {
  KernelDesc shape = withoutName(desc);
  const auto known =
      std::ranges::find(known_, shape, &std::pair<KernelDesc, ChosenSchedule>::first);
  if (known != known_.end()) return known->second;
  VTA_ASSIGN_OR_RETURN(ChosenSchedule chosen, find(desc));
  known_.emplace_back(std::move(shape), chosen);
  return chosen;
}

std::optional<ChosenSchedule> ScheduleChooser::findTuned(const KernelDesc& desc) const {
  std::optional<ChosenSchedule> found = hints_.find ? hints_.find(desc) : std::nullopt;
  // Somebody else may have made it, for another version of the compiler.
  const bool fits = found && checkSchedule(desc, found->schedule, hw_).ok();
  return fits ? std::move(found) : std::nullopt;
}

Result<ChosenSchedule> ScheduleChooser::find(const KernelDesc& desc) const {
  if (auto tuned = findTuned(desc)) return *std::move(tuned);
  if (!hints_.measure) {
    VTA_ASSIGN_OR_RETURN(const Schedule schedule, defaultSchedule(desc, hw_, hints_.memory));
    return ChosenSchedule{schedule, "default schedule"};
  }
  VTA_ASSIGN_OR_RETURN(const Schedule schedule, search(desc));
  return ChosenSchedule{schedule, kSimulated};
}

Result<Schedule> ScheduleChooser::search(const KernelDesc& desc) const {
  const std::vector<Schedule> ranked = rankedSchedules(desc, hw_, kCandidates, hints_.memory);
  if (ranked.size() < 2) return defaultSchedule(desc, hw_, hints_.memory);
  return CandidateSearch(desc, hw_, hints_.measure, ranked).run();
}

}  // namespace vta::kernel
