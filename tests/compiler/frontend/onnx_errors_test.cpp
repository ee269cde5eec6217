// What the frontend says about models that it cannot import: one test per message.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <random>

#include "tests/compiler/frontend/onnx_errors.h"

namespace vta::compiler {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(OnnxErrors, TheBaseModelImports) { EXPECT_TRUE(import(convolution()).ok()); }

TEST_F(OnnxErrors, MissingFile) {
  expectError(import(directory_ / "none.onnx"), StatusCode::kNotFound, "none.onnx", "no such file");
}

TEST_F(OnnxErrors, Directory) {
  expectError(import(directory_), StatusCode::kInvalidArgument, "is a directory");
}

TEST_F(OnnxErrors, EmptyFile) {
  expectError(import(write(std::string())), StatusCode::kInvalidArgument, "the file is empty");
}

TEST_F(OnnxErrors, RandomBytesWithoutNoise) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string bytes(1 + random() % 300, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    testing::internal::CaptureStderr();
    Status status = import(write(bytes));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    expectError(status, StatusCode::kInvalidArgument, "not an ONNX model");
  }
}

TEST_F(OnnxErrors, TruncatedAnywhere) {
  std::string bytes = convolution().proto().SerializeAsString();
  for (size_t length = 1; length < bytes.size(); length += 7) {
    EXPECT_FALSE(import(write(bytes.substr(0, length))).ok()) << length;
  }
}

TEST_F(OnnxErrors, FlippedBytesNeverCrash) {
  std::string bytes = convolution().proto().SerializeAsString();
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = bytes;
    for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    Status status = import(write(damaged));
    if (!status.ok()) {
      EXPECT_THAT(status.message(), HasSubstr("model.onnx"));
    }
  }
}

TEST_F(OnnxErrors, Cycle) {
  ModelBuilder model;
  model.input("x", {4});
  model.node("Add", {"x", "c"}, {"a"});
  model.node("Relu", {"a"}, {"b"});
  model.node("Neg", {"b"}, {"c"});
  model.output("c");
  expectError(import(model), StatusCode::kInvalidArgument, "cycle", "node 'node_a' (Add)",
              "node 'node_b' (Relu)", "node 'node_c' (Neg)");
}

TEST_F(OnnxErrors, UndefinedValuesAllNamed) {
  ModelBuilder model = convolution();
  model.graph().clear_initializer();
  model.node("Add", {"y", "lost"}, {"z"});
  model.output("nowhere");
  expectError(import(model), StatusCode::kInvalidArgument, "3 value(s)",
              "node 'node_y' (Conv) reads 'w'", "node 'node_z' (Add) reads 'lost'",
              "output 'nowhere'");
}

TEST_F(OnnxErrors, ValueDefinedTwice) {
  ModelBuilder model = convolution();
  model.node("Relu", {"x"}, {"y"});
  expectError(import(model), StatusCode::kInvalidArgument, "node 'node_y' (Relu)", "'y'",
              "elsewhere");
}

TEST_F(OnnxErrors, UnsupportedOperatorsAllNamed) {
  ModelBuilder model;
  model.input("x", {4});
  model.node("TfIdfVectorizer", {"x"}, {"a"});
  model.node("Relu", {"a"}, {"b"});
  model.node("Det", {"b"}, {"c"});
  model.node("Det", {"c"}, {"d"});
  auto& foreign = model.node("FusedGelu", {"d"}, {"e"});
  foreign.set_domain("com.microsoft");
  model.output("e");
  Status status = import(model);
  expectError(status, StatusCode::kUnsupported, "4 nodes with an unsupported operator",
              "TfIdfVectorizer x 1 (opset 13; node 'node_a' (TfIdfVectorizer))",
              "Det x 2 (opset 13; node 'node_c' (Det), node 'node_d' (Det))",
              "com.microsoft.FusedGelu x 1", "onnx.utils.extract_model",
              "for TfIdfVectorizer: text is handled outside of the model");
  EXPECT_THAT(status.message(), Not(HasSubstr("Relu")));
}

