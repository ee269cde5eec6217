// The command line of vta-tune.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "tools/common/compilation/quantization_options.h"
#include "tools/farm/launcher_options.h"
#include "tune/tuner/trial_keeper.h"

namespace vta::tools {

inline constexpr const char* kTuneTool = "vta-tune";

struct TuneToolOptions {
  std::string model;
  std::string target = "vta";  // or "cpu": what schedules are for
  std::string hw_file;
  std::vector<std::string> memories;  // names or files; empty: simple
  std::string database = "vta-tuning.db";
  double database_wait_seconds = tune::kDatabaseWaitSeconds;
  std::string searcher = "learned";
  std::string cost_model;  // file, or "none"; empty: the one that comes with the project
  int64_t trials = 0;      // 0: all that an exhaustive search needs, 400 of others
  int64_t patience = 96;
  double tolerance = 0;
  uint64_t seed = 1;
  int workers = 0;  // 0: as many as processors
  LauncherOptions farm;
  double timeout_seconds = 30;
  std::string device;  // that measures; empty: the cycle simulator
  int launches = 3;    // of each schedule on a device
  std::string export_file;
  std::string import_file;
  bool exports_best = false;  // of each task, and no other trials
  bool show = false;
  bool resume = false;                 // the run of the database that was interrupted
  std::vector<std::string> arguments;  // as they were given
  std::vector<std::string> compared;   // searchers; empty: no comparison
  int64_t seeds = 3;                   // of each of them
  std::string html_file;               // a page of pictures, or empty
  std::string watch_file;              // a page about the search while it goes on, or empty
  bool serve = false;                  // candidates, to an optimiser
  bool json = false;

  // Of the compilation that finds the kernels.
  QuantizationOptions quantization;
  std::string preprocess;
  std::map<std::string, int64_t> dimensions;
  compiler::Partition partition = compiler::Partition::kAuto;
};

/// False with `exit_code` where there is nothing more to do: --help, or a usage error.
bool parseTuneOptions(int argc, char** argv, TuneToolOptions& options, int& exit_code);

}  // namespace vta::tools
