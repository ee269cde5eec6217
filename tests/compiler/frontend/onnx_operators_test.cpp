// What the frontend says about wrong or unsupported nodes of operators that it decomposes. That the
// decompositions compute the right thing is checked by ONNX's own cases (tests/onnx_conformance).
#include <gmock/gmock.h>

#include "compiler/frontend/onnx/import.h"
#include "compiler/frontend/onnx/op_table.h"
#include "tests/compiler/frontend/model_builder.h"

namespace vta::compiler {
namespace {

using onnx::TensorProto;
using testing::HasSubstr;

/// A model of opset 16 whose inputs are f (f32 [2, 3, 4]), i (i64 [2, 3, 4]), s (f32 []) and
/// whatever the test adds.
class OnnxOperators : public testing::Test {
 protected:
  OnnxOperators() : model_(16) {
    model_.input("f", {2, 3, 4});
    model_.input("i", {2, 3, 4}, TensorProto::INT64);
    model_.input("s", {});
  }

  onnx::NodeProto& node(const std::string& op_type, const std::vector<std::string>& inputs) {
    model_.output("y");
    return model_.node(op_type, inputs, {"y"});
  }

  void expectError(StatusCode code, const std::string& part) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto module = importOnnxBytes(model_.proto().SerializeAsString(), "model.onnx", {}, context);
    ASSERT_FALSE(module.ok());
    EXPECT_EQ(module.status().code(), code) << module.status().message();
    EXPECT_THAT(module.status().message(), HasSubstr(part));
    EXPECT_THAT(module.status().message(), HasSubstr("node 'node_y'"));
  }

