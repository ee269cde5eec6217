// Small ONNX models for tests, written to files.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// A model under construction. Methods that add things return them, for what they do not set.
class ModelBuilder {
 public:
  explicit ModelBuilder(int64_t opset = 13) {
    proto_.set_ir_version(8);
    proto_.add_opset_import()->set_version(opset);
  }

  onnx::ModelProto& proto() { return proto_; }
  onnx::GraphProto& graph() { return *proto_.mutable_graph(); }

  /// Negative extents are symbolic: -1 is "N", others have no name.
  static void setShape(onnx::ValueInfoProto& value, const std::string& name,
                       const std::vector<int64_t>& shape, int32_t type = onnx::TensorProto::FLOAT) {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    for (int64_t extent : shape) {
      auto& dimension = *tensor.mutable_shape()->add_dim();
      if (extent >= 0) dimension.set_dim_value(extent);
      if (extent == -1) dimension.set_dim_param("N");
    }
    tensor.mutable_shape();
  }

  void input(const std::string& name, const std::vector<int64_t>& shape,
             int32_t type = onnx::TensorProto::FLOAT) {
    setShape(*graph().add_input(), name, shape, type);
  }
  /// An output without a declared shape.
  void output(const std::string& name) {
    auto& value = *graph().add_output();
    value.set_name(name);
    value.mutable_type()->mutable_tensor_type();
  }
  void output(const std::string& name, const std::vector<int64_t>& shape,
              int32_t type = onnx::TensorProto::FLOAT) {
    setShape(*graph().add_output(), name, shape, type);
  }

  onnx::TensorProto& floats(const std::string& name, const std::vector<int64_t>& shape,
                            float value = 1) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    int64_t count = 1;
    for (int64_t extent : shape) {
      tensor.add_dims(extent);
      count *= extent;
    }
    for (int64_t i = 0; i < count; ++i) tensor.add_float_data(value);
    return tensor;
  }
  /// Types of ONNX 1.16.
  static constexpr int32_t kUint4 = 21, kInt4 = 22;

  /// An initializer of kInt4 or kUint4: `bytes` have two elements each.
  onnx::TensorProto& fourBits(const std::string& name, const std::vector<int64_t>& shape,
                              int32_t type, const std::vector<uint8_t>& bytes) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (int64_t extent : shape) tensor.add_dims(extent);
    tensor.set_raw_data(bytes.data(), bytes.size());
    return tensor;
  }
  onnx::TensorProto& integers(const std::string& name, const std::vector<int64_t>& values) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<int64_t>(values.size()));
    for (int64_t value : values) tensor.add_int64_data(value);
    return tensor;
  }

  /// The node's name is its first output's with "node_" in front.
  onnx::NodeProto& node(const std::string& op_type, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs) {
    auto& node = *graph().add_node();
    node.set_op_type(op_type);
    node.set_name("node_" + outputs[0]);
    for (const std::string& input : inputs) node.add_input(input);
    for (const std::string& output : outputs) node.add_output(output);
    return node;
  }

  static void attribute(onnx::NodeProto& node, const std::string& name, int64_t value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  static void attribute(onnx::NodeProto& node, const std::string& name,
                        const std::vector<int64_t>& values) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (int64_t value : values) attribute.add_ints(value);
  }
  static void attribute(onnx::NodeProto& node, const std::string& name, const char* value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(value);
  }

  void write(const std::filesystem::path& path) const {
    std::ofstream stream(path, std::ios::binary);
    ASSERT_TRUE(proto_.SerializeToOstream(&stream));
  }

 private:
  onnx::ModelProto proto_;
};

/// A fresh directory per test, removed afterwards.
class TemporaryDirectoryTest : public testing::Test {
 protected:
  TemporaryDirectoryTest() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = std::filesystem::temp_directory_path() /
                 (std::string("vta_") + info->test_suite_name() + "_" + info->name() + "_" +
                  std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
  }
  ~TemporaryDirectoryTest() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path write(const ModelBuilder& model) {
    std::filesystem::path path = directory_ / "model.onnx";
    model.write(path);
    return path;
  }
  std::filesystem::path write(const std::string& bytes) {
    std::filesystem::path path = directory_ / "model.onnx";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::filesystem::path directory_;
};

}  // namespace vta::compiler