TEST_F(OnnxErrors, OperatorsOfMachineLearningHaveTheirOwnSetAndRemedy) {
  ModelBuilder model;
  model.input("x", {4});
  model.node("SVMRegressor", {"x"}, {"y"}).set_domain("ai.onnx.ml");
  model.output("y");
  auto& opset = *model.proto().add_opset_import();
  opset.set_domain("ai.onnx.ml");
  opset.set_version(3);
  const Status status = import(model);
  expectError(status, StatusCode::kUnsupported, "ai.onnx.ml.SVMRegressor x 1 (opset 3;",
              "of ai.onnx.ml, trees, linear models and what scales features are supported");
  EXPECT_THAT(status.message(), Not(HasSubstr("onnxsim")));
}

TEST_F(OnnxErrors, ManyUnsupportedNodesAreCounted) {
  ModelBuilder model;
  model.input("x", {4});
  std::string last = "x";
  for (int i = 0; i < 123; ++i) {
    const std::string next = std::to_string(i) + "v";
    model.node(i % 2 == 0 ? "Det" : "TfIdfVectorizer", {last}, {next});
    last = next;
  }
  model.output(last);
  expectError(import(model), StatusCode::kUnsupported, "123 nodes with an unsupported operator",
              "Det x 62", "TfIdfVectorizer x 61", "and 57 more");
}

TEST_F(OnnxErrors, UnsupportedUsesAllNamed) {
  ModelBuilder model;
  model.input("x", {1, 1, 8, 8});
  model.floats("scales", {4}, 2);
  auto& first = model.node("Resize", {"x", "", "scales"}, {"a"});
  model.attribute(first, "coordinate_transformation_mode", "odd");
  model.node("Relu", {"a"}, {"b"});
  model.node("Reshape", {"b", "b"}, {"c"});
  model.input("s", {2}, onnx::TensorProto::INT64);
  model.node("Reshape", {"x", "s"}, {"d"});
  model.output("c");
  model.output("d");
  expectError(import(model), StatusCode::kUnsupported, "2 nodes used in an unsupported way",
              "Resize x 1: coordinate transformation 'odd' is not supported (node 'node_a'",
              "Reshape x 1: input 'shape' ('s') has to be a constant", "(node 'node_d' (Reshape))",
              "onnxsim");
}

TEST_F(OnnxErrors, UnsupportedOptionalOutput) {
  ModelBuilder model;
  model.proto().add_opset_import()->set_domain("com.microsoft");
  model.proto().mutable_opset_import(1)->set_version(1);
  model.input("x", {1, 4, 8});
  model.floats("gamma", {8}, 0.5F);
  auto& norm = model.node("SkipLayerNormalization", {"x", "x", "gamma"}, {"y", "mean"});
  norm.set_domain("com.microsoft");
  model.output("y");
  EXPECT_TRUE(import(model).ok());
  model.node("Cast", {"mean"}, {"z"});
  model.output("z");
  expectError(import(model), StatusCode::kUnsupported, "node 'node_z' (Cast)", "'mean'");
}

TEST_F(OnnxErrors, UnneededNodesDoNotMatter) {
  ModelBuilder model = convolution();
  model.node("Det", {"x"}, {"unused"});
  EXPECT_TRUE(import(model).ok());
}

TEST_F(OnnxErrors, OpsetOutOfRange) {
  for (int64_t opset : {0, 25}) {
    ModelBuilder model = convolution();
    model.proto().mutable_opset_import(0)->set_version(opset);
    expectError(import(model), StatusCode::kUnsupported, "opset " + std::to_string(opset),
                "1 to 24");
  }
}

TEST_F(OnnxErrors, NoOpset) {
  ModelBuilder model = convolution();
  model.proto().clear_opset_import();
  expectError(import(model), StatusCode::kInvalidArgument, "no operator set");
  model.proto().add_opset_import()->set_domain("ai.onnx.ml");
  // Then the newest one: all of the operators may be of other domains.
  EXPECT_TRUE(import(model).ok());
}

TEST_F(OnnxErrors, InputsWithoutTensorOrShape) {
  ModelBuilder model = convolution();
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  expectError(import(model), StatusCode::kUnsupported,
              "input 'x' has no declared shape; give data for it");
  model.graph().mutable_input(0)->mutable_type()->mutable_sequence_type();
  expectError(import(model), StatusCode::kUnsupported, "input 'x' is not a tensor");
}

