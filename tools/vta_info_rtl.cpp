#include "tools/vta_info_rtl.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "isa/config/config_rules.h"
#include "isa/config/hw_config.h"
#include "isa/rtl/sv_prefix.h"
#include "sim/rtl/model_cache.h"
#include "sim/rtl/rtl_files.h"
#include "tools/common/files.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

Result<std::string> packageOf(const std::string& config_file, const SvPackageOptions& options) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, loadHwConfig(config_file));
  VTA_RETURN_IF_ERROR(checkHasRtl(hw));
  return svPackage(hw, options);
}

}  // namespace

Status writeRtlPackage(const std::string& config_file, const std::string& package_file,
                       const SvPackageOptions& options) {
  VTA_ASSIGN_OR_RETURN(const std::string package, packageOf(config_file, options));
  return writeFile(package_file, package);
}

Status writeRtlSources(const std::string& config_file, const std::string& folder,
                       const std::optional<std::string>& prefix, const SvPackageOptions& options) {
  if (prefix) VTA_RETURN_IF_ERROR(checkSvPrefix(*prefix));
  VTA_ASSIGN_OR_RETURN(std::string package, packageOf(config_file, options));
  std::vector<SvSource> sources = {{"vta_pkg.sv", std::move(package)}};
  VTA_ASSIGN_OR_RETURN(const std::vector<fs::path> files,
                       sim::rtlFiles(sim::ModelCache::standard().rtl_directory));
  for (const fs::path& file : files) {
    VTA_ASSIGN_OR_RETURN(std::string text, readTextFile(file));
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
