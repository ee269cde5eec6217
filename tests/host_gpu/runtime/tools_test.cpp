// What the tools do with modules that have steps for a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/process/run_command.h"
#include "base/temporary_folder.h"
#include "tests/driver/gpu/test_gpus.h"
#include "tests/driver/gpu/test_kernels.h"
#include "tests/host_gpu/runtime/gpu_module.h"

namespace vta::driver::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class GpuTools : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_.isThere()) GTEST_SKIP() << "no " << gpu_.name;
    if (!hasAssembler()) GTEST_SKIP() << "no spirv-as";
    auto folder = TemporaryFolder::create("vta-gpu-tools-");
    ASSERT_TRUE(folder.ok()) << folder.status().message();
    folder_.emplace(*std::move(folder));
    module_ = folder_->path() / "model.vta.so";
    writeModule({});
  }

  void writeModule(const GpuModuleOptions& options) {
    const std::vector<std::byte> elf = makeGpuModule(options);
    std::ofstream(module_, std::ios::binary)
        .write(reinterpret_cast<const char*>(elf.data()), static_cast<std::streamsize>(elf.size()));
  }

  /// What a tool prints.
  std::string run(const std::string& tool, std::vector<std::string> arguments, int exit_code = 0) {
    arguments.insert(arguments.begin(), {VTA_BINARY_DIR "/bin/" + tool, module_});
    const auto result = runCommand(arguments, {.merge_errors = true});
    EXPECT_TRUE(result.ok()) << result.status().message();
    if (!result.ok()) return "";
    EXPECT_EQ(result->end.exit_code, exit_code) << result->output;
    return result->output;
  }

  const TestGpu gpu_ = testGpus().front();
  const ScopedVariable drivers_{"VK_ICD_FILENAMES", gpu_.icd};
  std::optional<TemporaryFolder> folder_;
  std::string module_;
};

TEST_F(GpuTools, RunOnAGpuThatTheUserChooses) {
  for (const char* host : {"gpu", "gpu:0", "gpu:llvmpipe", "gpu:vulkan"}) {
    EXPECT_THAT(run("vta-run-module", {"--host", host, "--verify"}), HasSubstr("2 "));
  }
  EXPECT_THAT(run("vta-run-module", {"--host", "gpu:nothing"}, 1),
              AllOf(HasSubstr("there is no GPU 'nothing'"), HasSubstr("llvmpipe")));
  EXPECT_THAT(run("vta-run-module", {"--host", "cpu"}, 2), HasSubstr("steps for a GPU"));
}

// Nobody has to name the GPU: without one the module cannot run.
TEST_F(GpuTools, SayWhyAModuleDoesNotRunOnThisGpu) {
  const auto keep = [this](GpuCodeForm form) {
    writeModule({.change_program = [form](GpuProgram& program) {
      std::erase_if(program.kernels[0].codes,
                    [form](const GpuCode& code) { return code.form != form; });
    }});
  };
  keep(GpuCodeForm::kSpirv);
  run("vta-run-module", {});
  keep(GpuCodeForm::kPtx);
  EXPECT_THAT(run("vta-run-module", {}, 1),
              AllOf(HasSubstr("layer 'sum': kernel 'add_bytes' has no code for the GPU 'llvmpipe"),
                    HasSubstr("(PTX for sm_75: it runs SPIR-V)"),
                    HasSubstr("choose another GPU with --host gpu:N, or compile the model")));
}

TEST_F(GpuTools, ShowWhatKernelsTake) {
  EXPECT_THAT(
      run("vta-run-module", {"--profile=full"}),
      AllOf(ContainsRegex("sum +Test +gpu"), HasSubstr("What the kernels of each layer take"),
            ContainsRegex("table +add_bytes +[0-9]+\\.[0-9]"),
            ContainsRegex("sum +\\(copies\\) +[0-9]+\\.[0-9]"),
            ContainsRegex("ms on gpu for [0-9]+ steps, of which [0-9.]+ ms copies"),
            HasSubstr("; together ")));
}

TEST_F(GpuTools, ShowPrograms) {
  EXPECT_THAT(run("vta-objdump", {"--program", "0"}),
              AllOf(HasSubstr("GPU program: 3 tensors"), HasSubstr("64 x 1 x 1"),
                    HasSubstr("SPIR-V with int8, storage8"), HasSubstr("PTX for sm_75"),
                    HasSubstr("reads tensor 0 bytes 0 to 1024"),
                    HasSubstr("writes tensor 2 bytes 0 to 1024")));
  EXPECT_THAT(run("vta-objdump", {"--program", "0", "--asm"}, 1),
              HasSubstr("program 0 is for a GPU; leave out the options of VTA programs"));
}

}  // namespace
}  // namespace vta::driver::test
