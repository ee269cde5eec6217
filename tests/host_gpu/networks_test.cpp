// Whole networks on GPUs: every step equal to the CPU's, integers bit for bit.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <utility>

#include "compiler/compile.h"
#include "driver/gpu/gpu_registry.h"
#include "driver/runtime/session.h"
#include "host_gpu/backend/options.h"

namespace vta::compiler {
namespace {

struct NetworkCase {
  std::string name;  // of the file, from the repository's root
  Partition partition = Partition::kGpu;
  /// What the devices bind at once: fewer than they could. 0: as much as they can.
  int64_t range_bytes = 0;
};

class NetworksTest : public ::testing::TestWithParam<NetworkCase> {
 protected:
  static void SetUpTestSuite() {
    ::setenv("VK_ICD_FILENAMES",
             "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json:"
             "/usr/lib/chromium/vk_swiftshader_icd.json",
             /*overwrite=*/0);
  }

  static TensorMap randomInputs(const ModelSignature& signature) {
    std::mt19937 random(7);
    std::normal_distribution<float> numbers;
    TensorMap inputs;
    for (const auto& port : signature.inputs) {
      Tensor tensor = Tensor::zeros(port.dtype, port.shape);
      if (port.dtype == DType::kF32) {
        for (float& value : tensor.as<float>()) value = numbers(random);
      } else {
        for (std::byte& byte : tensor.data) byte = static_cast<std::byte>(random() % 128);
      }
      inputs.emplace(port.name, std::move(tensor));
    }
    return inputs;
  }

  static Result<std::shared_ptr<const driver::LoadedModule>> build(const Model& model,
                                                                   const NetworkCase& network,
                                                                   const TensorMap& sample) {
    CompileOptions options;
    options.partition = network.partition;
    if (network.range_bytes > 0) {
      codegen::GpuOptions of_gpu;
      of_gpu.limits.range_bytes = network.range_bytes;
      codegen::setGpuOptions(options.build.code, std::move(of_gpu));
    }
    if (quantizes(network.partition)) options.quantize.samples = {sample};
    options.quantize.code.quality = options.build.code.quality = codegen::CodeQuality::kQuick;
    VTA_ASSIGN_OR_RETURN(const CompiledModule compiled, model.compile(options));
    return driver::LoadedModule::fromMemory(compiled.elf);
  }

  static void lowerRange(driver::GpuDevice& device, int64_t range_bytes) {
    driver::GpuLimits limits = device.info().limits;
    limits.max_range_bytes = static_cast<uint64_t>(range_bytes);
    device.lowerLimits(limits);
  }

  static size_t countGpuSteps(const ModuleInfo& info) {
    size_t count = 0;
    for (const StepInfo& step : info.steps) {
      count += info.executors[step.executor].kind == kGpuKind ? 1 : 0;
    }
    return count;
  }
};

TEST_P(NetworksTest, EachStepIsTheCpus) {
  const std::filesystem::path file = std::filesystem::path(VTA_SOURCE_DIR) / GetParam().name;
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file;
  const auto model = Model::load(file, {});
  ASSERT_TRUE(model.ok()) << model.status().message();
  const TensorMap inputs = randomInputs((*model)->signature());
  const auto module = build(**model, GetParam(), inputs);
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_GT(countGpuSteps((*module)->info()), 0U);
  driver::SessionOptions options;
  options.verify = true;
  options.timeout = std::chrono::seconds(300);
  size_t devices = 0;
  for (const char* name : {"llvmpipe", "SwiftShader"}) {
    const auto device = driver::openGpu(name);
    if (!device.ok()) continue;
    SCOPED_TRACE(name);
    ++devices;
    if (GetParam().range_bytes > 0) lowerRange(**device, GetParam().range_bytes);
    const driver::DeviceMap machines = {{std::string(kGpuKind), device->get()}};
    const auto session = driver::Session::create(*module, machines, options);
    ASSERT_TRUE(session.ok()) << session.status().message();
    const auto result = (*session)->run(inputs);
    EXPECT_TRUE(result.ok()) << result.status().message();
  }
  if (devices == 0) GTEST_SKIP() << "no GPU";
}

const std::string kModels = "../shared/models/onnx/";

INSTANTIATE_TEST_SUITE_P(
    All, NetworksTest,
    ::testing::Values(
        NetworkCase{"examples/digits/digits.onnx"},
        NetworkCase{"examples/digits/digits.onnx", Partition::kGpuQuantized},
        NetworkCase{kModels + "mnist/mnist-8.onnx"},
        NetworkCase{kModels + "cifar10/mlperf_resnet8_f32.onnx"},
        NetworkCase{kModels + "cifar10/mlperf_resnet8_qdq.onnx", Partition::kGpuQuantized},
        NetworkCase{kModels + "tinyml/mlperf_kws_dscnn_f32.onnx"},
        NetworkCase{kModels + "tinyml/mlperf_kws_dscnn_qdq.onnx", Partition::kGpuQuantized},
        NetworkCase{"examples/digits/digits.onnx", Partition::kGpu, 8192},
        NetworkCase{"examples/digits/digits.onnx", Partition::kGpuQuantized, 8192},
        NetworkCase{kModels + "cifar10/mlperf_resnet8_f32.onnx", Partition::kGpu, 32768},
        NetworkCase{kModels + "cifar10/mlperf_resnet8_qdq.onnx", Partition::kGpuQuantized, 8192},
        NetworkCase{kModels + "tinyml/mlperf_kws_dscnn_qdq.onnx", Partition::kGpuQuantized, 8192}),
    [](const auto& info) {
      return info.param.name.substr(info.param.name.rfind('/') + 1).substr(0, 5) +
             std::to_string(info.index);
    });

}  // namespace
}  // namespace vta::compiler
