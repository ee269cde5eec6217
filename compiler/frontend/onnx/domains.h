// Domains of ONNX operators besides the default one, which is empty.
#pragma once

#include <string_view>

namespace vta::compiler {

/// ONNX Runtime's own operators.
inline constexpr std::string_view kMicrosoft = "com.microsoft";

/// Trees, linear models and the like.
inline constexpr std::string_view kMachineLearning = "ai.onnx.ml";

}  // namespace vta::compiler
