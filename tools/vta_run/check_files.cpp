#include "tools/vta_run/check_files.h"

#include "base/numpy/npy.h"
#include "tools/common/files.h"
#include "tools/common/output_paths.h"
#include "tools/inputs/preprocess.h"

namespace vta::tools {
namespace {

void addDevicePaths(const driver::DeviceSpec& device, PathUse& use) {
  const driver::DeviceKind* kind = driver::findDeviceKind(device.name);
  for (const driver::DeviceOption& option : kind->options) {
    const auto given = device.options.find(option.key);
    if (given == device.options.end()) continue;
    const NamedPath path = {"--" + given->first, given->second};
    using Value = driver::DeviceOption::Value;
    if (option.value == Value::kOutputFile) use.outputs.push_back(path);
    if (option.value == Value::kText) use.inputs.push_back(path);
  }
}

PathUse pathsOf(const RunOptions& options, const RunFeatures& features) {
  PathUse use;
  use.inputs = {{"the model", options.model},
                {"--hw", options.hw_file},
                {"--labels", options.labels_file},
                {"--labels-csv", options.labels_csv},
                {"--energy", options.energy_table},
                {"--preprocess", options.preprocess},
                {"--tokenizer", options.text.tokenizer},
                {"--draft", options.text.draft_model},
                {"--perplexity", options.text.perplexity_file}};
  for (const std::string& input : options.inputs) {
    use.inputs.push_back({"--input", pathOf(input)});
  }
  for (const std::string& file : options.operators) use.inputs.push_back({"--operators", file});
  if (!options.reference.empty()) use.inputs.push_back({"--reference", pathOf(options.reference)});
  use.outputs = {{"--report", options.report_file},
                 {"--trace", options.trace_file},
                 {"--profile-csv", options.profile_csv}};
  if (!options.reproduce.empty()) {
    for (const char* end : {".json", ".pre.img.gz", ".post.img.gz"}) {
      use.outputs.push_back({"--reproduce", options.reproduce + end});
    }
  }
  use.output_folders = {{"--output", options.output_dir}, {"--dump-tensors", options.dump_dir}};
  addDevicePaths(options.device, use);
  if (features.compiler != nullptr) features.compiler->addPaths(use);
  return use;
}

Status checkReference(const std::string& reference) {
  if (reference.empty()) return {};
  const std::string path = pathOf(reference);
  const auto file = readFile(path);
  if (!file.ok()) return file.status().withContext("--reference");
  const auto array = parseNpy(*file);
  if (!array.ok()) return array.status().withContext("--reference '" + path + "'");
  return {};
}

}  // namespace

Status checkFiles(const RunOptions& options, const RunFeatures& features) {
  VTA_RETURN_IF_ERROR(requireRegularFile(options.model));
  VTA_RETURN_IF_ERROR(checkPaths(pathsOf(options, features)));
  const bool calibrates = features.compiler != nullptr && features.compiler->hasImages();
  VTA_RETURN_IF_ERROR(checkPreprocess(options.preprocess, !options.inputs.empty() || calibrates));
  VTA_RETURN_IF_ERROR(driver::checkDevice(options.device));
  return checkReference(options.reference);
}

}  // namespace vta::tools
