// What all pages share, from files beside this one and from third_party.
#pragma once

#include <string_view>

namespace vta::tools {

extern const std::string_view kSharedStyle;
extern const std::string_view kSharedScript;
extern const std::string_view kEchartsScript;

}  // namespace vta::tools
