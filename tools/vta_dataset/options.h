// The command line of vta-dataset.
#pragma once

#include <cstdint>
#include <string>

namespace vta::tools {

inline constexpr const char* kDatasetTool = "vta-dataset";

struct DatasetOptions {
  std::string folder;
  int64_t points = 1'000'000;
  uint64_t seed = 1;
  std::string cost_model;  // file for a model that learns the points, instead of a folder
  int workers = 0;         // threads; 0: as many as processors
};

/// False with `exit_code` where there is nothing more to do: --help, or a usage error.
bool parseDatasetOptions(int argc, char** argv, DatasetOptions& options, int& exit_code);

}  // namespace vta::tools
