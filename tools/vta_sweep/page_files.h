// The parts of the page, from files beside this one.
#pragma once

#include <string_view>

namespace vta::tools {

extern const std::string_view kSweepPage;
extern const std::string_view kSweepStyle;
extern const std::string_view kSweepScript;

}  // namespace vta::tools