TEST_F(OnnxErrors, WrongDeclaredOutput) {
  ModelBuilder model = convolution();
  model.graph().clear_output();
  model.output("y", {1, 6, 6, 7});
  expectError(import(model), StatusCode::kInvalidArgument, "node 'node_y' (Conv)",
              "'y' is declared as [1, 6, 6, 7]", "comes out as [1, 6, 6, 6]");
}

TEST_F(OnnxErrors, WrongDeclaredValue) {
  ModelBuilder model = convolution();
  model.node("Relu", {"y"}, {"between"});
  model.node("Neg", {"between"}, {"z"});
  model.output("z");
  model.setShape(*model.graph().add_value_info(), "between", {1, 6, 6, 5});
  expectError(import(model), StatusCode::kInvalidArgument, "node 'node_between' (Relu)",
              "'between' is declared as [1, 6, 6, 5]", "[1, 6, 6, 6]");
}

TEST_F(OnnxErrors, WrongDeclaredType) {
  ModelBuilder model = convolution();
  model.node("Relu", {"y"}, {"z"});
  model.output("z", {1, 6, 6, 6}, onnx::TensorProto::INT8);
  expectError(import(model), StatusCode::kInvalidArgument, "'z' is declared as INT8");
}

TEST_F(OnnxErrors, WrongShapes) {
  ModelBuilder model = convolution();
  model.graph().mutable_initializer(0)->set_dims(1, 3);
  model.graph().mutable_initializer(0)->mutable_float_data()->Truncate(6 * 3 * 9);
  expectError(import(model), StatusCode::kInvalidArgument, "node 'node_y' (Conv)",
              "weight [6, 3, 3, 3] is for 3 input channels", "[1, 4, 8, 8]");
}

TEST_F(OnnxErrors, InitializerOfWrongSize) {
  ModelBuilder model = convolution();
  model.graph().mutable_initializer(0)->add_float_data(1);
  expectError(import(model), StatusCode::kInvalidArgument, "initializer 'w'",
              "needs 216 elements, but 217 are there");
  auto& tensor = *model.graph().mutable_initializer(0);
  tensor.clear_float_data();
  tensor.set_raw_data("abc");
  expectError(import(model), StatusCode::kInvalidArgument, "initializer 'w'",
              "needs 864 bytes, but 3 are there");
}

TEST_F(OnnxErrors, InitializerWithElementsInTwoPlaces) {
  ModelBuilder model = convolution();
  auto& tensor = *model.graph().mutable_initializer(0);
  tensor.set_raw_data(std::string(864, '\0'));
  expectError(import(model), StatusCode::kInvalidArgument, "initializer 'w'",
              "it has elements twice, in raw_data and in float_data");
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  expectError(import(model), StatusCode::kInvalidArgument, "in float_data and in external data");
}

TEST_F(OnnxErrors, InitializerThatIsASegment) {
  ModelBuilder model = convolution();
  model.graph().mutable_initializer(0)->mutable_segment()->set_begin(0);
  expectError(import(model), StatusCode::kUnsupported, "initializer 'w'",
              "it is a segment of a tensor");
}

TEST_F(OnnxErrors, InitializerWithElementsThatAreNotOfItsType) {
  const std::tuple<int32_t, int32_t, const char*> cases[] = {
      {onnx::TensorProto::UINT8, 300, "its element 1 is 300; its type has values from 0 to 255"},
      {onnx::TensorProto::INT8, -129, "is -129; its type has values from -128 to 127"},
      {onnx::TensorProto::UINT16, -1, "is -1; its type has values from 0 to 65535"},
      {onnx::TensorProto::INT16, 32768, "is 32768; its type has values from -32768 to 32767"}};
  for (const auto& [type, value, message] : cases) {
    ModelBuilder model = convolution();
    auto& tensor = *model.graph().add_initializer();
    tensor.set_name("more");
    tensor.set_data_type(type);
    tensor.add_dims(2);
    tensor.add_int32_data(1);
    tensor.add_int32_data(value);
    model.node("Identity", {"more"}, {"z"});
    model.output("z");
    expectError(import(model), StatusCode::kInvalidArgument, "initializer 'more'", message);
    model.graph().mutable_initializer(1)->set_int32_data(1, 1);
    EXPECT_TRUE(import(model).ok()) << import(model).message();
  }
}

