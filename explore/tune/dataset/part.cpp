#include "explore/tune/dataset/part.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/numpy/npz.h"
#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/floor/schedule_floor.h"
#include "compiler/kernel/schedule/kernel_work.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "explore/tune/dataset/columns.h"
#include "explore/tune/dataset/random_task.h"
#include "sim/cycle/program_timer.h"

namespace vta::tune {
namespace {

constexpr size_t kSchedulesOfGroup = 8;

struct SchedulePlan {
  kernel::Schedule schedule;
  kernel::KernelPlan plan;
};

/// Legal schedules of the kernel, each as likely as any other, and the compiler's choice for the
/// simple memory.
Result<std::vector<SchedulePlan>> drawSchedules(sim::Rng& rng, const TaskGroup& group) {
  std::vector<SchedulePlan> drawn;
  uint64_t seen = 0;
  kernel::visitSchedules(
      group.desc, group.hw, [&](const kernel::Schedule& schedule, const kernel::KernelPlan& plan) {
        ++seen;
        if (drawn.size() < kSchedulesOfGroup) {
          drawn.push_back({schedule, plan});
        } else if (const uint64_t place = rng.bits() % seen; place < kSchedulesOfGroup) {
          drawn[place] = {schedule, plan};
        }
      });
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule own, kernel::defaultSchedule(group.desc, group.hw));
  if (std::ranges::find(drawn, own, &SchedulePlan::schedule) != drawn.end()) return drawn;
  VTA_ASSIGN_OR_RETURN(const kernel::KernelPlan plan,
                       kernel::planKernel(group.desc, own, group.hw));
  drawn.push_back({own, plan});
  return drawn;
}

/// The columns of one part, as they grow.
class Table {
 public:
  explicit Table(int64_t points) : columns_(dataSetColumns()), values_(columns_.size()) {
    for (auto& values : values_) values.reserve(static_cast<size_t>(points));
  }

  void add(const Point& point) {
    for (size_t i = 0; i < columns_.size(); ++i) values_[i].push_back(columns_[i].get(point));
  }
  int64_t points() const { return std::ssize(values_.front()); }

  std::string file() const {
    NpzWriter writer;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].is_wide) {
        writer.add(columns_[i].name, std::span<const int64_t>(values_[i]));
      } else {
        const std::vector<int32_t> narrow(values_[i].begin(), values_[i].end());
        writer.add(columns_[i].name, std::span<const int32_t>(narrow));
      }
    }
    return writer.finish();
  }

 private:
  const std::vector<Column>& columns_;
  std::vector<std::vector<int64_t>> values_;
};

/// All points of a group, as far as more are wanted.
class GroupTimer {
 public:
  GroupTimer(const TaskGroup& group, int64_t number) : group_(group), number_(number) {}

  /// Takes those that it visits off `wanted`.
  Status visit(std::span<const SchedulePlan> schedules, int64_t& wanted,
               const std::function<void(const Point&)>& visit_point) {
    for (const sim::MemoryConfig& memory : group_.memories) {
      VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, sim::ProgramTimer::create(group_.hw, memory));
      timers_.push_back(std::move(timer));
    }
    for (const SchedulePlan& entry : schedules) {
      VTA_ASSIGN_OR_RETURN(const Program program,
                           kernel::lower(group_.desc, entry.schedule, group_.hw));
      for (size_t i = 0; i < timers_.size(); ++i) {
        if (wanted == 0) return {};
        VTA_ASSIGN_OR_RETURN(const Point point, pointOf(entry, program, i));
        visit_point(point);
        --wanted;
      }
    }
    return {};
  }

 private:
  Result<Point> pointOf(const SchedulePlan& entry, const Program& program, size_t memory) {
    const kernel::MemoryTraits traits = memoryTraits(group_.memories[memory], group_.hw);
    const kernel::KernelWork work =
        countWork(group_.desc, entry.schedule, group_.hw, entry.plan, traits);
    const kernel::CostEstimate cost =
        estimateWorkCost(group_.desc, entry.schedule, group_.hw, entry.plan, work, traits);
    const kernel::ScheduleFloor floor(group_.desc, group_.hw, traits);
    Point point{.group = number_,
                .desc = &group_.desc,
                .hw = &group_.hw,
                .memory = &group_.memories[memory],
                .schedule = &entry.schedule,
                .estimate_cycles = static_cast<uint64_t>(cost.cycles),
                .floor_cycles = std::max(leastCycles(program, group_.hw, traits),
                                         floor.leastCycles(entry.schedule, entry.plan))};
    VTA_ASSIGN_OR_RETURN(point.counters, timers_[memory].run(program));
    return point;
  }

  const TaskGroup& group_;
  int64_t number_;
  std::vector<sim::ProgramTimer> timers_;
};

}  // namespace

Status visitPoints(uint64_t seed, int64_t part, int64_t points, const std::atomic<bool>& stop,
                   const std::function<void(const Point&)>& visit) {
  // Any two of seed and part give another stream.
  sim::Rng rng((seed ^ (seed >> 31)) * 0xbf58476d1ce4e5b9u + static_cast<uint64_t>(part));
  for (int64_t group_in_part = 0; points > 0 && !stop; ++group_in_part) {
    const TaskGroup group = drawTaskGroup(rng);
    VTA_ASSIGN_OR_RETURN(const std::vector<SchedulePlan> schedules, drawSchedules(rng, group));
    GroupTimer timer(group, part * kPointsOfPart + group_in_part);
    VTA_RETURN_IF_ERROR(timer.visit(schedules, points, visit));
  }
  return {};
}

Result<std::optional<std::string>> makePart(uint64_t seed, int64_t part, int64_t points,
                                            const std::atomic<bool>& stop,
                                            const std::function<void(int64_t)>& done) {
  Table table(points);
  VTA_RETURN_IF_ERROR(visitPoints(seed, part, points, stop, [&](const Point& point) {
    table.add(point);
    if (done) done(1);
  }));
  if (table.points() < points) return std::optional<std::string>();
  return std::optional(table.file());
}

}  // namespace vta::tune
