// Folders of extensions: an operation of the ALU that is defined outside of this project.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "isa/config/hw_config.h"

namespace vta {

/// Reads `folder`, with the files extension.yaml and semantics.mlir (docs/extensions.md). Nothing
/// of it is executed. Errors name the file, the place in it, and what is legal.
Result<std::shared_ptr<const UserOperation>> loadExtension(const std::filesystem::path& folder);

/// `hw` with the operations of these folders. Errors: those of loadExtension, and operations that
/// `hw` cannot have together.
Result<HwConfig> withExtensions(const HwConfig& hw, std::span<const std::string> folders);

}  // namespace vta