TEST_F(OnnxErrors, NamesThatAreGivenTwice) {
  ModelBuilder inputs = convolution();
  inputs.input("x", {1, 4, 8, 8});
  expectError(import(inputs), StatusCode::kInvalidArgument, "two inputs of a graph are called 'x'");
  ModelBuilder initializers = convolution();
  initializers.floats("w", {1});
  expectError(import(initializers), StatusCode::kInvalidArgument,
              "two initializers of a graph are called 'w'");
  ModelBuilder opsets = convolution();
  opsets.proto().add_opset_import()->set_domain("ai.onnx");
  expectError(import(opsets), StatusCode::kInvalidArgument,
              "the operator set of domain 'ai.onnx' is imported twice");
  ModelBuilder functions = convolution();
  for (int i = 0; i < 2; ++i) {
    functions.proto().add_functions()->set_name("twice");
    functions.proto().mutable_functions(i)->set_domain("mine");
  }
  expectError(import(functions), StatusCode::kInvalidArgument,
              "two functions of the model are called 'twice' in domain 'mine'");
}

/// x [4, 3] with indices that are constant, through an operator that selects.
ModelBuilder selection(const std::string& op_type, const std::vector<int64_t>& index_shape,
                       const std::vector<int64_t>& indices) {
  ModelBuilder model;
  model.input("x", {4, 3});
  auto& tensor = model.integers("i", indices);
  tensor.clear_dims();
  int64_t rows = 1;
  for (const int64_t extent : index_shape) tensor.add_dims(extent);
  for (size_t d = 0; d + 1 < index_shape.size(); ++d) rows *= index_shape[d];
  if (op_type == "ScatterND") model.floats("u", {rows});
  if (op_type == "ScatterElements") model.floats("u", index_shape);
  std::vector<std::string> inputs = {"x", "i"};
  if (op_type.starts_with("Scatter")) inputs.push_back("u");
  model.node(op_type, inputs, {"y"});
  model.output("y");
  return model;
}

TEST_F(OnnxErrors, ConstantIndicesOutside) {
  struct Case {
    const char* op_type;
    std::vector<int64_t> shape, good, bad;
    const char* message;
  };
  const Case cases[] = {
      {"Gather", {2}, {3, -4}, {0, 4}, "index 4 is outside of -4 to 3"},
      {"Gather", {2}, {0, 0}, {0, -5}, "index -5 is outside of -4 to 3"},
      {"GatherElements", {1, 3}, {3, -4, 0}, {3, 4, 0}, "index 4 is outside of -4 to 3"},
      {"GatherND", {2, 2}, {3, 2, -4, -3}, {3, 2, 2, 3}, "index 3 is outside of -3 to 2"},
      {"ScatterElements", {1, 3}, {3, -4, 0}, {3, -5, 0}, "index -5 is outside of -4 to 3"},
      {"ScatterND", {2, 2}, {3, 2, -4, -3}, {4, 2, 0, 0}, "index 4 is outside of -4 to 3"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.op_type);
    const Status good = import(selection(c.op_type, c.shape, c.good));
    EXPECT_TRUE(good.ok()) << good.message();
    expectError(import(selection(c.op_type, c.shape, c.bad)), StatusCode::kInvalidArgument,
                "node 'node_y' (" + std::string(c.op_type) + ")", c.message);
  }
}

TEST_F(OnnxErrors, InitializerOfIllegalShape) {
  for (std::vector<int64_t> dims : {std::vector<int64_t>{-1, 4}, {1L << 40, 1L << 40}}) {
    ModelBuilder model = convolution();
    auto& tensor = *model.graph().mutable_initializer(0);
    tensor.clear_dims();
    for (int64_t dim : dims) tensor.add_dims(dim);
    expectError(import(model), StatusCode::kInvalidArgument, "initializer 'w'", "is not legal");
  }
}

