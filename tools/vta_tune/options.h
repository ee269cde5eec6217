// The command line of vta-tune.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "explore/tune/tuner/trial_keeper.h"
#include "tools/common/compilation/quantization_options.h"
#include "tools/farm/launcher_options.h"

namespace vta::tools {

inline constexpr const char* kTuneTool = "vta-tune";

/// How to search. --resume takes these options, and no others, from a database, which may be
/// anybody's: so none of them names a file, a folder, a device, a program or a machine.
struct SearchOptions {
  std::string searcher = "learned";
  int64_t trials = 0;  // 0: all that an exhaustive search needs, 400 of others
  int64_t patience = 96;
  double tolerance = 0;
  uint64_t seed = 1;
  double timeout_seconds = 30;  // of one trial
  int launches = 3;             // of each schedule on a device
};

struct TuneToolOptions : SearchOptions {
  std::string model;
  std::string target;  // what schedules are for: one of tuneTargets()
  std::string hw_file;
  std::vector<std::string> memories;  // names or files; empty: simple
  std::string database = "vta-tuning.db";
  double database_wait_seconds = tune::kDatabaseWaitSeconds;
  std::string cost_model;  // file, or "none"; empty: the one that comes with the project
  int workers = 0;         // 0: as many as processors
  LauncherOptions farm;
  std::string device;  // that measures; empty: the cycle simulator
  std::string host;    // the GPU that measures, as --host of vta-run names it; empty: the first
  std::string export_file;
  std::string import_file;
  bool exports_best = false;  // of each task, and no other trials
  bool show = false;
  bool resume = false;                     // the run of the database that was interrupted
  std::optional<tune::RunRecord> resumed;  // that run
  std::vector<std::string> arguments;      // as they were given
  std::string resume_command;              // that goes on with this run when it is interrupted
  std::vector<std::string> compared;       // searchers; empty: no comparison
  int64_t seeds = 3;                       // of each of them
  std::string html_file;                   // a page of pictures, or empty
  std::string watch_file;                  // a page about the search while it goes on, or empty
  bool serve = false;                      // candidates, to an optimiser
  bool json = false;

  // Of the compilation that finds the kernels.
  QuantizationOptions quantization;
  std::string preprocess;
  std::map<std::string, int64_t> dimensions;
  compiler::Partition partition = compiler::Partition::kAuto;
  std::vector<std::string> operators;  // libraries, loaded already
};

/// The options of vta-tune, for a parser; `dimensions` gets what --shape says. Those of searches
/// are added by addSearchOptions alone: its list decides what may come from a database.
void addTuneOptions(CLI::App& app, TuneToolOptions& options, std::vector<std::string>& dimensions);
void addSearchOptions(CLI::App& app, SearchOptions& options);

/// False with `exit_code` where there is nothing more to do: --help, a usage error, or no run that
/// --resume could go on with.
bool parseTuneOptions(int argc, char** argv, TuneToolOptions& options, int& exit_code);

}  // namespace vta::tools
