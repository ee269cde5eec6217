// The parts of the report page, from files beside this one.
#pragma once

#include <string_view>

namespace vta::tools {

extern const std::string_view kPageTemplate;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace vta::tools
