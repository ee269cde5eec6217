#include "tools/vta_tune/prior.h"

#include "tools/common/config_folder.h"
#include "tools/common/files.h"
#include "tools/vta_tune/target.h"

namespace vta::tools {
namespace {

constexpr const char* kNoModel = "none";
// Beside the folder of the accelerators' configurations.
constexpr const char* kShippedModel = "../tuning/cost-model.json";

Result<std::optional<tune::CostModel>> readModel(const std::filesystem::path& file) {
  VTA_ASSIGN_OR_RETURN(const auto bytes, readFile(file));
  tune::CostModel model({});
  const Status status = model.loadJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!status.ok()) return status.withContext("--cost-model " + file.string());
  return std::optional(std::move(model));
}

}  // namespace

Result<std::optional<tune::CostModel>> priorOf(const TuneToolOptions& options) {
  if (!tuneTarget(options.target).has_cost_model || options.cost_model == kNoModel) {
    return std::optional<tune::CostModel>();
  }
  if (!options.cost_model.empty()) return readModel(options.cost_model);
  const auto configs = findConfigFolder();
  std::error_code error;
  if (!configs || !std::filesystem::exists(*configs / kShippedModel, error)) {
    return std::optional<tune::CostModel>();
  }
  return readModel(*configs / kShippedModel);
}

}  // namespace vta::tools
