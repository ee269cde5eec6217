// Whole networks, in float on the CPU, against runs of ONNX Runtime.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/numpy/npy.h"
#include "compiler/codegen/executable.h"
#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/frontend/onnx/import.h"
#include "host_cpu/backend/backend.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::codegen::testing {
namespace {

const std::filesystem::path kModels = VTA_SOURCE_DIR "/../shared/models";

struct Model {
  std::string name;
  std::filesystem::path file, reference;
  std::vector<std::string> inputs;
};

/// Large networks that repeat what smaller ones show.
bool isLeftOut(const std::string& name) {
  for (const char* part : {"bert_toy", "mobilenet_v2", "mobilenet_v1_0_5", "stories"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

std::vector<Model> referenceModels() {
  std::vector<Model> models;
  std::ifstream manifest(kModels / "manifest.json");
  if (!manifest) return models;
  for (const auto& entry : nlohmann::json::parse(manifest)) {
    if (!entry.contains("ref")) continue;
    const std::filesystem::path file = entry["file"].get<std::string>();
    std::string name = file.stem().string();
    std::replace_if(
        name.begin(), name.end(),
        [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    if (isLeftOut(name)) continue;
    Model& model = models.emplace_back(
        Model{name, kModels / file, kModels / entry["ref"]["dir"].get<std::string>(), {}});
    for (const std::string input : entry["inputs"]) {  // NAME:TYPE
      model.inputs.push_back(input.substr(0, input.find(':')));
    }
  }
  return models;
}

void PrintTo(const Model& model, std::ostream* out) { *out << model.name; }

class ModelTest : public ::testing::TestWithParam<Model> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ModelTest);

Result<Tensor> readNpy(const std::filesystem::path& path) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> file, readFile(path));
  return parseNpy(file);
}

/// The same numbers up to rounding: the errors of float sums grow with their length and with the
/// depth of the network, and are relative to the largest numbers that take part.
void expectClose(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.shape, expected.shape);
  ASSERT_EQ(actual.dtype, expected.dtype);
  if (actual.dtype != DType::kF32) {
    EXPECT_EQ(actual.data, expected.data);
    return;
  }
  double largest = 0, worst = 0;
  for (size_t i = 0; i < actual.as<float>().size(); ++i) {
    largest = std::max<double>(largest, std::abs(expected.as<float>()[i]));
    worst = std::max<double>(worst, std::abs(actual.as<float>()[i] - expected.as<float>()[i]));
  }
  EXPECT_LE(worst, tolerance * std::max(largest, 1e-30));
}

TEST_P(ModelTest, AgreesWithOnnxRuntime) {
  std::vector<Tensor> tensors;
  compiler::ImportOptions options;
  for (size_t i = 0; i < GetParam().inputs.size(); ++i) {
    auto input = readNpy(GetParam().reference / ("input_" + std::to_string(i) + ".npy"));
    ASSERT_TRUE(input.ok()) << input.status().message();
    tensors.push_back(*input);
    options.input_shapes[GetParam().inputs[i]] = input->shape;
  }
  mlir::MLIRContext context;
  auto module = compiler::importOnnx(GetParam().file, options, context);
  ASSERT_TRUE(module.ok()) << module.status().message();
  auto function = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
  ASSERT_EQ(function.getNumArguments(), tensors.size());
  for (mlir::Type type : function.getResultTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    tensors.push_back(
        Tensor::zeros(*graph::dtypeOf(tensor.getElementType()), tensor.getShape().vec()));
  }
  const size_t num_inputs = function.getNumArguments();
  auto executable = Executable::create(**module, cpuBackend(), {});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  std::vector<void*> arguments;
  for (Tensor& tensor : tensors) arguments.push_back(tensor.data.data());
  const Status status = (*executable)->call("main", arguments);
  ASSERT_TRUE(status.ok()) << status.message();
  const bool quantized = GetParam().name.find("qdq") != std::string::npos;
  for (size_t i = num_inputs; i < tensors.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i - num_inputs));
    auto expected =
        readNpy(GetParam().reference / ("output_" + std::to_string(i - num_inputs) + ".npy"));
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    // Quantised models round activations to 8 bits: a last-bit difference before that can become a
    // whole step after it.
    expectClose(tensors[i], *expected, quantized ? 0.1 : 5e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, ModelTest, ::testing::ValuesIn(referenceModels()),
                         [](const auto& info) { return info.param.name; });

TEST(ModelsTest, AreThere) {
  if (!std::filesystem::exists(kModels)) {
    GTEST_SKIP() << "no models at " << kModels << ": whole networks were not run";
  }
  EXPECT_GT(referenceModels().size(), 5u);
}

}  // namespace
}  // namespace vta::codegen::testing
