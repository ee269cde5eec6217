#include "explore/sweep/network/outline_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "isa/spec/parameters.h"

namespace vta::sweep {
namespace {

/// The parameters of a section of configuration files.
std::string sectionText(const HwParams& params, std::string_view section) {
  std::string text;
  for (const Parameter& parameter : parameters()) {
    if (parameter.section != section) continue;
    text += fmt::format("{}={} ", parameter.key, valueText(parameter, params));
  }
  return text;
}

/// What the partition looks at besides. Of scratchpads that is whether a flattened image of up to
/// 64 pixels fits four times into INP and WGT (compiler/vta/partition/group.cpp).
std::string partitionText(const HwConfig& hw) {
  constexpr uint32_t kEnoughElems = 256;
  const uint32_t depth = std::min(hw.depthElems(MemoryType::kInp), hw.depthElems(MemoryType::kWgt));
  return fmt::format("{}depth {} encoding {}", sectionText(hw.params(), "gemm"),
                     std::min(depth, kEnoughElems), encodingName(hw.encoding()));
}

}  // namespace

std::string quantizerText(const HwParams& params) {
  return sectionText(params, "isa") + sectionText(params, "operands");
}

std::string acceleratorText(const HwConfig& hw) {
  return fmt::format("{} {}", quantizerText(hw.params()), partitionText(hw));
}

}  // namespace vta::sweep
