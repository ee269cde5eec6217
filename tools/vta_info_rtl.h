// vta-info --rtl-package and --rtl-sources: the RTL of a configuration as files.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "isa/rtl/sv_package.h"

namespace vta::tools {

/// Writes the SystemVerilog package of the configuration in `config_file` to `package_file`.
Status writeRtlPackage(const std::string& config_file, const std::string& package_file,
                       const SvPackageOptions& options);

/// Writes the package and all modules into `folder`, which is made when it is not there, and
/// files.f with their names. `prefix`, if there is one, stands before the names of files,
/// modules and package. Errors: those of checkSvPrefix and rtlFiles; a folder that cannot be made
/// or written to.
Status writeRtlSources(const std::string& config_file, const std::string& folder,
                       const std::optional<std::string>& prefix, const SvPackageOptions& options);

}  // namespace vta::tools
