// What a tool with a command line of CLI11 says about itself: the same options as its --help.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "tools/common/docs/tool_text.h"

namespace vta::tools {

/// The options of `app` in the order of its help, those without description left out.
std::vector<OptionText> optionTexts(const CLI::App& app);

/// Those, with the description and the footer of `app`.
ToolText toolText(const CLI::App& app);

}  // namespace vta::tools
