// Outlines of modules as bytes, for caches and between processes.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/module/module_outline.h"

namespace vta::sweep {

/// What the cycles of a module depend on: values of immediates and names of kernels' parameters are
/// left out.
std::string encodeOutline(const compiler::ModuleOutline& outline);

/// Errors: kInvalidArgument for bytes that encodeOutline did not write.
Result<compiler::ModuleOutline> decodeOutline(std::string_view bytes);

}  // namespace vta::sweep
