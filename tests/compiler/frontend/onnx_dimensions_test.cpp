// How symbolic dimensions get their values.
#include <gmock/gmock.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "compiler/frontend/onnx/import.h"
#include "tests/compiler/frontend/model_builder.h"

namespace vta::compiler {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OnnxDimensions : public testing::Test {
 protected:
  /// The shapes of the inputs, one after the other.
  Result<std::vector<std::vector<int64_t>>> import(ImportOptions options) {
    notes_.clear();
    options.notes = &notes_;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto module =
        importOnnxBytes(model_.proto().SerializeAsString(), "model.onnx", options, context);
    if (!module.ok()) return module.status();
    std::vector<std::vector<int64_t>> shapes;
    for (mlir::Type type : (*module)->lookupSymbol<mlir::func::FuncOp>("main").getArgumentTypes()) {
      shapes.push_back(mlir::cast<mlir::RankedTensorType>(type).getShape().vec());
    }
    return shapes;
  }

  void expectShape(const ImportOptions& options, const std::vector<int64_t>& shape) {
    auto shapes = import(options);
    ASSERT_TRUE(shapes.ok()) << shapes.status().message();
    EXPECT_EQ(shapes->at(0), shape);
  }

  void expectError(const ImportOptions& options, const std::string& part) {
    auto shapes = import(options);
    ASSERT_FALSE(shapes.ok());
    EXPECT_EQ(shapes.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(shapes.status().message(), HasSubstr(part));
  }

  /// A model from x of `shape` (see ModelBuilder::setShape) to y.
  void relu(const std::vector<int64_t>& shape) {
    model_.input("x", shape);
    model_.node("Relu", {"x"}, {"y"});
    model_.output("y", shape);
  }

  onnx::TensorShapeProto::Dimension& dimension(int index) {
    return *model_.graph()
                .mutable_input(0)
                ->mutable_type()
                ->mutable_tensor_type()
                ->mutable_shape()
                ->mutable_dim(index);
  }

  ModelBuilder model_;
  std::vector<std::string> notes_;
};

TEST_F(OnnxDimensions, OptionsBindByName) {
  relu({-1, 4, -2});
  expectShape({.dimensions = {{"N", 3}, {"x.2", 5}}}, {3, 4, 5});
  EXPECT_THAT(notes_, IsEmpty());
  expectError({.dimensions = {{"x.2", 0}}}, "dimension 2 of input 'x' is 0");
  expectError({.dimensions = {{"x.2", 5}, {"M", 1}}},
              "--shape M=1: no input has a symbolic dimension of this name; there are: N, x.2");
}

TEST_F(OnnxDimensions, APlaceNamesANamedDimensionToo) {
  relu({-1, 4});
  expectShape({.dimensions = {{"x.0", 3}}}, {3, 4});
  expectError({.dimensions = {{"x.0", 3}, {"N", 2}}}, "dimension 'N' is 2 by --shape N=2, but 3");
}

TEST_F(OnnxDimensions, ABatchIsOne) {
  relu({-1, 4});
  expectShape({}, {1, 4});
  EXPECT_THAT(notes_, ElementsAre("dimension 'N', the first of input 'x', is taken to be 1; "
                                  "--shape N=VALUE sets another"));
}

TEST_F(OnnxDimensions, OtherSymbolsHaveADefault) {
  relu({-1, 4, -2});
  expectShape({}, {1, 4, 128});
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("dimension 'N', the first of input 'x'"),
                                  "dimension 'x.2' of input 'x' is taken to be 128, the default, "
                                  "as nothing says what it is; --shape x.2=VALUE sets another"));
  expectShape({.dimensions = {{"x.2", 7}}}, {1, 4, 7});
}

TEST_F(OnnxDimensions, ImagesHaveADefaultOfTheirOwn) {
  relu({-1, 3, -2, -2});
  expectShape({}, {1, 3, 224, 224});
  EXPECT_THAT(notes_, testing::SizeIs(3));
}

