// Graphs in graphs: functions of the model, branches and loops; and old and new operator sets.
#include <gmock/gmock.h>

#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/frontend/onnx/import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tests/compiler/frontend/model_builder.h"

namespace vta::compiler {
namespace {

using onnx::TensorProto;
using testing::HasSubstr;

class OnnxGraphs : public testing::Test {
 protected:
  /// The imported function as text; empty after an error, which goes to `status_`.
  std::string import() {
    auto module = importOnnxBytes(model_.proto().SerializeAsString(), "model.onnx", {}, context_);
    status_ = module.ok() ? Status() : module.status();
    if (!module.ok()) return "";
    module_ = *std::move(module);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module_->print(stream);
    return text;
  }

  void expectError(StatusCode code, const std::string& part) {
    EXPECT_EQ(import(), "");
    EXPECT_EQ(status_.code(), code) << status_.message();
    EXPECT_THAT(status_.message(), HasSubstr(part));
  }

  static size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }

  static onnx::NodeProto& addNode(onnx::GraphProto& graph, const std::string& op_type,
                                  const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& outputs) {
    auto& node = *graph.add_node();
    node.set_op_type(op_type);
    for (const std::string& input : inputs) node.add_input(input);
    for (const std::string& output : outputs) node.add_output(output);
    return node;
  }

  static onnx::GraphProto& addGraph(onnx::NodeProto& node, const std::string& name) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    return *attribute.mutable_g();
  }

  /// Adds If(condition) with branches Relu(x) and Neg(x) as node_y, from x [4] to y.
  void addIf(const std::string& condition) {
    model_.input("x", {4});
    auto& node = model_.node("If", {condition}, {"y"});
    for (const char* op_type : {"Relu", "Neg"}) {
      const bool is_then = std::string(op_type) == "Relu";
      auto& branch = addGraph(node, is_then ? "then_branch" : "else_branch");
      // Both branches have a value of one name.
      addNode(branch, op_type, {"x"}, {"inner"});
      branch.add_output()->set_name("inner");
    }
    model_.output("y");
  }

  onnx::FunctionProto& addFunction() {
    auto& function = *model_.proto().add_functions();
    function.set_name("Twice");
    function.set_domain("local");
    function.add_input("a");
    function.add_input("b");
    function.add_output("r");
    function.add_opset_import()->set_version(13);
    return function;
  }

