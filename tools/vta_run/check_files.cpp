#include "tools/vta_run/check_files.h"

#include <filesystem>

#include "sim/memory/memory_config.h"
#include "tools/common/files.h"
#include "tools/common/output_paths.h"
#include "tools/inputs/npy.h"
#include "tools/inputs/preprocess.h"

namespace vta::tools {
namespace {

PathUse pathsOf(const RunOptions& options) {
  PathUse use;
  use.inputs = {{"the model", options.model},
                {"--hw", options.hw_file},
                {"--dram", options.dram},
                {"--labels", options.labels_file},
                {"--labels-csv", options.labels_csv},
                {"--energy", options.energy_table},
                {"--preprocess", options.preprocess},
                {"--schedules", options.schedules.file}};
  for (const std::string& input : options.inputs) {
    use.inputs.push_back({"--input", pathOf(input)});
  }
  for (const std::string& input : options.calibrate) {
    use.inputs.push_back({"--calibrate", pathOf(input)});
  }
  if (!options.reference.empty()) use.inputs.push_back({"--reference", pathOf(options.reference)});
  use.outputs = {{"--report", options.report_file},
                 {"--trace", options.trace_file},
                 {"--waves", options.waves_file}};
  use.output_folders = {{"--output", options.output_dir}, {"--dump-ir", options.dump_dir}};
  return use;
}

}  // namespace

Status checkFiles(const RunOptions& options) {
  VTA_RETURN_IF_ERROR(requireRegularFile(options.model));
  VTA_RETURN_IF_ERROR(checkPaths(pathsOf(options)));
  VTA_RETURN_IF_ERROR(
      checkPreprocess(options.preprocess, !options.inputs.empty() || !options.calibrate.empty()));
  if (!options.dram.empty()) {
    const auto memory = sim::resolveMemoryConfig(options.dram);
    if (!memory.ok()) return memory.status().withContext("--dram");
  }
  if (!options.reference.empty()) {
    const std::string path = pathOf(options.reference);
    const auto file = readFile(path);
    if (!file.ok()) return file.status().withContext("--reference");
    const auto array = parseNpy(*file);
    if (!array.ok()) return array.status().withContext("--reference '" + path + "'");
  }
  return {};
}

}  // namespace vta::tools
