// What the frontend says about initializers that are sparse, or in files of their own.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "llvm/Support/raw_ostream.h"
#include "tests/compiler/frontend/onnx_errors.h"

namespace vta::compiler {
namespace {

using testing::HasSubstr;

class SparseInitializer : public OnnxErrors {
 protected:
  /// Two values of a vector of 5, with these indices.
  ModelBuilder sparse(const std::vector<int64_t>& indices) {
    ModelBuilder model = convolution();
    auto& tensor = *model.graph().add_sparse_initializer();
    tensor.add_dims(5);
    tensor.mutable_values()->set_name("sparse");
    tensor.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
    tensor.mutable_values()->add_dims(2);
    for (const float value : {1.0F, 2.0F}) tensor.mutable_values()->add_float_data(value);
    tensor.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
    tensor.mutable_indices()->add_dims(static_cast<int64_t>(indices.size()));
    for (const int64_t index : indices) tensor.mutable_indices()->add_int64_data(index);
    return model;
  }
};

TEST_F(SparseInitializer, IndexOutside) {
  expectError(import(sparse({0, 5})), StatusCode::kInvalidArgument,
              "sparse initializer 'sparse': the index of value 1 is outside of [5]");
}

TEST_F(SparseInitializer, AnotherNumberOfIndices) {
  expectError(import(sparse({0, 1, 2})), StatusCode::kInvalidArgument,
              "its 2 values have indices of shape [3]");
}

TEST_F(SparseInitializer, IllegalShape) {
  ModelBuilder model = sparse({0, 1});
  model.graph().mutable_sparse_initializer(0)->set_dims(0, -5);
  expectError(import(model), StatusCode::kInvalidArgument, "its shape [-5] is not legal");
}

class ExternalData : public OnnxErrors {
 protected:
  /// The weight of the base model, 864 bytes, in `location`.
  ModelBuilder external(const std::string& location, const std::string& offset = "0") {
    ModelBuilder model = convolution();
    auto& tensor = *model.graph().mutable_initializer(0);
    tensor.clear_float_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    for (auto [key, value] : {std::pair{"location", location}, {"offset", offset}}) {
      auto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    return model;
  }
};

TEST_F(ExternalData, IsRead) {
  std::ofstream(directory_ / "weights.bin") << std::string(864 + 16, '\0');
  EXPECT_TRUE(import(external("weights.bin", "16")).ok());
}

TEST_F(ExternalData, BeyondFourGigabytes) {
  constexpr uint64_t kOffset = (uint64_t{5} << 30) + 48;
  const auto path = directory_ / "weights.bin";
  std::ofstream(path) << "";
  std::filesystem::resize_file(path, kOffset + 864 + 100);  // takes no room on the disk
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const std::vector<float> values(216, 2.5F);
  file.seekp(kOffset).write(reinterpret_cast<const char*>(values.data()), 864);
  file.close();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = importOnnx(write(external("weights.bin", std::to_string(kOffset))), {}, context);
  ASSERT_TRUE(module.ok()) << module.status().message();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream);
  EXPECT_THAT(text, HasSubstr("dense<2.500000e+00> : tensor<6x4x3x3xf32>"));
}

TEST_F(ExternalData, Missing) {
  expectError(import(external("weights.bin")), StatusCode::kNotFound, "initializer 'w'",
              "weights.bin", "beside the model");
}

TEST_F(ExternalData, TooShort) {
  std::ofstream(directory_ / "weights.bin") << std::string(864, '\0');
  expectError(import(external("weights.bin", "16")), StatusCode::kInvalidArgument, "weights.bin",
              "ends before byte 880");
}

TEST_F(ExternalData, OutsideTheDirectory) {
  for (const char* location : {"/etc/passwd", "../weights.bin", ""}) {
    expectError(import(external(location)), StatusCode::kInvalidArgument,
                "not a path inside the model's directory");
  }
}

TEST_F(ExternalData, LinksStayInTheDirectory) {
  const auto elsewhere = directory_.parent_path() / "elsewhere.bin";
  std::ofstream(elsewhere) << std::string(864, '\0');
  std::filesystem::create_symlink(elsewhere, directory_ / "link.bin");
  std::filesystem::create_directory_symlink(directory_.parent_path(), directory_ / "up");
  for (const char* location : {"link.bin", "up/elsewhere.bin"}) {
    expectError(import(external(location)), StatusCode::kInvalidArgument,
                "not a path inside the model's directory", "symbolic link");
  }
  std::ofstream(directory_ / "weights.bin") << std::string(864, '\0');
  std::filesystem::create_symlink("weights.bin", directory_ / "inside.bin");
  EXPECT_TRUE(import(external("inside.bin")).ok());
  std::filesystem::remove(elsewhere);
}

TEST_F(ExternalData, LocationWithNul) {
  std::ofstream(directory_ / "weights.bin") << std::string(864, '\0');
  expectError(import(external(std::string("weights.bin\0x", 13))), StatusCode::kInvalidArgument,
              "not a path inside the model's directory");
}

TEST_F(ExternalData, PipesAreNotWaitedFor) {
  ASSERT_EQ(mkfifo((directory_ / "weights.bin").c_str(), 0600), 0);
  expectError(import(external("weights.bin")), StatusCode::kInvalidArgument, "is a pipe");
}

TEST_F(ExternalData, OffsetIsNoNumber) {
  std::ofstream(directory_ / "weights.bin") << std::string(864, '\0');
  expectError(import(external("weights.bin", "12x")), StatusCode::kInvalidArgument,
              "offset '12x' is not a number");
}

}  // namespace
}  // namespace vta::compiler
