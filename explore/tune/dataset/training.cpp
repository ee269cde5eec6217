#include "explore/tune/dataset/training.h"

#include <map>
#include <string>
#include <tuple>

#include "explore/tune/dataset/part.h"
#include "explore/tune/space/features.h"

namespace vta::tune {
namespace {

Sample sampleOf(const Point& point, uint32_t group) {
  const Task task{*point.desc, *point.hw, *point.memory, {}};
  kernel::KernelPlan plan;
  kernel::PlanFailure failure;
  // The point was measured, so it has a plan.
  static_cast<void>(makePlan(task.desc, *point.schedule, task.hw, plan, failure));
  const ScheduleFacts facts = FeatureExtractor(task).extract(*point.schedule, plan);
  return {facts.features, facts.estimate, point.counters.cycles, group};
}

}  // namespace

Result<std::vector<Sample>> samplesOfPart(uint64_t seed, int64_t part, int64_t points,
                                          const std::atomic<bool>& stop,
                                          const std::function<void()>& done) {
  std::vector<Sample> samples;
  // Memories of a group of points stay where they are while it is visited.
  std::map<std::tuple<int64_t, const sim::MemoryConfig*>, uint32_t> groups;
  VTA_RETURN_IF_ERROR(visitPoints(seed, part, points, stop, [&](const Point& point) {
    const auto group =
        groups.try_emplace({point.group, point.memory}, static_cast<uint32_t>(groups.size()));
    samples.push_back(sampleOf(point, group.first->second));
    if (done) done();
  }));
  return samples;
}

CostModelOptions sharedModelOptions() { return {.rounds = 160, .depth = 7, .learning_rate = 0.12}; }

}  // namespace vta::tune
