// What the user asks vta-run to do.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/compile.h"
#include "tools/common/schedules.h"

namespace vta::tools {

struct RunOptions {
  std::string model;
  std::vector<std::string> inputs;     // "NAME=PATH" or "PATH"
  std::vector<std::string> calibrate;  // likewise
  std::string device = "functional";   // for createDevice
  std::string hw_file;
  std::string labels_file;
  std::string labels_csv;
  std::string output_dir;
  std::string reference;
  std::string dump_dir;
  std::string dram;        // in `device` too
  std::string waves_file;  // in `device` too
  std::string trace_file;
  std::string report_file;
  std::string energy_table = "45nm";
  std::string preprocess;  // "": chosen by the model's input
  compiler::Partition partition = compiler::Partition::kAuto;
  compiler::CalibrationMethod calibration_method = compiler::CalibrationMethod::kPercentile;
  std::map<std::string, int64_t> dimensions;
  std::set<std::string> float_layers;
  ScheduleOptions schedules;
  int threads = 0;
  int top = 5;
  uint64_t seed = 1;
  bool verify = false;
  bool timing_only = false;
  bool profile = false;
  bool json = false;
  bool compare_float = false;
};

/// Parses the command line into `options`. Returns false when the program is to end at once with
/// `exit_code`: help or the version was printed, or the usage is wrong and was explained on stderr.
bool parseRunOptions(int argc, char** argv, RunOptions& options, int& exit_code);

}  // namespace vta::tools
