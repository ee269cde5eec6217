// NVIDIA's assembler takes the PTX of whole networks, and no register of theirs goes to memory.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "base/process/find_program.h"
#include "base/process/run_command.h"
#include "base/temporary_folder.h"
#include "driver/gpu/program_fit.h"
#include "tests/host_gpu/compiled_network.h"

namespace vta::compiler {
namespace {

namespace fs = std::filesystem;

/// Empty where it is not installed.
fs::path findAssembler() {
  const fs::path found = findProgram("ptxas");
  if (!found.empty()) return found;
  const char* home = std::getenv("CUDA_HOME");
  const fs::path usual = fs::path(home == nullptr ? "/usr/local/cuda" : home) / "bin" / "ptxas";
  return fs::exists(usual) ? usual : fs::path();
}

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
  const fs::path ptxas = findAssembler();
  if (ptxas.empty()) GTEST_SKIP() << "no ptxas: NVIDIA's CUDA toolkit brings it";
  const fs::path file = fs::path(VTA_SOURCE_DIR) / GetParam().name;
  if (!fs::exists(file)) GTEST_SKIP() << "no " << file;
  const auto module = compiledNetwork(file, GetParam().partition);
  ASSERT_TRUE(module.ok()) << module.status().message();
  const auto folder = TemporaryFolder::create("ptxas");
  ASSERT_TRUE(folder.ok());
  for (const std::string architecture : {"sm_75", "sm_80", "sm_90a"}) {
    const std::set<std::string> texts = textsFor(**module, architecture);
    ASSERT_FALSE(texts.empty());
    size_t number = 0, bytes = 0;
    int most_registers = 0;
    for (const std::string& text : texts) {
      SCOPED_TRACE(architecture + "\n" + text);
      bytes += text.size();
      const fs::path source = folder->path() / (std::to_string(number++) + ".ptx");
      std::ofstream(source) << text;
      const auto result =
          runCommand(std::vector<std::string>{ptxas, "-v", "--gpu-name=" + architecture, source,
                                              "-o", folder->path() / "out.cubin"},
                     {.merge_errors = true});
      ASSERT_TRUE(result.ok()) << result.status().message();
      ASSERT_TRUE(result->end.ok()) << result->output;
      EXPECT_NE(result->output.find(" 0 bytes spill stores, 0 bytes spill loads"),
                std::string::npos)
          << result->output;
      std::smatch used;
      const std::regex registers("Used ([0-9]+) registers");
      ASSERT_TRUE(std::regex_search(result->output, used, registers)) << result->output;
      most_registers = std::max(most_registers, std::stoi(used[1]));
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
