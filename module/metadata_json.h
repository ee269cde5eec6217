// A module's metadata as text, for people and scripts.
#pragma once

#include <string>

#include "module/module_info.h"

namespace vta {

/// One JSON object with the fields of module/metadata_fields.h.
std::string toJson(const ModuleInfo& info);

}  // namespace vta
