// YAML form of the ALU operations that users define.
#pragma once

#include <yaml-cpp/yaml.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "isa/spec/user_operation.h"

namespace vta {

/// What the operation computes, where it does not stand in the map itself.
struct SemanticsFile {
  std::string name;  // for messages
  std::string text;
};

/// The operation that `map` describes: the keys of an extension.yaml, and `semantics` without a
/// file of them. Errors begin with "source:line:column", or with a place in the semantics.
Result<std::shared_ptr<const UserOperation>> readUserOperation(
    const YAML::Node& map, std::string_view source, const std::optional<SemanticsFile>& semantics);

/// The map as one line, which reads back as an equal operation.
std::string userOperationYaml(const UserOperation& operation);

}  // namespace vta
