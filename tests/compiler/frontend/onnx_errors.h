// The fixture of the tests of what the frontend says about models that it cannot import.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>

#include "compiler/frontend/onnx/import.h"
#include "tests/compiler/frontend/model_builder.h"

namespace vta::compiler {

class OnnxErrors : public TemporaryDirectoryTest {
 protected:
  Status import(const std::filesystem::path& path, const DimensionMap& dimensions = {}) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto module = importOnnx(path, {.dimensions = dimensions}, context);
    return module.ok() ? Status() : module.status();
  }
  Status import(const ModelBuilder& model, const DimensionMap& dimensions = {}) {
    return import(write(model), dimensions);
  }

  /// The message starts with the file's path and contains `parts`.
  template <typename... Parts>
  void expectError(const Status& status, StatusCode code, const Parts&... parts) {
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_THAT(status.message(), testing::AllOf(testing::HasSubstr(directory_.string()),
                                                 testing::HasSubstr(parts)...));
  }

  /// x [1, 4, 8, 8] through a 3x3 convolution with 6 output channels to y.
  static ModelBuilder convolution() {
    ModelBuilder model;
    model.input("x", {1, 4, 8, 8});
    model.floats("w", {6, 4, 3, 3});
    model.node("Conv", {"x", "w"}, {"y"});
    model.output("y", {1, 6, 6, 6});
    return model;
  }
};

}  // namespace vta::compiler
