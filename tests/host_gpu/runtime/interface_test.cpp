// Modules with a GPU through the C and C++ interfaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vta/vta.hpp>

#include "tests/driver/gpu/test_gpus.h"
#include "tests/driver/gpu/test_kernels.h"
#include "tests/host_gpu/runtime/gpu_module.h"

namespace vta::driver::test {
namespace {

using ::testing::HasSubstr;

class GpuInterface : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_.isThere()) GTEST_SKIP() << "no " << gpu_.name;
    if (!hasAssembler()) GTEST_SKIP() << "no spirv-as";
    elf_ = makeGpuModule();
  }

  const TestGpu gpu_ = testGpus().front();
  const ScopedVariable drivers_{"VK_ICD_FILENAMES", gpu_.icd};
  std::vector<std::byte> elf_;
};

TEST_F(GpuInterface, ASessionChoosesItsGpu) {
  const api::Module module(elf_.data(), elf_.size());
  const Tensor input = gpuModuleInput();
  for (const char* gpu : {"", "vulkan", "llvmpipe", "0"}) {
    api::SessionOptions options;
    options.verify = true;
    options.gpu = gpu;
    api::Session session(module, options);
    vta_session* handle = session.get();
    ASSERT_EQ(vta_session_set_input(handle, 0, input.data.data(), input.data.size()), VTA_OK);
    ASSERT_EQ(vta_session_run(handle), VTA_OK) << vta_error_message();
    const void* data = nullptr;
    size_t size_bytes = 0;
    ASSERT_EQ(vta_session_output(handle, 0, &data, &size_bytes), VTA_OK);
    const auto* bytes = static_cast<const std::byte*>(data);
    EXPECT_EQ(std::vector(bytes, bytes + size_bytes), gpuModuleOutput(input).data) << gpu;
  }
}

// The first step on the GPU reads an input of the host, and the last one's result goes back.
TEST_F(GpuInterface, SaysWhatCopiesTake) {
  const api::Module module(elf_.data(), elf_.size());
  const Tensor input = gpuModuleInput();
  for (const bool per_layer : {false, true}) {
    api::SessionOptions options;
    options.per_layer = per_layer;
    api::Session session(module, options);
    vta_session* handle = session.get();
    EXPECT_EQ(session.copySeconds(0), 0);
    ASSERT_EQ(vta_session_set_input(handle, 0, input.data.data(), input.data.size()), VTA_OK);
    ASSERT_EQ(vta_session_run(handle), VTA_OK) << vta_error_message();
    const std::vector<vta_profile_row> rows = session.profile();
    ASSERT_GE(rows.size(), 3U);
    EXPECT_EQ(session.copySeconds(0), 0);  // on the CPU
    double seconds = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_LE(session.copySeconds(i), rows[i].host_seconds);
      seconds += session.copySeconds(i);
    }
    EXPECT_GT(seconds, 0);
    EXPECT_EQ(session.copySeconds(rows.size()), 0);
  }
}

TEST_F(GpuInterface, SaysWhatThereIs) {
  vta_module* module = nullptr;
  ASSERT_EQ(vta_module_load_memory(elf_.data(), elf_.size(), &module), VTA_OK);
  vta_session_options options;
  vta_session_options_init(&options);
  EXPECT_EQ(options.gpu, nullptr);
  options.gpu = "nothing";
  vta_session* session = nullptr;
  EXPECT_EQ(vta_session_create(module, nullptr, &options, &session), VTA_NOT_FOUND);
  EXPECT_THAT(vta_error_message(),
              HasSubstr("there is no GPU 'nothing'; this machine has gpu:0 'llvmpipe"));
  // A program that was compiled before there were GPUs has shorter options.
  options.struct_bytes = offsetof(vta_session_options, gpu);
  EXPECT_EQ(vta_session_create(module, nullptr, &options, &session), VTA_OK);
  vta_session_release(session);
  vta_module_release(module);
}

}  // namespace
}  // namespace vta::driver::test
