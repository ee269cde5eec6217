#include "isa/config/extension_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/files.h"
#include "base/yaml_section.h"
#include "isa/config/extension_yaml.h"

namespace vta {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDescription = "extension.yaml";
constexpr std::string_view kSemantics = "semantics.mlir";
/// Of a file that people write.
constexpr uint64_t kMostBytes = uint64_t{1} << 20;

/// What else lies in the folder is refused: a misspelt name would go unnoticed.
Status checkFiles(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return notFound(fmt::format("{}: no such folder; an extension is a folder with {} and {}",
                                folder.string(), kDescription, kSemantics));
  }
  for (const std::string_view name : {kDescription, kSemantics}) {
    if (fs::exists(folder / name, error)) continue;
    return notFound(fmt::format("{} is missing; an extension is a folder with {} and {}",
                                (folder / name).string(), kDescription, kSemantics));
  }
  if (fs::exists(folder / "lane.sv", error)) {
    return unsupported(
        fmt::format("{}: a lane of one's own is not supported; take it away, and "
                    "the hardware is made from {}",
                    (folder / "lane.sv").string(), kSemantics));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const UserOperation>> loadExtension(const fs::path& folder) {
  VTA_RETURN_IF_ERROR(checkFiles(folder));
  const std::string description = (folder / kDescription).string();
  SemanticsFile semantics{(folder / kSemantics).string(), ""};
  VTA_ASSIGN_OR_RETURN(const std::string text, readTextFile(description, kMostBytes));
  VTA_ASSIGN_OR_RETURN(semantics.text, readTextFile(semantics.name, kMostBytes));
  try {
    VTA_ASSIGN_OR_RETURN(const YAML::Node root, loadYaml(text, description));
    return readUserOperation(root, description, semantics);
  } catch (const YAML::Exception& error) {
    return invalidArgument(fmt::format("{}: not valid YAML: {}", description, error.what()));
  }
}

Result<HwConfig> withExtensions(const HwConfig& hw, std::span<const std::string> folders) {
  if (folders.empty()) return hw;
  HwParams params = hw.params();
  for (const std::string& folder : folders) {
    VTA_ASSIGN_OR_RETURN(auto operation, loadExtension(folder));
    params.operations.add(std::move(operation));
    auto with = HwConfig::create(params);
    if (!with.ok()) return with.status().withContext(folder);
  }
  return HwConfig::create(params);
}

}  // namespace vta