TEST_F(OnnxErrors, HugeTensors) {
  ModelBuilder model;
  model.input("x", {1});
  model.integers("shape", {1 << 20, 1 << 20});
  model.node("Expand", {"x", "shape"}, {"y"});
  model.output("y");
  expectError(import(model), StatusCode::kUnsupported, "node 'node_y' (Expand)", "is too large");
  ModelBuilder input;
  input.input("x", {int64_t{1} << 40, int64_t{1} << 40});
  input.node("Relu", {"x"}, {"y"});
  input.output("y");
  expectError(import(input), StatusCode::kUnsupported, "input 'x'", "is too large");
}

TEST_F(OnnxErrors, UnsupportedElementType) {
  ModelBuilder model;
  model.input("x", {4}, onnx::TensorProto::COMPLEX64);
  model.node("Relu", {"x"}, {"y"});
  model.output("y", {4}, onnx::TensorProto::COMPLEX64);
  expectError(import(model), StatusCode::kUnsupported, "input 'x'", "COMPLEX64",
              "convert the model to float32");
}

TEST_F(OnnxErrors, MissingInput) {
  ModelBuilder model = convolution();
  model.graph().mutable_node(0)->mutable_input()->RemoveLast();
  expectError(import(model), StatusCode::kInvalidArgument, "node 'node_y' (Conv)",
              "input 1 ('W') is missing");
}

TEST_F(OnnxErrors, AttributeOfWrongType) {
  ModelBuilder model = convolution();
  model.attribute(*model.graph().mutable_node(0), "strides", 2);
  expectError(import(model), StatusCode::kInvalidArgument, "node 'node_y' (Conv)",
              "attribute 'strides' has type INT, expected INTS");
}

TEST_F(OnnxErrors, AttributeOfWrongLength) {
  ModelBuilder model = convolution();
  model.attribute(*model.graph().mutable_node(0), "strides", std::vector<int64_t>{1});
  expectError(import(model), StatusCode::kInvalidArgument, "'strides' needs 2 values, got 1");
}

TEST_F(OnnxErrors, UnknownAutoPad) {
  ModelBuilder model = convolution();
  model.attribute(*model.graph().mutable_node(0), "auto_pad", "SOMEHOW");
  expectError(import(model), StatusCode::kInvalidArgument, "auto_pad 'SOMEHOW' is unknown");
}

TEST_F(OnnxErrors, ReshapeThatDoesNotFit) {
  ModelBuilder model;
  model.input("x", {2, 3});
  model.integers("shape", {4, -1});
  model.node("Reshape", {"x", "shape"}, {"y"});
  model.output("y");
  expectError(import(model), StatusCode::kInvalidArgument, "node 'node_y' (Reshape)",
              "6 elements of shape [2, 3]");
}

TEST_F(OnnxErrors, AxisOutOfRange) {
  ModelBuilder model;
  model.input("x", {2, 3});
  model.attribute(model.node("Softmax", {"x"}, {"y"}), "axis", 2);
  model.output("y");
  expectError(import(model), StatusCode::kInvalidArgument, "axis 2 is outside [-2, 2)");
}

TEST_F(OnnxErrors, PipesAreNotWaitedFor) {
  ASSERT_EQ(mkfifo((directory_ / "pipe.onnx").c_str(), 0600), 0);
  expectError(import(directory_ / "pipe.onnx"), StatusCode::kInvalidArgument, "is a pipe");
}

TEST_F(OnnxErrors, OtherFormatsAreNamed) {
  const std::pair<std::string, const char*> files[] = {
      {std::string("\x20\0\0\0TFL3", 8), "tf2onnx"},
      {std::string("PK\x03\x04"), "torch.onnx.export"},
      {std::string("\x80\x02}q"), "torch.onnx.export"},
      {std::string("\x89HDF\r\n"), "Keras"},
      {std::string("\x1f\x8b\x08"), "gzip"},
      {std::string("version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"},
      {std::string("<!DOCTYPE html>"), "web page"}};
  for (const auto& [content, text] : files) {
    std::ofstream(directory_ / "other.onnx", std::ios::binary) << content;
    expectError(import(directory_ / "other.onnx"), StatusCode::kInvalidArgument,
                "not an ONNX model but", text);
  }
}

}  // namespace
}  // namespace vta::compiler
