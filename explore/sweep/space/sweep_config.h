// SweepConfig: what a sweep's YAML file says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "explore/sweep/network/network_timer.h"
#include "explore/sweep/space/expression.h"
#include "explore/sweep/vivado/calibration.h"
#include "isa/config/hw_config.h"
#include "sim/energy/energy_table.h"
#include "sim/memory/memory_config.h"

namespace vta::sweep {

/// One value of an axis: a number, and how the file writes it.
struct AxisValue {
  double number = 0;
  std::string text;
};

/// A parameter of the hardware ("gemm.batch") or a variable of the sweep's own, with its values.
struct Axis {
  std::string name;
  std::string place;  // "file:line:column"
  std::vector<AxisValue> values;
  /// Without it the axis is always there. Where it is false, the axis has the value `otherwise`.
  std::optional<Expression> when = {};
  AxisValue otherwise = {};
};

/// name = expression, worked out after the axes, in the order of the file.
struct Derived {
  std::string name;
  std::string place;
  Expression expression;
};

struct Constraint {
  std::string place;
  Expression expression;
};

/// What a network's accuracy is measured on, as the options of vta-run name it.
struct AccuracyData {
  std::string place;                   // "file:line:column"
  std::vector<std::string> samples;    // "PATH" or "NAME=PATH": images, arrays, folders
  std::vector<std::string> calibrate;  // likewise; empty: the samples
  std::string preprocess = {};         // a name or a file; empty: chosen by the inputs
  std::filesystem::path labels = {};   // lines FILE,CLASS; empty: no labels
};

/// The path of "PATH" or "NAME=PATH".
std::filesystem::path pathOfSamples(const std::string& argument);

struct ModelEntry {
  std::string name;  // in results: letters, digits and underscores
  std::filesystem::path file;
  double weight = 1;  // runs of this model for each run of the sweep's mix
  std::map<std::string, int64_t> dimensions = {};
  std::string batch_dimension = {};  // bound to each of SweepConfig::batches
  std::optional<AccuracyData> accuracy = {};
};

struct Objective {
  std::string text;  // as in the file, with "-" in front to maximise
  Expression expression;
  bool maximise = false;
};

struct ClockSource {
  std::string device;  // of the timing estimate; empty: the parameter clock_mhz
  bool filled = true;  // the estimate for a device that is three quarters full
};

struct SearchSetup {
  std::string method = "enumerate";
  int evaluations = 200;
  int population = 40;
  uint64_t seed = 1;
};

struct SweepConfig {
  std::string name;
  std::string source;  // the file
  std::string text;    // its contents
  HwConfig base = HwConfig::makeDefault();
  std::vector<Axis> axes;  // without batches and memories
  std::vector<Derived> derived;
  std::vector<Constraint> constraints;
  std::vector<ModelEntry> models;
  std::vector<int64_t> batches = {1};
  std::vector<sim::MemoryConfig> memories;
  ClockSource clock;
  Calibration calibration;  // of the estimates of area and clock
  sim::EnergyTable energy;
  Effort effort = Effort::kEstimated;
  double lut_margin = 0;  // share of a device's LUTs that fits() leaves free
  std::vector<Objective> objectives;
  SearchSetup search;
};

/// Reads a sweep; file names in it are relative to the folder of `source`, names of configurations,
/// memories and energy tables are those that every tool knows. Errors begin with
/// "file:line:column" and name what is legal.
Result<SweepConfig> parseSweepConfig(std::string_view text, const std::filesystem::path& source);
Result<SweepConfig> loadSweepConfig(const std::filesystem::path& file);

/// The entry of a model file with the name that it has by default. Error: there is no such file.
Result<ModelEntry> modelEntry(const std::filesystem::path& file);

/// Methods of SearchSetup: enumerate, random, nsga2, moead, surrogate.
const std::vector<std::string>& searchMethods();

/// A JSON Schema (draft 7) of such files: the text of configs/sweep.schema.json.
std::string sweepSchema();

}  // namespace vta::sweep
