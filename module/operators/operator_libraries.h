// Shared libraries with operators of the user's (include/vta/operator.h), loaded into this process.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "module/operators/include/vta/operator.h"
#include "module/operators/operator_node.h"

namespace vta {

/// Loads a library: its operators are known to this process from now on, and it stays loaded. Once
/// more does nothing. It is native code: load only what you trust. From any thread. Errors: no such
/// file, no shared library for this machine, no vta_operators, another version, an operator without
/// a name or function, or one that another library has.
Status loadOperatorLibrary(const std::filesystem::path& path);

/// Null if no loaded library has it. `domain` "ai.onnx" is ONNX's default one, too.
const vta_operator* findOwnOperator(std::string_view domain, std::string_view name);

/// Sets the types of `node.outputs`, whose number is the node's. `constants` has the elements of
/// each input that is a constant; null for others. Errors: what the library says of the node; types
/// that are none.
Status inferOwnOperator(const vta_operator& own, OperatorNode& node,
                        std::span<const std::byte* const> constants);

/// Calls the library. `arguments` are the inputs that are present and have elements, then the
/// outputs that have some. Errors: no library that is loaded has the operator; what the library
/// says.
Status computeOwnOperator(const OperatorNode& node, void* const* arguments);

/// What a module says that a machine needs (ExecutorInfo::features) for an operator.
std::string featureOfOperator(std::string_view domain, std::string_view name);

/// The operators among `features` that no loaded library has.
std::vector<std::string> missingOperators(std::span<const std::string> features);

/// Whether `feature` is an operator's.
bool isOperatorFeature(std::string_view feature);

}  // namespace vta