TEST_F(OnnxDimensions, VolumesAndChannelsHaveDefaults) {
  relu({-1, -2, -2, -2, -2});
  expectShape({}, {1, 3, 64, 64, 64});
}

// Where the default does not fit, the graph says what does.
TEST_F(OnnxDimensions, AConstantShapeSettlesWhatItIsMadeOf) {
  model_.input("x", {-1, -2});
  model_.integers("frames", {1, 4, 1030});
  model_.node("Reshape", {"x", "frames"}, {"y"});
  model_.output("y");
  expectShape({}, {1, 4120});
  EXPECT_THAT(notes_, testing::Contains("dimension 'x.1' of input 'x' is taken to be 4120, which "
                                        "the model's nodes allow; the default 128 does not fit "
                                        "them; --shape x.1=VALUE sets another"));
  // What the user says is not tried otherwise.
  EXPECT_THAT(import({.dimensions = {{"x.1", 128}}}).status().message(), HasSubstr("Reshape"));
}

// A classifier whose matrix fits one size of images, behind a convolution of stride 2.
TEST_F(OnnxDimensions, AMatrixSettlesTheSizeOfImages) {
  model_.input("x", {-1, 1, -2, -2});
  model_.floats("w", {2, 1, 2, 2});
  auto& conv = model_.node("Conv", {"x", "w"}, {"c"});
  model_.attribute(conv, "strides", std::vector<int64_t>{2, 2});
  model_.node("Flatten", {"c"}, {"f"});
  model_.floats("m", {2 * 25 * 25, 3});
  model_.node("MatMul", {"f", "m"}, {"y"});
  model_.output("y");
  expectShape({}, {1, 1, 50, 50});
}

TEST_F(OnnxDimensions, PositionsThatAreAddedSettleTheNumberOfPatches) {
  model_.input("image", {-1, 3, -2, -2});
  model_.floats("w", {4, 3, 16, 16});
  auto& conv = model_.node("Conv", {"image", "w"}, {"c"});
  model_.attribute(conv, "strides", std::vector<int64_t>{16, 16});
  model_.integers("rows", {0, 4, -1});
  model_.node("Reshape", {"c", "rows"}, {"r"});
  model_.floats("positions", {1, 4, 576});
  model_.node("Add", {"r", "positions"}, {"a"});
  model_.input("words", {-1, -2});
  model_.floats("places", {1, 77, 1});
  model_.node("Unsqueeze", {"words", "two"}, {"u"});
  model_.integers("two", {2});
  model_.node("Concat", {"u", "places"}, {"b"});
  model_.attribute(*model_.graph().mutable_node(model_.graph().node_size() - 1), "axis", 2);
  model_.output("a");
  model_.output("b");
  const auto shapes = import({});
  ASSERT_TRUE(shapes.ok()) << shapes.status().message();
  EXPECT_THAT(*shapes, ElementsAre(ElementsAre(1, 3, 384, 384), ElementsAre(1, 77)));
}

TEST_F(OnnxDimensions, SumsAreWhatTheirNamesSay) {
  model_.input("x", {4, -2});
  model_.input("mask", {-2});
  model_.node("Relu", {"x"}, {"y"});
  model_.node("Relu", {"mask"}, {"z"});
  model_.output("y");
  model_.output("z");
  dimension(1).set_dim_param("length");
  model_.graph()
      .mutable_input(1)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_param("length + 1");
  auto shapes = import({.dimensions = {{"length", 6}}});
  ASSERT_TRUE(shapes.ok()) << shapes.status().message();
  EXPECT_THAT(*shapes, ElementsAre(ElementsAre(4, 6), ElementsAre(7)));
  shapes = import({});
  ASSERT_TRUE(shapes.ok()) << shapes.status().message();
  EXPECT_THAT(*shapes, ElementsAre(ElementsAre(4, 128), ElementsAre(129)));
}

