// NVIDIA's assembler takes the PTX of whole networks, and no register of theirs goes to memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "driver/gpu/program_fit.h"
#include "tests/host_gpu/compiled_network.h"
#include "tests/host_gpu/nvptx/ptx_assembler.h"

namespace vta::compiler {
namespace {

namespace fs = std::filesystem;

/// The texts that a GPU of `architecture` takes, each once.
std::set<std::string> textsFor(const driver::LoadedModule& module,
                               const std::string& architecture) {
  driver::GpuDeviceInfo device;
  device.form = GpuCodeForm::kPtx;
  device.target = architecture;
  constexpr uint32_t kMany = 0x7fffffff;
  device.limits = {.max_buffer_bytes = kMany,
                   .max_range_bytes = kMany,
                   .shared_bytes = 49152,
                   .max_invocations = 1024,
                   .max_workgroup_size = {1024, 1024, 64},
                   .max_workgroups = {kMany, 65535, 65535},
                   .max_bindings = 64,
                   .subgroup_size = 32};
  std::set<std::string> texts;
  for (const GpuProgram& program : gpuProgramsOf(module)) {
    const auto codes = driver::chooseCodes(program, device);
    EXPECT_TRUE(codes.ok()) << codes.status().message();
    if (!codes.ok()) continue;
    for (const GpuCode* code : *codes) texts.insert(code->text());
  }
  return texts;
}

struct AssemblyCase {
  std::string name;  // of the file, from the repository's root
  Partition partition;
};

class PtxasTest : public ::testing::TestWithParam<AssemblyCase> {};

TEST_P(PtxasTest, TakesEveryKernelWithoutSpills) {
  const fs::path ptxas = codegen::testing::findPtxAssembler();
  if (ptxas.empty()) GTEST_SKIP() << "no ptxas: NVIDIA's CUDA toolkit brings it";
  const fs::path file = fs::path(VTA_SOURCE_DIR) / GetParam().name;
  if (!fs::exists(file)) GTEST_SKIP() << "no " << file;
  const auto module = compiledNetwork(file, GetParam().partition);
  ASSERT_TRUE(module.ok()) << module.status().message();
  for (const std::string architecture : {"sm_75", "sm_80", "sm_90a"}) {
    const std::set<std::string> texts = textsFor(**module, architecture);
    ASSERT_FALSE(texts.empty());
    size_t bytes = 0;
    int most_registers = 0;
    for (const std::string& text : texts) {
      bytes += text.size();
      most_registers =
          std::max(most_registers, codegen::testing::expectAssembles(ptxas, architecture, text));
      if (HasFailure()) return;
    }
    RecordProperty(architecture + "_kernels", static_cast<int>(texts.size()));
    RecordProperty(architecture + "_bytes", static_cast<int>(bytes));
    RecordProperty(architecture + "_most_registers", most_registers);
    EXPECT_LE(most_registers, 255);
  }
}

const std::string kModels = "../shared/models/onnx/";

INSTANTIATE_TEST_SUITE_P(
    All, PtxasTest,
    ::testing::Values(AssemblyCase{"examples/digits/digits.onnx", Partition::kGpu},
                      AssemblyCase{"examples/digits/digits.onnx", Partition::kGpuQuantized},
                      AssemblyCase{kModels + "cifar10/mlperf_resnet8_qdq.onnx",
                                   Partition::kGpuQuantized},
                      AssemblyCase{kModels + "imagenet/mobilenet_v2_1.0_224_ptq_qdq.onnx",
                                   Partition::kGpuQuantized}),
    [](const auto& info) { return "Network" + std::to_string(info.index); });

}  // namespace
}  // namespace vta::compiler
