#include "explore/tune/measure/simulator.h"

#include <optional>
#include <utility>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/floor/schedule_floor.h"
#include "sim/cycle/program_timer.h"

namespace vta::tune {
namespace {

Measurement failed(const Status& status) { return {Outcome::kFailed, 0, status.message()}; }

/// One task's trials on one simulator.
class TaskTimer {
 public:
  static Result<TaskTimer> create(const Task& task) {
    VTA_ASSIGN_OR_RETURN(sim::ProgramTimer timer, sim::ProgramTimer::create(task.hw, task.memory));
    return TaskTimer(task, std::move(timer));
  }

  Measurement measure(const kernel::Schedule& schedule, uint64_t most) {
    const Result<Program> program = kernel::lower(task_->desc, schedule, task_->hw);
    if (!program.ok()) return failed(program.status());
    // Counting operations and bytes is quicker than simulating them.
    if (kernel::leastCycles(*program, task_->hw, traits_) > most) return {Outcome::kSlower, 0, ""};
    const Result<std::optional<uint64_t>> cycles = timer_.cyclesUpTo(*program, most);
    if (!cycles.ok()) return failed(cycles.status());
    if (!*cycles) return {Outcome::kSlower, 0, ""};
    return {Outcome::kCycles, **cycles, ""};
  }

 private:
  TaskTimer(const Task& task, sim::ProgramTimer timer)
      : task_(&task), traits_(memoryTraits(task.memory, task.hw)), timer_(std::move(timer)) {}

  const Task* task_;
  kernel::MemoryTraits traits_;
  sim::ProgramTimer timer_;
};

class SimulatorMeasurer final : public Measurer {
 public:
  SimulatorMeasurer(int workers, const WorkerLimits& limits) : pool_(workers, limits) {}

  std::string source() const override { return kSimulatorSource; }

  Status begin(const Task& task) override {
    // Each process changes its own copy of the timer.
    VTA_ASSIGN_OR_RETURN(TaskTimer timer, TaskTimer::create(task));
    const auto shared = std::make_shared<TaskTimer>(std::move(timer));
    return pool_.start([shared](const kernel::Schedule& schedule, uint64_t most) {
      return shared->measure(schedule, most);
    });
  }

  std::vector<Measurement> measure(std::span<const kernel::Schedule> schedules,
                                   uint64_t most) override {
    return pool_.run(schedules, most);
  }

 private:
  WorkerPool pool_;
};

class LocalMeasurer final : public Measurer {
 public:
  std::string source() const override { return kSimulatorSource; }

  Status begin(const Task& task) override {
    VTA_ASSIGN_OR_RETURN(TaskTimer timer, TaskTimer::create(task));
    timer_.emplace(std::move(timer));
    return {};
  }

  std::vector<Measurement> measure(std::span<const kernel::Schedule> schedules,
                                   uint64_t most) override {
    std::vector<Measurement> results;
    for (const kernel::Schedule& schedule : schedules) {
      results.push_back(timer_->measure(schedule, most));
    }
    return results;
  }

 private:
  std::optional<TaskTimer> timer_;
};

}  // namespace

std::unique_ptr<Measurer> makeSimulatorMeasurer(int workers, const WorkerLimits& limits) {
  return std::make_unique<SimulatorMeasurer>(workers, limits);
}

std::unique_ptr<Measurer> makeLocalMeasurer() { return std::make_unique<LocalMeasurer>(); }

}  // namespace vta::tune