TEST_F(OnnxDimensions, WhereNoUsualValueFitsTheErrorSaysWhy) {
  model_.input("x", {1, -2});
  model_.floats("w", {1, 2, 3});
  model_.node("Add", {"x", "w"}, {"sum"});
  model_.floats("v", {1, 4, 5});
  model_.node("Add", {"sum", "v"}, {"y"});
  model_.output("y");
  expectError({},
              "the inputs have symbolic dimensions; bind them with --shape x.1=VALUE. Usual "
              "values do not fit the model; with x.1 128: node 'node_sum' (Add)");
}

TEST_F(OnnxDimensions, WeightsSayWhatTheyAreMultipliedWith) {
  ModelBuilder model;
  model.input("x", {-2, 5, 5, -2});
  auto& transpose = model.node("Transpose", {"x"}, {"t"});
  model.attribute(transpose, "perm", std::vector<int64_t>{0, 3, 1, 2});
  model.floats("w", {4, 3, 1, 1});
  auto& conv = model.node("Conv", {"t", "w"}, {"y"});
  model.attribute(conv, "group", 2);
  model.input("rows", {-2, -2});
  model.floats("matrix", {7, 2});
  model.node("MatMul", {"rows", "matrix"}, {"z"});
  model.input("words", {-2, -2});
  model.floats("places", {1, 9});
  model.node("Add", {"places", "words"}, {"sum"});
  for (const char* name : {"y", "z", "sum"}) model.output(name);
  model_ = model;
  const auto shapes = import({});
  ASSERT_TRUE(shapes.ok()) << shapes.status().message();
  EXPECT_THAT(*shapes, ElementsAre(ElementsAre(1, 5, 5, 6), ElementsAre(1, 7), ElementsAre(1, 9)));
  EXPECT_THAT(notes_, testing::Contains(HasSubstr(
                          "dimension 'x.3' of input 'x' is taken to be 6, as node 'node_y' (Conv) "
                          "needs it; --shape x.3=VALUE sets another")));
  // What options say comes first, and is refused where it does not fit.
  EXPECT_FALSE(import({.dimensions = {{"rows.1", 8}}}).ok());
}

TEST_F(OnnxDimensions, MinusOneAndEmptyNamesAreSymbols) {
  model_.input("x", {1, 4, 1});
  model_.node("Relu", {"x"}, {"y"});
  model_.output("y");
  dimension(0).set_dim_value(-1);
  dimension(2).set_dim_param("");
  expectShape({.dimensions = {{"x.0", 2}, {"x.2", 6}}}, {2, 4, 6});
  dimension(2).set_dim_param("-1");
  expectShape({.dimensions = {{"x.2", 6}}}, {1, 4, 6});
  expectShape({}, {1, 4, 128});
}

TEST_F(OnnxDimensions, DataBind) {
  relu({-1, 4, -2});
  expectShape({.input_shapes = {{"x", {2, 4, 7}}}}, {2, 4, 7});
  EXPECT_THAT(notes_, IsEmpty());
  // Without the batch, and with an option that says something else.
  expectShape({.input_shapes = {{"x", {4, 7}}}}, {1, 4, 7});
  expectShape({.dimensions = {{"N", 1}}, .input_shapes = {{"x", {2, 4, 7}}}}, {1, 4, 7});
  // What does not fit is for those who read the data to refuse.
  expectShape({.input_shapes = {{"x", {2, 5, 7}}}}, {1, 4, 128});
  expectShape({.input_shapes = {{"x", {7}}}}, {1, 4, 128});
}

TEST_F(OnnxDimensions, DataGiveAShapeWhereNoneIsDeclared) {
  relu({2, 3});
  model_.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  model_.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  expectShape({.input_shapes = {{"x", {5, 7, 2}}}}, {5, 7, 2});
  expectShape({.input_shapes = {{"", {4}}}}, {4});
  EXPECT_THAT(import({}).status().message(), HasSubstr("give data for it with --input"));
}

