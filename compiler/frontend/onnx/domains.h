// Domains of ONNX operators besides the default one, which is empty.
#pragma once

#include <string_view>

namespace vta::compiler {

/// ONNX Runtime's own operators.
inline constexpr std::string_view kMicrosoft = "com.microsoft";
/// ONNX's operators on images with channels last, as ONNX Runtime's layout optimiser writes them.
inline constexpr std::string_view kNhwc = "com.ms.internal.nhwc";
/// Operators for the blocks of channels of one processor, by the same optimiser.
inline constexpr std::string_view kNchwc = "com.microsoft.nchwc";
/// Arbitrary bits, as QONNX, Brevitas and FINN write them.
inline constexpr std::string_view kQonnx[] = {"qonnx.custom_op.general", "onnx.brevitas",
                                              "finn.custom_op.general"};
/// AMD's quantisers: Quark, and Vitis AI before it.
inline constexpr std::string_view kQuark[] = {"com.amd.quark", "com.vai.quantize", "vai.quantize",
                                              "ai.onnx.contrib"};

/// Kernels of the user's: the operator is the kernel's name, and a function of the model computes
/// the same.
inline constexpr std::string_view kKernels = "vta.kernels";

/// Trees, linear models and the like.
inline constexpr std::string_view kMachineLearning = "ai.onnx.ml";

}  // namespace vta::compiler
