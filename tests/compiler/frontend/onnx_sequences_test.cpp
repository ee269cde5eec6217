// Sequences of tensors: what they become, and what is refused.
#include <gmock/gmock.h>

#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/frontend/onnx/import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tests/compiler/frontend/model_builder.h"

namespace vta::compiler {
namespace {

using onnx::TensorProto;
using testing::HasSubstr;

class OnnxSequences : public testing::Test {
 protected:
  OnnxSequences() { model_.input("x", {6, 4}); }

  onnx::NodeProto& node(const std::string& op_type, const std::vector<std::string>& inputs,
                        const std::string& output) {
    return model_.node(op_type, inputs, {output});
  }

  static void setInteger(onnx::NodeProto& node, const std::string& name, int64_t value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

  /// Adds a branch that puts the elements of s in one tensor.
  static void addBranch(onnx::NodeProto& choice, const std::string& name) {
    const std::string sequence = "s", inner = "inner", op_type = "ConcatFromSequence";
    auto& attribute = *choice.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    auto& concat = *attribute.mutable_g()->add_node();
    concat.set_op_type(op_type);
    concat.add_input(sequence);
    concat.add_output(inner);
    setInteger(concat, "axis", 0);
    attribute.mutable_g()->add_output()->set_name(inner);
  }

  void scalar(const std::string& name, int64_t value) {
    model_.integers(name, {value}).clear_dims();
  }

  /// The shape of the model's only output.
  void expectShape(const std::vector<int64_t>& shape) {
    const Status status = import(shape);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  void expectError(StatusCode code, const std::string& part) {
    const Status status = import({});
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_THAT(status.message(), HasSubstr(part));
  }

  Status import(const std::vector<int64_t>& shape) {
    model_.output("y");
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto module = importOnnxBytes(model_.proto().SerializeAsString(), "model.onnx", {}, context);
    if (!module.ok()) return module.status();
    auto type = (*module)->lookupSymbol<mlir::func::FuncOp>("main").getResultTypes()[0];
    EXPECT_EQ(mlir::cast<mlir::RankedTensorType>(type).getShape().vec(), shape);
    return {};
  }

  ModelBuilder model_;
};

TEST_F(OnnxSequences, SplitInPartsOfOneExtent) {
  scalar("four", 4);
  scalar("last", -1);
  node("SplitToSequence", {"x", "four"}, "s");
  node("SequenceAt", {"s", "last"}, "y");
  expectShape({2, 4});
}

TEST_F(OnnxSequences, SplitWithoutDimension) {
  auto& split = node("SplitToSequence", {"x"}, "s");
  setInteger(split, "axis", 1);
  setInteger(split, "keepdims", 0);
  setInteger(node("ConcatFromSequence", {"s"}, "y"), "axis", 0);
  expectShape({24});
}

TEST_F(OnnxSequences, ElementsComeAndGo) {
  scalar("first", 0);
  node("SequenceEmpty", {}, "s0");
  node("SequenceInsert", {"s0", "x"}, "s1");
  node("Relu", {"x"}, "r");
  node("SequenceInsert", {"s1", "r", "first"}, "s2");
  node("SequenceInsert", {"s2", "r"}, "s3");
  node("SequenceErase", {"s3"}, "s4");
  auto& concat = node("ConcatFromSequence", {"s4"}, "y");
  setInteger(concat, "axis", -1);
  setInteger(concat, "new_axis", 1);
  expectShape({6, 4, 2});
}

TEST_F(OnnxSequences, ABranchSeesSequencesAroundIt) {
  node("SequenceConstruct", {"x", "x"}, "s");
  auto& flag = *model_.graph().add_initializer();
  flag.set_name("flag");
  flag.set_data_type(TensorProto::BOOL);
  flag.add_int32_data(1);
  auto& choice = node("If", {"flag"}, "y");
  addBranch(choice, "then_branch");
  addBranch(choice, "else_branch");
  expectShape({12, 4});
}

TEST_F(OnnxSequences, PositionsAreChecked) {
  scalar("two", 2);
  node("SequenceConstruct", {"x", "x"}, "s");
  node("SequenceAt", {"s", "two"}, "y");
  expectError(StatusCode::kInvalidArgument, "position 2 is outside [-2, 2)");
}

TEST_F(OnnxSequences, PositionsOfNewElementsAreChecked) {
  scalar("three", -3);
  node("SequenceConstruct", {"x", "x"}, "s");
  node("SequenceInsert", {"s", "x", "three"}, "t");
  node("SequenceErase", {"t"}, "y");
  expectError(StatusCode::kInvalidArgument, "position -3 is outside [-2, 2]");
}

TEST_F(OnnxSequences, NothingIsTakenFromAnEmptyOne) {
  node("SequenceEmpty", {}, "s");
  node("SequenceErase", {"s"}, "y");
  expectError(StatusCode::kInvalidArgument, "the sequence is empty");
}

TEST_F(OnnxSequences, PartsHaveToAddUp) {
  model_.integers("parts", {2, 2});
  node("SplitToSequence", {"x", "parts"}, "s");
  setInteger(node("ConcatFromSequence", {"s"}, "y"), "axis", 0);
  expectError(StatusCode::kInvalidArgument, "do not add up to dimension 0");
}

TEST_F(OnnxSequences, OneElementType) {
  model_.integers("i", {1, 2});
  node("SequenceConstruct", {"x", "i"}, "s");
  node("SequenceLength", {"s"}, "y");
  expectError(StatusCode::kInvalidArgument, "one element type");
}

TEST_F(OnnxSequences, TensorsAreNoSequences) {
  node("SequenceLength", {"x"}, "y");
  expectError(StatusCode::kInvalidArgument, "is a tensor, not a sequence");
}

TEST_F(OnnxSequences, OtherOperatorsRefuseThem) {
  node("SequenceConstruct", {"x"}, "s");
  node("Relu", {"s"}, "y");
  expectError(StatusCode::kUnsupported, "input 0 ('s') is a sequence, not a tensor");
}

TEST_F(OnnxSequences, OptionalInputsRefuseThemToo) {
  node("SequenceConstruct", {"x"}, "s");
  node("Clip", {"x", "s"}, "y");
  expectError(StatusCode::kUnsupported, "is a sequence, not a tensor");
}

TEST_F(OnnxSequences, OutputsAreTensors) {
  node("SequenceConstruct", {"x"}, "y");
  expectError(StatusCode::kUnsupported, "output 'y' is a sequence; make its elements outputs");
}

}  // namespace
}  // namespace vta::compiler
