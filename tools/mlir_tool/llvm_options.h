// What tools with LLVM's command line have in common: their documents, and a help that is about
// them.
#pragma once

#include <string>

#include "tools/common/docs/tool_text.h"

namespace vta::tools {

/// Gives a tool --man, --completion and --version. LLVM registers a few hundred options of
/// processors that no tool here needs: what is registered before this call is left out of --help
/// and of the documents, and --help-hidden shows it. Call once, before MLIR's main function, which
/// registers the options of the tool and parses the command line. `tool` has to live as long as the
/// program.
void addLlvmDocuments(const char* tool, std::string description);

/// The options that --help shows, by name: passes, pipelines and translations each in a group of
/// their own.
std::vector<OptionText> llvmOptionTexts();

}  // namespace vta::tools
