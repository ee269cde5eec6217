// The parts of the report page, from files beside this one and from third_party.
#pragma once

#include <string_view>

namespace vta::tools {

extern const std::string_view kPageTemplate;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
extern const std::string_view kEchartsScript;

}  // namespace vta::tools
