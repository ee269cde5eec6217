// NVIDIA's assembler, where it is installed.
#pragma once

#include <filesystem>
#include <string>

namespace vta::codegen::testing {

/// Empty where it is not installed.
std::filesystem::path findPtxAssembler();

/// Expects that the assembler takes `text` for `architecture`, and that no register goes to memory.
/// How many registers an invocation has.
int expectAssembles(const std::filesystem::path& assembler, const std::string& architecture,
                    const std::string& text);

}  // namespace vta::codegen::testing
