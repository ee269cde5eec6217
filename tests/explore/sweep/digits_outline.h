// The outline of the example model, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "compiler/compile.h"

namespace vta::sweep::testing {

/// Calibrated with zeros.
inline compiler::ModuleOutline outlineOfDigits() {
  const auto model =
      compiler::Model::load(std::string(VTA_SOURCE_DIR) + "/examples/digits/digits.onnx", {});
  EXPECT_TRUE(model.ok()) << model.status().message();
  compiler::CompileOptions options;
  TensorMap sample;
  for (const compiler::Port& port : (*model)->signature().inputs) {
    sample[port.name] = Tensor::zeros(port.dtype, port.shape);
  }
  options.quantize.samples = {sample};
  const auto quantized = (*model)->quantize(options);
  EXPECT_TRUE(quantized.ok()) << quantized.status().message();
  auto outline = (*quantized)->outline(options);
  EXPECT_TRUE(outline.ok()) << outline.status().message();
  return *std::move(outline);
}

}  // namespace vta::sweep::testing
