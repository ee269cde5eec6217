// MeasureWork: what a worker of vta-tune does, and the texts that it exchanges with its farm.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "explore/tune/measure/measurement.h"
#include "explore/tune/task/task_text.h"
#include "explore/workers/worker/worker.h"

namespace vta::tune {

/// The context of a batch: the task, and the limit of Measurer::measure.
launcher::Json taskContext(const TaskKey& key, uint64_t most);

launcher::Json measurementJson(const Measurement& measurement);
/// Error: this is no measurement.
Result<Measurement> parseMeasurement(const launcher::Json& json);

/// Items are schedules, results are measurements. The item null only begins the task; its result is
/// null, or a text: why the task cannot be measured here.
class MeasureWork final : public launcher::Work {
 public:
  /// Makes what measures, as the farm's setup says.
  using MakeMeasurer =
      std::function<Result<std::unique_ptr<Measurer>>(const launcher::Json& setup)>;

  /// `version` identifies this program; a farm of another version is refused.
  MeasureWork(std::string version, MakeMeasurer make)
      : version_(std::move(version)), make_(std::move(make)) {}

  Result<launcher::Json> setUp(const launcher::Json& setup) override;
  Result<std::vector<launcher::Json>> process(const launcher::Json& context,
                                              const std::vector<launcher::Json>& items) override;

 private:
  Status begin(const TaskKey& key);

  std::string version_;
  MakeMeasurer make_;
  std::unique_ptr<Measurer> measurer_;
  std::optional<TaskKey> key_;  // of the task that the measurer has
  std::unique_ptr<Task> task_;
};

}  // namespace vta::tune
