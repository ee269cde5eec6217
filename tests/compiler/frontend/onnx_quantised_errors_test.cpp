// What the frontend says about quantised operators that it cannot import: one case per message.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <limits>

#include "compiler/frontend/onnx/import.h"
#include "tests/compiler/frontend/model_builder.h"

namespace vta::compiler {
namespace {

using testing::HasSubstr;

constexpr const char* kMicrosoft = "com.microsoft";

/// A model with one quantised operator, of legal parts to choose from.
class QuantisedModel : public ModelBuilder {
 public:
  QuantisedModel() {
    proto().add_opset_import()->set_domain(kMicrosoft);
    proto().mutable_opset_import(1)->set_version(1);
    input("x", {1, 4, 6, 6}, onnx::TensorProto::UINT8);
    input("matrix", {2, 3}, onnx::TensorProto::UINT8);
    input("real", {1, 4, 6, 6});
    floats("scale", {}, 0.5F);
    floats("scales", {4}, 0.5F);
    floats("nothing", {}, 0.0F);
    bytes("zero", {});
    bytes("zeros", {3});
    bytes("w", {5, 4, 1, 1});
    bytes("w3", {5, 4, 1});
    output("y");
  }

  onnx::NodeProto& one(const std::string& op_type, const std::vector<std::string>& inputs,
                       const char* domain = "") {
    onnx::NodeProto& added = node(op_type, inputs, {"y"});
    added.set_domain(domain);
    return added;
  }

 private:
  void bytes(const std::string& name, const std::vector<int64_t>& shape) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::UINT8);
    int64_t count = 1;
    for (int64_t extent : shape) {
      tensor.add_dims(extent);
      count *= extent;
    }
    for (int64_t i = 0; i < count; ++i) tensor.add_int32_data(7);
  }
};

struct Case {
  const char* name;
  std::function<void(QuantisedModel&)> build;
  StatusCode code = StatusCode::kInvalidArgument;
  const char* says;
};

void PrintTo(const Case& c, std::ostream* stream) { *stream << c.name; }

class QuantisedErrors : public TemporaryDirectoryTest, public testing::WithParamInterface<Case> {};

TEST_P(QuantisedErrors, NamesTheNodeAndTheReason) {
  QuantisedModel model;
  GetParam().build(model);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const auto module = importOnnx(write(model), {}, context);
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), GetParam().code) << module.status().message();
  EXPECT_THAT(module.status().message(), HasSubstr("node_y"));
  EXPECT_THAT(module.status().message(), HasSubstr(GetParam().says));
}