  ModelBuilder model_{13};
  Status status_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(OnnxGraphs, NodesInAnyOrder) {
  model_.input("x", {4});
  model_.node("Neg", {"a"}, {"y"});
  model_.node("Relu", {"x"}, {"a"});
  model_.output("y");
  EXPECT_THAT(import(), HasSubstr("neg"));
}

TEST_F(OnnxGraphs, FunctionsAreInlined) {
  auto& function = addFunction();
  auto& node = *function.add_node();
  node.set_op_type("LeakyRelu");
  node.add_input("a");
  node.add_output("r");
  auto& slope = *node.add_attribute();
  slope.set_name("alpha");
  slope.set_type(onnx::AttributeProto::FLOAT);
  slope.set_ref_attr_name("slope");
  model_.input("x", {4});
  auto& call = model_.node("Twice", {"x"}, {"y"});
  call.set_domain("local");
  auto& given = *call.add_attribute();
  given.set_name("slope");
  given.set_type(onnx::AttributeProto::FLOAT);
  given.set_f(0.25);
  model_.output("y");
  const std::string text = import();
  EXPECT_THAT(text, HasSubstr("leaky_relu")) << status_.message();
  EXPECT_THAT(text, HasSubstr("2.500000e-01"));
}

TEST_F(OnnxGraphs, ACallSaysWhichOverloadItMeans) {
  for (const char* op_type : {"Neg", "Abs"}) {
    auto& function = addFunction();
    // Field 13 of newer versions of the message.
    function.GetReflection()->MutableUnknownFields(&function)->AddLengthDelimited(13, op_type);
    auto& node = *function.add_node();
    node.set_op_type(op_type);
    node.add_input("a");
    node.add_output("r");
  }
  model_.input("x", {4});
  auto& call = model_.node("Twice", {"x"}, {"y"});
  call.set_domain("local");
  auto& fields = *call.GetReflection()->MutableUnknownFields(&call);
  fields.AddLengthDelimited(8, "Abs");
  model_.output("y");
  EXPECT_THAT(import(), HasSubstr("graph.unary abs")) << status_.message();
  fields.Clear();
  fields.AddLengthDelimited(8, "Exp");
  expectError(StatusCode::kUnsupported, "local.Twice x 1");
}

TEST_F(OnnxGraphs, InputsThatACallLeavesOutAreAbsent) {
  auto& function = addFunction();
  auto& node = *function.add_node();
  node.set_op_type("Clip");
  for (const char* input : {"a", "b"}) node.add_input(input);
  node.add_output("r");
  model_.input("x", {4});
  model_.node("Twice", {"x"}, {"y"}).set_domain("local");
  model_.output("y");
  EXPECT_THAT(import(), HasSubstr("graph.clip")) << status_.message();
}

TEST_F(OnnxGraphs, AFunctionThatCallsItself) {
  auto& function = addFunction();
  auto& node = *function.add_node();
  node.set_op_type("Twice");
  node.set_domain("local");
  for (const char* input : {"a", "b"}) node.add_input(input);
  node.add_output("r");
  model_.input("x", {4});
  model_.node("Twice", {"x", "x"}, {"y"}).set_domain("local");
  model_.output("y");
  expectError(StatusCode::kInvalidArgument, "does a function call itself?");
}

TEST_F(OnnxGraphs, NodesOfTheUsersKernelsAreCalls) {
  auto& function = addFunction();
  function.set_domain("vta.kernels");
  auto& node = *function.add_node();
  node.set_op_type("Add");
  for (const char* input : {"a", "b"}) node.add_input(input);
  node.add_output("r");
  model_.input("x", {4});
  auto& call = model_.node("Twice", {"x", "x"}, {"y"});
  call.set_domain("vta.kernels");
  model_.output("y", {4});
  const std::string text = import();
  EXPECT_THAT(text, HasSubstr("call @kernel_1(%arg0, %arg0)")) << status_.message();
  EXPECT_THAT(text, HasSubstr("func.func private @kernel_1(%arg0: tensor<4xf32>, "
                              "%arg1: tensor<4xf32>) -> tensor<4xf32> attributes "
                              "{graph.kernel_node = \"Twice\"}"));
  // A kernel has all of its inputs; nodes inside are named.
  node.set_op_type("Neg");
  node.mutable_input()->RemoveLast();
  call.mutable_input()->RemoveLast();
  const std::string without = import();
  EXPECT_EQ(count(without, "call @"), 0u) << status_.message();
  EXPECT_THAT(without, HasSubstr("graph.unary neg"));
  call.add_input("x");
  node.set_op_type("Det");
  expectError(StatusCode::kUnsupported, "1 node with an unsupported operator: Det x 1");
}

TEST_F(OnnxGraphs, NodesOfTheUsersKernelsInsideOfGraphsAreInlined) {
  auto& function = addFunction();
  function.set_domain("vta.kernels");
  function.mutable_input()->RemoveLast();
  auto& node = *function.add_node();
  node.set_op_type("Neg");
  node.add_input("a");
  node.add_output("r");
  model_.input("c", {}, TensorProto::BOOL);
  addIf("c");
  auto& branch = *model_.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
  branch.mutable_node(0)->set_op_type("Twice");
  branch.mutable_node(0)->set_domain("vta.kernels");
  const std::string text = import();
  EXPECT_EQ(count(text, "call @"), 0u) << status_.message();
  EXPECT_EQ(count(text, "graph.unary neg"), 2u);
}

TEST_F(OnnxGraphs, NodesOfTheUsersKernelsNeedAFunction) {
  model_.input("x", {4});
  model_.node("Twice", {"x"}, {"y"}).set_domain("vta.kernels");
  model_.output("y");
  expectError(StatusCode::kUnsupported,
              "add a function of that domain and name to the model, which computes what the kernel "
              "does");
}

TEST_F(OnnxGraphs, NodesInFunctionsAreNamedInRefusals) {
  auto& function = addFunction();
  auto& node = *function.add_node();
  node.set_op_type("Det");
  node.set_name("inside");
  node.add_input("a");
  node.add_output("r");
  model_.input("x", {4});
  model_.node("Twice", {"x"}, {"y"}).set_domain("local");
  model_.output("y");
  expectError(StatusCode::kUnsupported, "1 node with an unsupported operator: Det x 1");
}

TEST_F(OnnxGraphs, AConstantConditionChoosesABranch) {
  auto& condition = *model_.graph().add_initializer();
  condition.set_name("c");
  condition.set_data_type(TensorProto::BOOL);
  condition.add_int32_data(0);
  addIf("c");
  const std::string text = import();
  EXPECT_THAT(text, HasSubstr("graph.unary neg")) << status_.message();
  EXPECT_EQ(count(text, "relu"), 0u);
}

TEST_F(OnnxGraphs, AComputedConditionSelectsBetweenBranches) {
  model_.input("c", {}, TensorProto::BOOL);
  addIf("c");
  const std::string text = import();
  EXPECT_EQ(count(text, "graph.if"), 1u) << status_.message();
  EXPECT_EQ(count(text, "graph.unary"), 2u);
}

TEST_F(OnnxGraphs, BranchesOfDifferentShapes) {
  model_.input("c", {}, TensorProto::BOOL);
  addIf("c");
  auto& branch = *model_.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
  addNode(branch, "Concat", {"inner", "inner"}, {"long"});
  ModelBuilder::attribute(*branch.mutable_node(1), "axis", int64_t{0});
  branch.mutable_output(0)->set_name("long");
  // The shorter one is filled up, and both are counted.
  const std::string text = import();
  EXPECT_THAT(text, HasSubstr("graph.count = array<i64: 1, 0>")) << status_.message();
  EXPECT_THAT(text, HasSubstr("-> (tensor<8xf32>, tensor<i64>)"));
  auto& other = *model_.graph().mutable_node(0)->mutable_attribute(1)->mutable_g();
  model_.integers("column", {4, 1});
  addNode(other, "Reshape", {"inner", "column"}, {"tall"});
  other.mutable_output(0)->set_name("tall");
  expectError(StatusCode::kUnsupported, "its branches give [8] and [4, 1]");
}

TEST_F(OnnxGraphs, LoopsAreUnrolled) {
  model_.input("x", {4});
  model_.integers("count", {3}).clear_dims();
  auto& node = model_.node("Loop", {"count", "", "x"}, {"y", "all"});
  auto& body = addGraph(node, "body");
  for (const char* name : {"i", "go", "v"}) body.add_input()->set_name(name);
  addNode(body, "Neg", {"v"}, {"next"});
  addNode(body, "Add", {"next", "x"}, {"sum"});  // x is of the graph around it
  for (const char* name : {"go", "next", "sum"}) body.add_output()->set_name(name);
  model_.output("y", {4});
  model_.output("all", {3, 4});
  const std::string text = import();
  EXPECT_EQ(count(text, "graph.unary neg"), 3u) << status_.message();
  EXPECT_EQ(count(text, "graph.binary add"), 3u);
}

TEST_F(OnnxGraphs, LoopsWhoseLengthDependsOnData) {
  model_.input("x", {4});
  model_.input("c", {}, TensorProto::BOOL);
  auto& node = model_.node("Loop", {"", "c", "x"}, {"y"});
  auto& body = addGraph(node, "body");
  for (const char* name : {"i", "go", "v"}) body.add_input()->set_name(name);
  addNode(body, "Neg", {"v"}, {"next"});
  for (const char* name : {"go", "next"}) body.add_output()->set_name(name);
  model_.output("y");
  EXPECT_EQ(count(import(), "graph.loop"), 1u) << status_.message();
  // A condition that the body computes from data.
  addNode(body, "ReduceMax", {"next"}, {"most"});
  addNode(body, "Cast", {"most"}, {"again"});
  ModelBuilder::attribute(*body.mutable_node(2), "to", TensorProto::BOOL);
  body.mutable_output(0)->set_name("again");
  model_.graph().mutable_node(0)->set_input(1, "");
  const std::string text = import();
  EXPECT_EQ(count(text, "graph.loop"), 1u) << status_.message();
  EXPECT_EQ(count(text, "graph.reduce max"), 1u);
}

TEST_F(OnnxGraphs, WhatALoopCarriesKeepsItsShape) {
  model_.input("x", {4});
  model_.input("count", {}, TensorProto::INT64);
  auto& node = model_.node("Loop", {"count", "", "x"}, {"y"});
  auto& body = addGraph(node, "body");
  for (const char* name : {"i", "go", "v"}) body.add_input()->set_name(name);
  ModelBuilder::attribute(addNode(body, "Concat", {"v", "v"}, {"next"}), "axis", int64_t{0});
  for (const char* name : {"go", "next"}) body.add_output()->set_name(name);
  model_.output("y");
  expectError(StatusCode::kUnsupported, "its value 0 changes its size from [4] to [8]");
}

TEST_F(OnnxGraphs, RowsOfALoopNeedAMost) {
  model_.input("x", {4});
  model_.input("count", {}, TensorProto::INT64);
  auto& node = model_.node("Loop", {"count", "", "x"}, {"y", "rows"});
  auto& body = addGraph(node, "body");
  for (const char* name : {"i", "go", "v"}) body.add_input()->set_name(name);
  addNode(body, "Neg", {"v"}, {"next"});
  for (const char* name : {"go", "next", "next"}) body.add_output()->set_name(name);
  model_.output("rows");
  expectError(StatusCode::kUnsupported, "input 'M' ('count') has to be a constant, or limited");
  model_.integers("limit", {9}).clear_dims();
  model_.node("Min", {"count", "limit"}, {"few"});
  model_.graph().mutable_node(0)->set_input(0, "few");
  EXPECT_THAT(import(), HasSubstr("tensor<9x4xf32>")) << status_.message();
}

TEST_F(OnnxGraphs, LoopsWithoutEnd) {
  model_.input("x", {4});
  auto& node = model_.node("Loop", {"", "", "x"}, {"y"});
  auto& body = addGraph(node, "body");
  for (const char* name : {"i", "go", "v"}) body.add_input()->set_name(name);
  addNode(body, "Neg", {"v"}, {"next"});
  for (const char* name : {"go", "next"}) body.add_output()->set_name(name);
  model_.output("y");
  EXPECT_EQ(count(import(), "graph.unary neg"), 1u) << status_.message();
}

TEST_F(OnnxGraphs, ScansAreUnrolled) {
  model_.input("x", {4});
  model_.input("rows", {3, 4});
  auto& node = model_.node("Scan", {"x", "rows"}, {"last", "y"});
  ModelBuilder::attribute(node, "num_scan_inputs", 1);
  auto& body = addGraph(node, "body");
  for (const char* name : {"s", "row"}) body.add_input()->set_name(name);
  addNode(body, "Add", {"s", "row"}, {"sum"});
  addNode(body, "Identity", {"sum"}, {"out"});
  for (const char* name : {"sum", "out"}) body.add_output()->set_name(name);
  model_.output("y", {3, 4});
  EXPECT_EQ(count(import(), "graph.binary add"), 3u) << status_.message();
}

TEST_F(OnnxGraphs, BodiesWithTheWrongNumberOfInputs) {
  model_.input("x", {4});
  model_.integers("count", {3}).clear_dims();
  auto& node = model_.node("Loop", {"count", "", "x"}, {"y"});
  auto& body = addGraph(node, "body");
  body.add_input()->set_name("i");
  body.add_output()->set_name("i");
  model_.output("y");
  expectError(StatusCode::kInvalidArgument, "has 1 inputs, expected 3");
}

TEST_F(OnnxGraphs, OperatorsOfTheFirstSetBroadcastByAttributes) {
  model_.proto().mutable_opset_import(0)->set_version(1);
  model_.input("x", {2, 3, 4});
  model_.floats("b", {3});
  auto& node = model_.node("Add", {"x", "b"}, {"y"});
  ModelBuilder::attribute(node, "broadcast", 1);
  ModelBuilder::attribute(node, "axis", 1);
  model_.output("y", {2, 3, 4});
  EXPECT_THAT(import(), HasSubstr("tensor<3x1xf32>")) << status_.message();
  ModelBuilder::attribute(*model_.graph().mutable_node(0), "axis", 1);
  model_.graph().mutable_node(0)->mutable_attribute(1)->set_i(3);
  expectError(StatusCode::kInvalidArgument, "axis 3 is outside [-3, 3)");
}

TEST_F(OnnxGraphs, NewSetsAndNewFormatsOfTheFile) {
  model_.proto().mutable_opset_import(0)->set_version(24);
  model_.proto().set_ir_version(13);
  model_.input("x", {1, 2, 4, 4});
  model_.floats("w", {3, 2, 3, 3});
  model_.node("Conv", {"x", "w"}, {"a"});
  model_.node("Swish", {"a"}, {"y"});
  model_.output("y", {1, 3, 2, 2});
  EXPECT_THAT(import(), HasSubstr("sigmoid")) << status_.message();
}

TEST_F(OnnxGraphs, WeightsOfFourBitsAreDequantised) {
  model_.fourBits("w", {5}, ModelBuilder::kInt4, {0xf1, 0x78, 0x0a});
  model_.fourBits("u", {2}, ModelBuilder::kUint4, {0xf1});
  model_.floats("scale", {}, 0.5F);
  model_.node("DequantizeLinear", {"w", "scale"}, {"signed"});
  model_.node("DequantizeLinear", {"u", "scale"}, {"unsigned"});
  model_.output("signed");
  model_.output("unsigned");
  const std::string text = import();
  ASSERT_TRUE(status_.ok()) << status_.message();
  // 1, -1; -8, 7; -6 without a partner.
  EXPECT_THAT(text, HasSubstr("dense<[1, -1, -8, 7, -6]>"));
  // As signed bytes, 128 less, with a zero point to match: 1 and 15.
  EXPECT_THAT(text, HasSubstr("dense<[-127, -113]>"));
}

TEST_F(OnnxGraphs, FourBitsHaveHalfAsManyBytes) {
  model_.fourBits("w", {5}, ModelBuilder::kInt4, {0xf1, 0x78});
  model_.floats("scale", {}, 0.5F);
  model_.node("DequantizeLinear", {"w", "scale"}, {"y"});
  model_.output("y");
  expectError(StatusCode::kInvalidArgument, "its shape needs 3 bytes, but 2 are there");
}

TEST_F(OnnxGraphs, FourBitsMayLieInNumbers) {
  auto& tensor = model_.fourBits("w", {3}, ModelBuilder::kInt4, {});
  tensor.clear_raw_data();
  tensor.add_int32_data(0x21);
  tensor.add_int32_data(0x03);
  model_.floats("scale", {}, 0.5F);
  model_.node("DequantizeLinear", {"w", "scale"}, {"y"});
  model_.output("y");
  EXPECT_THAT(import(), HasSubstr("dense<[1, 2, 3]>"));
}

}  // namespace
}  // namespace vta::compiler
