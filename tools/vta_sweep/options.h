// The command line of vta-sweep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/farm/launcher_options.h"

namespace vta::tools {

inline constexpr const char* kSweepTool = "vta-sweep";

struct SweepToolOptions {
  std::string sweep_file;
  std::vector<std::string> models;  // in place of the file's
  std::string cache;                // empty: in the user's folder for caches
  std::string json_file;
  std::string csv_file;
  std::string report_file;
  std::string watch_file;   // a page about the run while it goes on
  std::string best;         // an expression to minimise; "-" in front: to maximise
  std::string where;        // an expression that the best has to fulfil
  std::string best_output;  // the winner's configuration
  std::string reproduce;    // a file that --output wrote
  std::string confirm;      // a device
  std::string search;       // in place of the file's method
  int64_t evaluations = 0;
  int64_t seed = -1;
  int processes = 0;  // 0: as many as processors
  LauncherOptions farm;
  int layers = 12;                  // points of the front whose layers are in the report
  std::vector<uint64_t> layers_of;  // more points by their numbers
  double timeout_seconds = 600;
  bool dry_run = false;
  bool json = false;  // print the results
  bool schema = false;
};

/// False with `exit_code` where there is nothing more to do: --help, or a usage error.
bool parseSweepOptions(int argc, char** argv, SweepToolOptions& options, int& exit_code);

}  // namespace vta::tools
