#include "tools/vta_run/fast_rescaling.h"

#include <memory>
#include <string>
#include <vector>

namespace vta::tools {
namespace {

/// Whether the option is there to be chosen, and its cycles are found without long waiting.
bool hasChoice(const RunOptions& options, const RunFeatures& features, const Runner& runner) {
  return features.compiler != nullptr && features.compiler->rescalesExactly() &&
         options.device.name == "cycle" && runner.hw() != nullptr && runner.hw()->params().ext_qmul;
}

/// The same run, without what it leaves for the user.
RunOptions timingOnly(const RunOptions& options) {
  RunOptions timed = options;
  timed.device.options["timing-only"] = "";
  timed.timing_only = true;
  timed.verify = timed.json = timed.compare_float = false;
  timed.profile = ProfileDetail::kNone;
  for (std::string* file : {&timed.profile_csv, &timed.trace_file, &timed.report_file}) {
    file->clear();
  }
  return timed;
}

}  // namespace

Result<std::optional<uint64_t>> cyclesWithFastRescaling(const RunOptions& options,
                                                        const RunFeatures& features,
                                                        const Runner& runner,
                                                        const TensorMap& inputs,
                                                        ProgressLine& progress) {
  if (!hasChoice(options, features, runner)) return std::optional<uint64_t>();
  std::vector<std::string> warnings;  // those of the first compilation
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<Runner> fast,
                       Runner::create(timingOnly(options), features, CompileVariant::kFastRescaling,
                                      progress, warnings));
  VTA_ASSIGN_OR_RETURN(const driver::RunResult result, fast->run(inputs));
  LaunchCounters total;
  for (const driver::StepProfile& launch : result.profile) total += launch.counters;
  return std::optional(total.cycles);
}

}  // namespace vta::tools