const Case kCases[] = {
    {"ZeroPointsWithoutScales",
     [](QuantisedModel& m) {
       m.one("DequantizeLinear", {"x", "scales", "zeros"});
     },
     StatusCode::kInvalidArgument, "4 scales but 3 zero points"},
    {"BlockedQuantisation",
     [](QuantisedModel& m) {
       ModelBuilder::attribute(m.one("QuantizeLinear", {"real", "scale"}), "block_size", 2);
     },
     StatusCode::kInvalidArgument, "scales of shape [] do not fit blocks of 2"},
    {"BlockedDequantisation",
     [](QuantisedModel& m) {
       ModelBuilder::attribute(m.one("DequantizeLinear", {"x", "scale", "zero"}), "block_size", 2);
     },
     StatusCode::kInvalidArgument, "scales of shape [] do not fit blocks of 2"},
    {"AxisOutside",
     [](QuantisedModel& m) {
       ModelBuilder::attribute(m.one("QuantizeLinear", {"real", "scales"}), "axis", 4);
     },
     StatusCode::kInvalidArgument, "axis 4 is outside [-4, 4)"},
    {"ScalesDoNotFitTheAxis",
     [](QuantisedModel& m) {
       ModelBuilder::attribute(m.one("QuantizeLinear", {"real", "scales"}), "axis", 2);
     },
     StatusCode::kInvalidArgument, "has 4 scales for 6"},
    {"ScaleOfZero",
     [](QuantisedModel& m) {
       m.one("QuantizeLinear", {"real", "nothing", "zero"});
     },
     StatusCode::kInvalidArgument, "scale 0 is 0, and what the model computes is divided by it"},
    {"OutputScaleOfZero",
     [](QuantisedModel& m) {
       m.one("QLinearSigmoid", {"x", "scale", "zero", "nothing", "zero"}, kMicrosoft);
     },
     StatusCode::kInvalidArgument, "only constant weights may have a scale of 0"},
    {"NegativeScale",
     [](QuantisedModel& m) {
       m.floats("negative", {}, -0.5F);
       m.one("DequantizeLinear", {"x", "negative", "zero"});
     },
     StatusCode::kInvalidArgument, "scale 0 is -0.5; scales are positive and finite"},
    {"ScaleThatIsNoNumber",
     [](QuantisedModel& m) {
       m.floats("nan", {}, std::nanf(""));
       m.one("QLinearConv", {"x", "scale", "zero", "w", "nan", "zero", "scale", "zero"});
     },
     StatusCode::kInvalidArgument, "scale 0 is nan"},
    {"InfiniteScale",
     [](QuantisedModel& m) {
       m.floats("infinite", {}, std::numeric_limits<float>::infinity());
       m.one("QuantizeLinear", {"real", "infinite", "zero"});
     },
     StatusCode::kInvalidArgument, "scale 0 is inf"},
    {"ProductOfScalesBeyondFloat",
     [](QuantisedModel& m) {
       m.floats("large", {}, 1e30F);
       m.one("QLinearConv", {"x", "large", "zero", "w", "scale", "zero", "scale", "zero"});
     },
     StatusCode::kInvalidArgument, "multiply to 5e+29, which is outside of"},
    {"ProductOfScalesBelowFloat",
     [](QuantisedModel& m) {
       m.floats("tiny", {}, 1e-30F);
       m.one("QLinearMatMul", {"matrix", "tiny", "zero", "w", "tiny", "zero", "scale", "zero"});
     },
     StatusCode::kInvalidArgument, "multiply to 1e-60, which is outside of"},
    {"QonnxBits",
     [](QuantisedModel& m) {
       m.floats("bits", {}, 2.5F);
       m.one("Quant", {"real", "scale", "nothing", "bits"}, "qonnx.custom_op.general");
     },
     StatusCode::kInvalidArgument, "its bit width is 2.5; a whole number from 1 to 32 is legal"},
    {"QonnxScale",
     [](QuantisedModel& m) {
       m.floats("bits", {}, 4.0F);
       m.one("Quant", {"real", "nothing", "nothing", "bits"}, "onnx.brevitas");
     },
     StatusCode::kInvalidArgument, "its scale is 0; scales are positive and finite"},
    {"QonnxRounding",
     [](QuantisedModel& m) {
       m.floats("bits", {}, 4.0F);
       auto& quant = m.one("Quant", {"real", "scale", "nothing", "bits"}, "onnx.brevitas");
       auto& mode = *quant.add_attribute();
       mode.set_name("rounding_mode");
       mode.set_type(onnx::AttributeProto::STRING);
       mode.set_s("SIDEWAYS");
     },
     StatusCode::kUnsupported, "rounding_mode 'SIDEWAYS' is not supported"},
    {"QonnxOperator",
     [](QuantisedModel& m) { m.one("MultiThreshold", {"real"}, "qonnx.custom_op.general"); },
     StatusCode::kUnsupported, "export_onnx_qcdq of brevitas.export"},
    {"QuarkOperator",
     [](QuantisedModel& m) { m.one("BFPQuantizeDequantize", {"real"}, "com.amd.quark"); },
     StatusCode::kUnsupported, "in the format QuantFormat.QDQ"},
    {"LayoutOfOneProcessor",
     [](QuantisedModel& m) {
       m.one("Conv", {"real", "real"}, "com.microsoft.nchwc");
     },
     StatusCode::kUnsupported, "ORT_ENABLE_EXTENDED"},
    {"FixNeuronBits",
     [](QuantisedModel& m) {
       ModelBuilder::attribute(m.one("FixNeuron", {"real", "scale", "zero"}, "ai.onnx.contrib"),
                               "bit_width", 9);
     },
     StatusCode::kInvalidArgument, "its bit_width does not fit the type of its integers"},
    {"ImageWithoutChannelsLast",
     [](QuantisedModel& m) {
       auto& pool = m.one("NhwcMaxPool", {"matrix"}, kMicrosoft);
       ModelBuilder::attribute(pool, "kernel_shape", std::vector<int64_t>{2, 2});
     },
     StatusCode::kInvalidArgument, "expects an image with channels last"},
    {"ScaleKnownOnlyAtRunTime",
     [](QuantisedModel& m) {
       m.input("late", {});
       m.one("QLinearSigmoid", {"x", "late", "zero", "scale", "zero"}, kMicrosoft);
     },
     StatusCode::kUnsupported, "has to be a constant"},
    {"ScaleMissing", [](QuantisedModel& m) { m.one("DequantizeLinear", {"x"}); },
     StatusCode::kInvalidArgument, "scale"},
    {"InputIsReal",
     [](QuantisedModel& m) {
       m.one("DequantizeLinear", {"real", "scale"});
     },
     StatusCode::kInvalidArgument, "expects integers"},
    {"QuantisedToFourBits",
     [](QuantisedModel& m) {
       m.fourBits("four", {}, ModelBuilder::kInt4, {3});
       m.one("QuantizeLinear", {"real", "scale", "four"});
     },
     StatusCode::kUnsupported,
     "its input 'four' has elements of 4 bits, which only DequantizeLinear may read"},
    {"QuantisedToFourBitsByType",
     [](QuantisedModel& m) {
       ModelBuilder::attribute(m.one("QuantizeLinear", {"real", "scale"}), "output_dtype",
                               ModelBuilder::kInt4);
     },
     StatusCode::kUnsupported, "element type INT4 is not supported"},
    {"QuantisedTo32Bits",
     [](QuantisedModel& m) {
       m.integers("wide", {0}).clear_dims();
       m.one("QuantizeLinear", {"real", "scale", "wide"});
     },
     StatusCode::kUnsupported, "only 8-bit and 16-bit integers are supported"},
    {"OutputWithoutZeroPoint",
     [](QuantisedModel& m) {
       m.one("QLinearSigmoid", {"x", "scale", "zero", "scale"}, kMicrosoft);
     },
     StatusCode::kInvalidArgument, "the output's zero point is missing"},
    {"LeakyReluWithoutZeroPoint",
     [](QuantisedModel& m) {
       m.one("QLinearLeakyRelu", {"x", "scale", "zero", "scale"}, kMicrosoft);
     },
     StatusCode::kInvalidArgument, "the output's zero point is missing"},
    {"ConvolutionOfOtherRank",
     [](QuantisedModel& m) {
       m.one("QLinearConv", {"x", "scale", "zero", "w3", "scale", "zero", "scale", "zero"});
     },
     StatusCode::kInvalidArgument, "the input and the weight differ in rank"},
    {"ConvolutionWithoutOutputScale",
     [](QuantisedModel& m) {
       m.one("QLinearConv", {"x", "scale", "zero", "w", "scale", "zero"});
     },
     StatusCode::kInvalidArgument, "scale"},
    {"ProductOfShapesThatDoNotBroadcast",
     [](QuantisedModel& m) {
       m.one("QLinearMul", {"x", "scale", "zero", "zeros", "scale", "zero", "scale", "zero"},
             kMicrosoft);
     },
     StatusCode::kInvalidArgument, "broadcast"},
    {"MatricesThatDoNotFit",
     [](QuantisedModel& m) {
       m.one("QLinearMatMul",
             {"matrix", "scale", "zero", "matrix", "scale", "zero", "scale", "zero"});
     },
     StatusCode::kInvalidArgument, "3"},
    {"NothingToConcatenate",
     [](QuantisedModel& m) {
       m.one("QLinearConcat", {"scale", "zero"}, kMicrosoft);
     },
     StatusCode::kInvalidArgument, "there is nothing to concatenate"},
    {"ConcatenationAxis",
     [](QuantisedModel& m) {
       ModelBuilder::attribute(
           m.one("QLinearConcat", {"scale", "zero", "x", "scale", "zero"}, kMicrosoft), "axis", 7);
     },
     StatusCode::kInvalidArgument, "axis 7 is outside [-4, 4)"},
    {"GemmOfTensors",
     [](QuantisedModel& m) {
       m.one("QGemm", {"x", "scale", "zero", "x", "scale", "zero"}, kMicrosoft);
     },
     StatusCode::kInvalidArgument, "the operands have to be matrices"},
};

INSTANTIATE_TEST_SUITE_P(Messages, QuantisedErrors, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vta::compiler