  ModelBuilder model_;
};

TEST_F(OnnxOperators, TheTableIsSortedAndHasNoOverlaps) {
  std::vector<OpEntry> ops = allOps();
  ASSERT_GT(ops.size(), 100u);
  for (size_t i = 0; i < ops.size(); ++i) {
    EXPECT_LE(ops[i].since_opset, ops[i].until_opset) << ops[i].op_type;
    for (size_t j = i + 1; j < ops.size() && ops[j].op_type == ops[i].op_type; ++j) {
      EXPECT_TRUE(ops[i].until_opset < ops[j].since_opset ||
                  ops[j].until_opset < ops[i].since_opset)
          << ops[i].op_type;
    }
  }
}

TEST_F(OnnxOperators, ArgMaxAxisOutsideOfTheTensor) {
  ModelBuilder::attribute(node("ArgMax", {"f"}), "axis", 3);
  expectError(StatusCode::kInvalidArgument, "axis 3 is outside [-3, 3)");
}

TEST_F(OnnxOperators, OneHotDepth) {
  model_.integers("depth", {0});
  model_.floats("values", {2});
  node("OneHot", {"i", "depth", "values"});
  expectError(StatusCode::kInvalidArgument, "'depth' is not one positive number");
}

TEST_F(OnnxOperators, OneHotValues) {
  model_.integers("depth", {3});
  model_.floats("values", {3});
  node("OneHot", {"i", "depth", "values"});
  expectError(StatusCode::kInvalidArgument, "'values' needs two elements");
}

TEST_F(OnnxOperators, TopKBeyondTheDimension) {
  model_.integers("k", {5});
  node("TopK", {"f", "k"});
  expectError(StatusCode::kInvalidArgument, "K is 5, not a number from 0 to 4");
}

TEST_F(OnnxOperators, NumbersWhoseProductsDoNotFit) {
  model_.integers("repeats", {int64_t{1} << 62, 1, 1});
  node("Tile", {"f", "repeats"});
  expectError(StatusCode::kInvalidArgument, "repeats [4611686018427387904, 1, 1] are not legal");
}

TEST_F(OnnxOperators, StridesThatDoNotFit) {
  onnx::NodeProto& pool = node("MaxPool", {"f"});
  ModelBuilder::attribute(pool, "kernel_shape", std::vector<int64_t>{2});
  ModelBuilder::attribute(pool, "strides", std::vector<int64_t>{int64_t{1} << 40});
  expectError(StatusCode::kInvalidArgument, "attribute 'strides' [1099511627776] is out of range");
}

TEST_F(OnnxOperators, BlocksizeThatDoesNotFit) {
  model_.input("image", {1, 4, 2, 2});
  ModelBuilder::attribute(node("SpaceToDepth", {"image"}), "blocksize", int64_t{1} << 40);
  expectError(StatusCode::kInvalidArgument, "blocksize 1099511627776 is too large");
}

TEST_F(OnnxOperators, TriluOfAVector) {
  model_.input("vector", {4});
  node("Trilu", {"vector"});
  expectError(StatusCode::kInvalidArgument, "expects an input of rank 2 or more");
}

TEST_F(OnnxOperators, EyeLikeOfNoMatrix) {
  node("EyeLike", {"f"});
  expectError(StatusCode::kInvalidArgument, "expects a matrix, got [2, 3, 4]");
}

TEST_F(OnnxOperators, CompressByALongCondition) {
  model_.input("condition", {4}, TensorProto::BOOL);
  ModelBuilder::attribute(node("Compress", {"f", "condition"}), "axis", 1);
  expectError(StatusCode::kInvalidArgument, "longer than the dimension");
}

TEST_F(OnnxOperators, RangeWithoutAMost) {
  model_.input("limit", {}, TensorProto::INT64);
  model_.integers("start", {0}).clear_dims();
  model_.integers("delta", {1}).clear_dims();
  node("Range", {"start", "limit", "delta"});
  expectError(StatusCode::kUnsupported,
              "'limit' ('limit') has to be a constant, or limited by Min or by a size");
}

TEST_F(OnnxOperators, ExpandWithoutAMost) {
  model_.input("shape", {3}, TensorProto::INT64);
  node("Expand", {"s", "shape"});
  expectError(StatusCode::kUnsupported, "'shape' ('shape') has to be a constant");
}

TEST_F(OnnxOperators, SuppressionOfBoxesWithoutFourCoordinates) {
  model_.input("boxes", {1, 6, 3});
  model_.input("scores", {1, 2, 6});
  node("NonMaxSuppression", {"boxes", "scores"});
  expectError(StatusCode::kInvalidArgument,
              "scores [batches, classes, boxes], got [1, 6, 3] and [1, 2, 6]");
}

TEST_F(OnnxOperators, SuppressionByAnIllegalThreshold) {
  model_.input("boxes", {1, 6, 4});
  model_.input("scores", {1, 2, 6});
  model_.integers("most", {3});
  model_.floats("iou", {1}).set_float_data(0, 1.5F);
  node("NonMaxSuppression", {"boxes", "scores", "most", "iou"});
  expectError(StatusCode::kInvalidArgument, "'iou_threshold' is 1.5, not a number from 0 to 1");
}

TEST_F(OnnxOperators, UniqueOfWideRows) {
  model_.input("wide", {4, 300});
  ModelBuilder::attribute(node("Unique", {"wide"}), "axis", int64_t{0});
  expectError(StatusCode::kUnsupported, "entries of 300 elements are more than 256");
}

TEST_F(OnnxOperators, GatherElementsOfOtherRank) {
  model_.input("j", {2, 3}, TensorProto::INT64);
  node("GatherElements", {"f", "j"});
  expectError(StatusCode::kInvalidArgument, "indices of shape [2, 3] do not fit data of shape");
}

TEST_F(OnnxOperators, GatherNdWithTooLongTuples) {
  node("GatherND", {"f", "i"});
  expectError(StatusCode::kInvalidArgument, "indices of shape [2, 3, 4] do not fit data of shape");
}

TEST_F(OnnxOperators, ScatterNdUpdates) {
  model_.input("j", {5, 2}, TensorProto::INT64);
  node("ScatterND", {"f", "j", "f"});
  expectError(StatusCode::kInvalidArgument, "expects updates of shape [5, 4], got [2, 3, 4]");
}

TEST_F(OnnxOperators, ScatterReduction) {
  ModelBuilder::attribute(node("ScatterElements", {"f", "i", "f"}), "reduction", "median");
  expectError(StatusCode::kInvalidArgument, "reduction 'median' is unknown");
}

TEST_F(OnnxOperators, LossOfOtherShape) {
  node("NegativeLogLikelihoodLoss", {"f", "i"});
  expectError(StatusCode::kInvalidArgument, "classes of shape [2, 3, 4] do not fit scores");
}

TEST_F(OnnxOperators, LossReduction) {
  model_.input("target", {2, 4}, TensorProto::INT64);
  ModelBuilder::attribute(node("NegativeLogLikelihoodLoss", {"f", "target"}), "reduction", "most");
  expectError(StatusCode::kInvalidArgument, "reduction 'most' is unknown");
}

TEST_F(OnnxOperators, EinsumTerms) {
  ModelBuilder::attribute(node("Einsum", {"f", "f"}), "equation", "abc->a");
  expectError(StatusCode::kInvalidArgument, "the equation has 1 terms for 2 inputs");
}

TEST_F(OnnxOperators, EinsumRank) {
  ModelBuilder::attribute(node("Einsum", {"f"}), "equation", "ab->a");
  expectError(StatusCode::kInvalidArgument, "the term 'ab' does not fit a tensor of rank 3");
}

TEST_F(OnnxOperators, EinsumExtents) {
  ModelBuilder::attribute(node("Einsum", {"f"}), "equation", "aab->b");
  expectError(StatusCode::kInvalidArgument, "label 'a' stands for extents 2 and 3");
}

TEST_F(OnnxOperators, EinsumResult) {
  ModelBuilder::attribute(node("Einsum", {"f"}), "equation", "abc->d");
  expectError(StatusCode::kInvalidArgument, "label 'd' of the result is in no term");
}

TEST_F(OnnxOperators, EinsumSyntax) {
  ModelBuilder::attribute(node("Einsum", {"f"}), "equation", "a+c->a");
  expectError(StatusCode::kInvalidArgument, "'a+c' is no legal term of an equation");
}

TEST_F(OnnxOperators, CumSumAxis) {
  model_.integers("axes", {0, 1});
  node("CumSum", {"f", "axes"});
  expectError(StatusCode::kInvalidArgument, "'axis' is not a scalar");
}

TEST_F(OnnxOperators, ReverseSequenceLengths) {
  model_.input("lengths", {4}, TensorProto::INT64);
  node("ReverseSequence", {"f", "lengths"});
  expectError(StatusCode::kInvalidArgument, "the lengths do not fit the batch axis");
}

TEST_F(OnnxOperators, WindowSize) {
  model_.proto().mutable_opset_import(0)->set_version(17);
  model_.integers("size", {0});
  node("HannWindow", {"size"});
  expectError(StatusCode::kInvalidArgument, "'size' is not one positive number");
}

TEST_F(OnnxOperators, ResizeMode) {
  model_.floats("scales", {3}, 2);
  ModelBuilder::attribute(node("Resize", {"f", "", "scales"}), "mode", "lanczos");
  expectError(StatusCode::kInvalidArgument, "mode 'lanczos' is unknown");
}

TEST_F(OnnxOperators, ResizeCrop) {
  model_.floats("scales", {3}, 2);
  model_.floats("roi", {4});
  onnx::NodeProto& resize = node("Resize", {"f", "roi", "scales"});
  ModelBuilder::attribute(resize, "coordinate_transformation_mode", "tf_crop_and_resize");
  expectError(StatusCode::kInvalidArgument, "'roi' has 4 numbers for 3 dimensions");
}

TEST_F(OnnxOperators, ResizeOfNamedAxes) {
  model_.proto().mutable_opset_import(0)->set_version(18);
  model_.floats("scales", {3}, 2);
  ModelBuilder::attribute(node("Resize", {"f", "", "scales"}), "axes", std::vector<int64_t>{1, 2});
  expectError(StatusCode::kInvalidArgument, "3 scales for 2 dimensions");
}

TEST_F(OnnxOperators, ResizePolicy) {
  model_.proto().mutable_opset_import(0)->set_version(18);
  model_.integers("sizes", {4, 4, 4});
  ModelBuilder::attribute(node("Resize", {"f", "", "", "sizes"}), "keep_aspect_ratio_policy",
                          "crop");
  expectError(StatusCode::kInvalidArgument, "keep_aspect_ratio_policy 'crop' is unknown");
}

TEST_F(OnnxOperators, RandomDropout) {
  auto& training = *model_.graph().add_initializer();
  training.set_name("training");
  training.set_data_type(TensorProto::BOOL);
  training.add_int32_data(1);
  node("Dropout", {"f", "", "training"});
  expectError(StatusCode::kUnsupported, "training mode; export the model for inference");
}

}  // namespace
}  // namespace vta::compiler
