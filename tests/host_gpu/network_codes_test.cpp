// Tools that others have written take every kernel of whole networks, in each form of code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/process/find_program.h"
#include "base/process/run_command.h"
#include "base/temporary_folder.h"
#include "tests/host_gpu/compiled_network.h"
#include "tests/host_gpu/webgpu/webgpu_device.h"

namespace vta::compiler {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;

const std::vector<std::string> kArchitectures = {"gfx90a", "gfx1100"};
const std::string kOnnx = "../shared/models/onnx/";

struct CodesCase {
  std::string name;  // of the file, from the repository's root
  Partition partition;
};

class NetworkCodesTest : public ::testing::TestWithParam<CodesCase> {
 protected:
  void SetUp() override {
    const fs::path file = fs::path(VTA_SOURCE_DIR) / GetParam().name;
    if (!fs::exists(file)) GTEST_SKIP() << "no " << file;
    auto& kept =
        compiled_[GetParam().name + std::to_string(static_cast<int>(GetParam().partition))];
    if (kept.empty()) {
      std::vector<std::string> codes = kArchitectures;
      codes.emplace_back("wgsl");
      const auto module = compiledNetwork(file, GetParam().partition, codes);
      ASSERT_TRUE(module.ok()) << module.status().message();
      kept = gpuProgramsOf(**module);
    }
    ASSERT_FALSE(kept.empty());
    programs_ = &kept;
    auto folder = TemporaryFolder::create("vta-codes-");
    ASSERT_TRUE(folder.ok()) << folder.status().message();
    folder_.emplace(*std::move(folder));
  }

  /// Calls `check` with a file for each code of this form and target, once for equal codes.
  /// `plain`: of those that need no feature.
  void forEachCode(GpuCodeForm form, const std::string& target,
                   const std::function<void(const fs::path&)>& check, bool plain = false) {
    std::set<std::vector<std::byte>> codes;
    for (const GpuProgram& program : *programs_) {
      for (const GpuKernel& kernel : program.kernels) {
        for (const GpuCode& code : kernel.codes) {
          const bool is_wanted = code.form == form && code.target == target;
          if (is_wanted && (!plain || code.features.empty())) codes.insert(code.code);
        }
      }
    }
    ASSERT_FALSE(codes.empty());
    const fs::path file = folder_->path() / "code";
    for (const std::vector<std::byte>& code : codes) {
      std::ofstream(file, std::ios::binary)
          .write(reinterpret_cast<const char*>(code.data()),
                 static_cast<std::streamsize>(code.size()));
      check(file);
    }
  }

  /// What a tool prints, which does not fail.
  static std::string output(const std::vector<std::string>& command) {
    const auto result = runCommand(command, {.merge_errors = true});
    EXPECT_TRUE(result.ok()) << result.status().message();
    if (!result.ok()) return "";
    EXPECT_TRUE(result->end.ok()) << command.front() << ": " << result->output;
    return result->output;
  }

 private:
  static inline std::map<std::string, std::vector<GpuProgram>> compiled_;
  const std::vector<GpuProgram>* programs_ = nullptr;
  std::optional<TemporaryFolder> folder_;
};

TEST_P(NetworkCodesTest, SpirvIsValidForVulkan) {
  const fs::path tool = findProgram("spirv-val");
  if (tool.empty()) GTEST_SKIP() << "no spirv-val: `scripts/setup gpu` installs it";
  forEachCode(GpuCodeForm::kSpirv, "", [&](const fs::path& file) {
    output({tool, "--target-env", "vulkan1.2", file});
  });
}

/// The way to GPUs of Apple: MoltenVK has the same converter, which knows no dot products.
TEST_P(NetworkCodesTest, SpirvBecomesMetal) {
  const fs::path tool = findProgram("spirv-cross");
  if (tool.empty()) GTEST_SKIP() << "no spirv-cross: `scripts/setup gpu` installs it";
  const auto becomes_metal = [&](const fs::path& file) {
    EXPECT_THAT(output({tool, "--msl", file}), ContainsRegex("kernel void"));
  };
  forEachCode(GpuCodeForm::kSpirv, "", becomes_metal, /*plain=*/true);
}

TEST_P(NetworkCodesTest, CodeObjectsKeepAllInRegisters) {
  const fs::path tool = findProgram("llvm-readelf-19");
  if (tool.empty()) GTEST_SKIP() << "no llvm-readelf-19";
  for (const std::string& architecture : kArchitectures) {
    SCOPED_TRACE(architecture);
    forEachCode(GpuCodeForm::kAmdCode, architecture, [&](const fs::path& file) {
      const std::string notes = output({tool, "--notes", file});
      for (const char* line : {"\\.private_segment_fixed_size: +0\n", "\\.vgpr_spill_count: +0\n",
                               "\\.sgpr_spill_count: +0\n", "\\.symbol: +compute\\.kd\n"}) {
        EXPECT_THAT(notes, ContainsRegex(line));
      }
    });
  }
}

TEST_P(NetworkCodesTest, WgslIsValid) {
  if (const std::string missing = codegen::testing::missingWebGpu(); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  const auto runner = codegen::testing::WebGpuRunner::start(/*checks=*/true);
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  forEachCode(GpuCodeForm::kWgsl, "", [&](const fs::path& file) {
    const Status status = (*runner)->give(file);
    EXPECT_TRUE(status.ok()) << status.message();
  });
}

INSTANTIATE_TEST_SUITE_P(
    All, NetworkCodesTest,
    ::testing::Values(
        CodesCase{"examples/digits/digits.onnx", Partition::kGpu},
        CodesCase{"examples/digits/digits.onnx", Partition::kGpuQuantized},
        CodesCase{kOnnx + "cifar10/mlperf_resnet8_qdq.onnx", Partition::kGpuQuantized},
        CodesCase{kOnnx + "imagenet/mobilenet_v2_1.0_224_ptq_qdq.onnx", Partition::kGpuQuantized}),
    [](const auto& info) { return "Network" + std::to_string(info.index); });

}  // namespace
}  // namespace vta::compiler
