// The parts of the page, from files beside this one and from third_party.
#pragma once

#include <string_view>

namespace vta::tools {

extern const std::string_view kSweepPage;
extern const std::string_view kSweepScript;
extern const std::string_view kSweepEcharts;

}  // namespace vta::tools
