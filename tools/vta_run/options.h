// What the user asks vta-run to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/device_registry.h"
#include "tools/vta_run/text/text_options.h"

namespace vta::tools {

struct RunFeatures;

/// Its name in messages.
inline constexpr const char* kRunTool = "vta-run";

/// What --profile prints.
enum class ProfileDetail : uint8_t { kNone, kBrief, kFull };

struct RunOptions {
  std::string model;
  std::vector<std::string> inputs;  // "NAME=PATH" or "PATH"
  driver::DeviceSpec device;
  std::string host;  // the kind of machine on which operators run that are not for the device
  std::string gpu;   // which one, as driver::openGpu takes it
  std::string hw_file;
  std::vector<std::string> operators;   // libraries, loaded already
  std::vector<std::string> extensions;  // folders of operations that the hardware has
  std::string labels_file;
  std::string labels_csv;
  std::string output_dir;
  std::string dump_dir;  // of what each step computes
  std::string reference;
  std::string trace_file;
  std::string report_file;
  std::string energy_table = "45nm";
  std::string preprocess;  // "": chosen by the model's input
  int threads = 0;
  double timeout_seconds = 0;  // of one launch; 0: what the kind of device suggests
  int top = 5;
  uint64_t seed = 1;
  std::string reproduce;  // begin of the names of files
  bool verify = false;
  bool remote_module = false;  // the device's server runs the whole module
  bool timing_only = false;
  ProfileDetail profile = ProfileDetail::kNone;
  std::string profile_csv;  // every figure of the profile, as comma-separated values

  /// Whether something asks for the figures of each step.
  bool needsSteps() const {
    return profile != ProfileDetail::kNone || (json && !text.isText()) || !profile_csv.empty() ||
           !report_file.empty();
  }
  bool json = false;
  bool compare_float = false;
  TextOptions text;

  /// Whether something asks for the classes of each sample, which a batch in one run has not.
  bool needsClasses() const { return compare_float || !labels_file.empty() || !labels_csv.empty(); }
};

/// Parses the command line into `options`, with the options of `features`. Returns false when the
/// program is to end at once with `exit_code`: help or the version was printed, or the usage is
/// wrong and was explained on stderr.
bool parseRunOptions(int argc, char** argv, const RunFeatures& features, RunOptions& options,
                     int& exit_code);

}  // namespace vta::tools
