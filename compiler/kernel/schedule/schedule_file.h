// Schedules of a model's layers as a YAML file that people read and edit; docs/kernels.md has the
// format.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/schedule.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// The schedule of one layer.
struct LayerSchedule {
  std::string layer;  // its name, as reports show it
  Schedule schedule;
  std::string place = {};  // "file:line:column" if it was read; errors begin with it
};

/// The file's text: the part of `hw` that schedules depend on, and each of `layers`. Layers of one
/// name become a list, in their order.
std::string schedulesToYaml(std::span<const LayerSchedule> layers, const HwConfig& hw);

/// Reads such a text. Errors, all with file, line and column of `source`: syntax; missing, unknown
/// and repeated keys; values that no kernel could have; layers that appear twice; a file for
/// another configuration than `hw`. Whether a schedule fits its kernel is left to checkSchedule.
Result<std::vector<LayerSchedule>> parseSchedules(std::string_view yaml, const std::string& source,
                                                  const HwConfig& hw);

/// Hands out schedules, which it refers to, to the layers of a model.
class GivenSchedules {
 public:
  explicit GivenSchedules(std::span<const LayerSchedule> schedules);

  /// The schedule for the next layer called `layer`; null if it is to be chosen. Error: there are
  /// some for this name, but fewer than layers.
  Result<const LayerSchedule*> take(const std::string& layer);

  /// Error: a schedule that no layer took. `layers`: the names of all that could have.
  Status checkAllTaken(std::span<const std::string> layers) const;

 private:
  struct Queue {
    std::vector<const LayerSchedule*> schedules;
    size_t taken = 0;
  };
  std::span<const LayerSchedule> all_;
  std::map<std::string, Queue> queues_;
};

}  // namespace vta::kernel
