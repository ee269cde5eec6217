#include "explore/tune/measure/farm_measurer.h"

#include <utility>

#include "explore/tune/measure/measure_work.h"
#include "explore/tune/task/task_text.h"

namespace vta::tune {
namespace {

using launcher::ItemResult;
Measurement measurementOf(const ItemResult& item) {
  switch (item.state) {
    case ItemResult::State::kNotDone:
      return {Outcome::kNotMeasured, 0, ""};
    case ItemResult::State::kLost:
      return {Outcome::kCrashed, 0, "it lost its worker each time", item.attempts};
    case ItemResult::State::kDone:
      break;
  }
  Result<Measurement> measured = parseMeasurement(item.result);
  if (!measured.ok()) return {Outcome::kFailed, 0, measured.status().message(), item.attempts};
  measured->attempts = item.attempts;
  return *measured;
}

class FarmMeasurer final : public Measurer {
 public:
  FarmMeasurer(std::unique_ptr<launcher::Farm> farm, std::string source)
      : farm_(std::move(farm)), source_(std::move(source)) {}

  std::string source() const override { return source_; }

  // One worker tries, so that a task that none can measure is an error and no failed trials.
  Status begin(const Task& task) override {
    const TaskKey key = keyOf(task);
    context_ = taskContext(key, kAnyCycles);
    const std::vector<ItemResult> tried = farm_->run(context_, {launcher::Json()});
    VTA_RETURN_IF_ERROR(farm_->health());
    if (tried[0].state != ItemResult::State::kDone || !tried[0].result.is_string()) return {};
    return unsupported(tried[0].result.get<std::string>());
  }

  std::vector<Measurement> measure(std::span<const kernel::Schedule> schedules,
                                   uint64_t most) override {
    context_["most"] = most;
    std::vector<launcher::Json> items;
    for (const kernel::Schedule& schedule : schedules) {
      items.push_back(launcher::Json::parse(scheduleText(schedule)));
    }
    std::vector<Measurement> results;
    for (const ItemResult& item : farm_->run(context_, items)) {
      results.push_back(measurementOf(item));
    }
    return results;
  }

  Status health() const override { return farm_->health(); }

 private:
  std::unique_ptr<launcher::Farm> farm_;
  std::string source_;
  launcher::Json context_;
};

}  // namespace

Result<std::unique_ptr<Measurer>> makeFarmMeasurer(std::unique_ptr<launcher::Farm> farm) {
  const launcher::Json& greeting = farm->greeting();
  if (!greeting.is_object() || !greeting.contains("source") || !greeting["source"].is_string()) {
    return internalError("the workers do not say what they measure on");
  }
  std::string source = greeting["source"];
  return std::unique_ptr<Measurer>(
      std::make_unique<FarmMeasurer>(std::move(farm), std::move(source)));
}

}  // namespace vta::tune
