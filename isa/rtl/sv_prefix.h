// The RTL under other names, so that one design can hold cores of several configurations.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta {

/// A file of the RTL.
struct SvSource {
  std::string file;  // its name, without a folder
  std::string text;
};

/// Ok for what may stand before the name of a module. Errors: kInvalidArgument, with the rule.
Status checkSvPrefix(std::string_view prefix);

/// The names of the modules and packages that `sources` define, in their order.
std::vector<std::string> svNames(std::span<const SvSource> sources);

/// Puts `prefix` before the names of the files, and before every module and package that `sources`
/// define, wherever a text names it: where it is defined and used, and in comments and messages.
void addSvPrefix(std::span<SvSource> sources, std::string_view prefix);

}  // namespace vta
