#include "tools/vta_info_rtl.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "isa/config/config_rules.h"
#include "isa/config/hw_config.h"
#include "isa/rtl/sv_operations.h"
#include "isa/rtl/sv_prefix.h"
#include "sim/rtl/model_cache.h"
#include "sim/rtl/rtl_files.h"
#include "tools/common/files.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

Result<HwConfig> configOf(const std::string& config_file) {
  VTA_ASSIGN_OR_RETURN(HwConfig hw, loadHwConfig(config_file));
  VTA_RETURN_IF_ERROR(checkHasRtl(hw));
  return hw;
}

}  // namespace

Status writeRtlPackage(const std::string& config_file, const std::string& package_file,
                       const SvPackageOptions& options) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, configOf(config_file));
  if (!hw.params().operations.empty()) {
    return unsupported(
        fmt::format("'{}' has operations of users, whose lanes are no part of the package; write "
                    "all sources by "
                    "--rtl-sources",
                    hw.name()));
  }
  return writeFile(package_file, svPackage(hw, options));
}

Status writeRtlSources(const std::string& config_file, const std::string& folder,
                       const std::optional<std::string>& prefix, const SvPackageOptions& options) {
  if (prefix) VTA_RETURN_IF_ERROR(checkSvPrefix(*prefix));
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, configOf(config_file));
  std::vector<SvSource> sources = {{"vta_pkg.sv", svPackage(hw, options)}};
  VTA_ASSIGN_OR_RETURN(const std::vector<fs::path> files,
                       sim::rtlFiles(sim::ModelCache::standard().rtl_directory));
  for (const fs::path& file : files) {
    VTA_ASSIGN_OR_RETURN(std::string text, readTextFile(file));
    if (file.filename() == kLaneFile) {
      VTA_ASSIGN_OR_RETURN(text, laneSource(hw, text));
    }
    sources.push_back({file.filename().string(), std::move(text)});
  }
  if (prefix) addSvPrefix(sources, *prefix);

  std::error_code error;
  fs::create_directory(folder, error);
  if (error) return ioError(fmt::format("{}: {}", folder, error.message()));
  std::string list;
  for (const SvSource& source : sources) {
    VTA_RETURN_IF_ERROR(writeFile(fs::path(folder) / source.file, source.text));
    list += source.file + "\n";
  }
  return writeFile(fs::path(folder) / (prefix.value_or("") + "files.f"), list);
}

}  // namespace vta::tools