TEST_F(OnnxDimensions, TheNameOfTheOnlyInputMayBeLeftOut) {
  relu({-1, 4});
  expectShape({.input_shapes = {{"", {3, 4}}}}, {3, 4});
  expectShape({.input_shapes = {{"", {3, 4}}, {"x", {2, 4}}}}, {2, 4});
}

TEST_F(OnnxDimensions, AnUnnamedArrayIsOfNoneOfTwoInputs) {
  model_.input("x", {-1, 4});
  model_.input("z", {-1, 4});
  model_.node("Add", {"x", "z"}, {"y"});
  model_.output("y");
  expectShape({.input_shapes = {{"", {3, 4}}}}, {1, 4});
}

TEST_F(OnnxDimensions, ASetOfImagesIsNoBatch) {
  relu({-1, 3, 8, 8});
  expectShape({.input_shapes = {{"x", {64, 3, 8, 8}}}}, {64, 3, 8, 8});
  expectShape({.input_shapes = {{"x", {65, 3, 8, 8}}}}, {1, 3, 8, 8});
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("is taken to be 1")));
}

TEST_F(OnnxDimensions, DataOfTwoInputsHaveToAgree) {
  model_.input("x", {-1, 4});
  model_.input("z", {-1, 4});
  model_.node("Add", {"x", "z"}, {"y"});
  model_.output("y");
  expectShape({.input_shapes = {{"x", {2, 4}}, {"z", {2, 4}}}}, {2, 4});
  expectShape({.input_shapes = {{"z", {3, 4}}}}, {3, 4});
  expectError({.input_shapes = {{"x", {2, 4}}, {"z", {3, 4}}}},
              "dimension 'N' is 2 by the data for input 'x', but 3 by the data for input 'z'");
}

TEST_F(OnnxDimensions, SymbolsOfOutputsAreNotCompared) {
  model_.input("x", {-1, 4});
  model_.node("Transpose", {"x"}, {"y"});
  model_.output("y", {-1, 4});  // wrong: it is [4, N]
  model_.graph()
      .mutable_output(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(1)
      ->set_dim_param("M");
  expectShape({.dimensions = {{"N", 3}}}, {3, 4});
}

class OnnxDimensionsOfFiles : public TemporaryDirectoryTest {};

TEST_F(OnnxDimensionsOfFiles, TheSignatureHasThem) {
  ModelBuilder model;
  model.input("x", {-1, 4, -2});
  model.node("Relu", {"x"}, {"y"});
  model.output("y", {-1, 4, -2});
  const auto path = write(model);
  auto loaded = Model::load(path, {{"N", 3}, {"x.2", 5}});
  ASSERT_TRUE(loaded.ok());
  const ModelSignature& signature = (*loaded)->signature();
  EXPECT_EQ(signature.inputs[0].name, "x");
  EXPECT_EQ(signature.inputs[0].shape, (std::vector<int64_t>{3, 4, 5}));
  EXPECT_EQ(signature.outputs[0].name, "y");
  EXPECT_EQ(signature.outputs[0].dtype, DType::kF32);
  EXPECT_EQ(signature.outputs[0].shape, (std::vector<int64_t>{3, 4, 5}));
}

TEST_F(OnnxDimensionsOfFiles, TheReportSaysWhatWasAssumed) {
  ModelBuilder model;
  model.input("x", {-1, 4});
  model.node("Relu", {"x"}, {"y"});
  model.output("y");
  CompileOptions options;
  options.partition = Partition::kCpu;
  auto compiled = compileOnnx(write(model), options);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  EXPECT_THAT(compiled->report.warnings, ElementsAre(HasSubstr("dimension 'N'")));
}

}  // namespace
}  // namespace vta::compiler
