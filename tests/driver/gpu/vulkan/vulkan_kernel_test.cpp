// Pipelines of Vulkan that were kept: what begins as the driver's own is given to it, nothing else.
#include "driver/gpu/vulkan/vulkan_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/temporary_folder.h"
#include "driver/gpu/program_fit.h"
#include "tests/driver/gpu/test_gpus.h"
#include "tests/driver/gpu/test_kernels.h"

namespace vta::driver::vulkan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class KeptPipelines : public ::testing::TestWithParam<test::TestGpu> {
 protected:
  void SetUp() override {
    if (!GetParam().isThere()) GTEST_SKIP() << "no " << GetParam().name;
    if (!test::hasAssembler()) GTEST_SKIP() << "no spirv-as";
    const test::ScopedVariable icd("VK_ICD_FILENAMES", GetParam().icd);
    auto instance = VulkanInstance::create();
    ASSERT_TRUE(instance.ok()) << instance.status().message();
    const PhysicalGpu gpu = (*instance)->gpus()->front();
    auto context = VulkanContext::create(*std::move(instance), gpu, {});
    ASSERT_TRUE(context.ok()) << context.status().message();
    context_ = *std::move(context);
    kernel_ = test::addKernel(64, 64);
  }

  const GpuCode& code() const { return kernel_.codes.front(); }

  /// Compiles beside `data`, which was kept of the code; the notes.
  std::vector<std::string> compileBeside(std::span<const std::byte> data) {
    const std::string identity =
        fmt::format("{:02x}", fmt::join(context_->gpu().cache_identity, ""));
    GpuCodeCache(context_->gpu().info, identity).add(code().code, data, {});
    KernelCache kernels(*context_);
    const auto made = kernels.get(code(), kernel_.bindings.size());
    EXPECT_TRUE(made.ok()) << made.status().message();
    return kernels.takeNotes();
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("vta-test");
  test::ScopedVariable cache_{"VTA_CACHE_DIR", folder_.path().string()};
  std::shared_ptr<VulkanContext> context_;
  GpuKernel kernel_;
};

TEST_P(KeptPipelines, OfThisDriverAreTaken) {
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  context_->api().GetPhysicalDeviceProperties2(context_->gpu().handle, &properties);
  const uint32_t numbers[] = {32, VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
                              properties.properties.vendorID, properties.properties.deviceID};
  std::vector<std::byte> header(sizeof numbers + VK_UUID_SIZE);
  std::memcpy(header.data(), numbers, sizeof numbers);
  std::memcpy(header.data() + sizeof numbers, properties.properties.pipelineCacheUUID,
              VK_UUID_SIZE);
  EXPECT_THAT(compileBeside(header), IsEmpty());
}

TEST_P(KeptPipelines, OfAnotherOneAreMadeAgain) {
  EXPECT_THAT(compileBeside(std::vector<std::byte>(100)),
              ElementsAre(HasSubstr("not of this GPU and driver")));
}

TEST_P(KeptPipelines, ThatAreCutOffAreMadeAgain) {
  EXPECT_THAT(compileBeside(std::vector<std::byte>(5)),
              ElementsAre(HasSubstr("not of this GPU and driver")));
}

std::vector<test::TestGpu> gpusWithVulkan() {
  std::vector<test::TestGpu> gpus;
  for (const test::TestGpu& gpu : test::testGpus()) {
    if (!gpu.icd.empty() && !gpu.staged) gpus.push_back(gpu);
  }
  return gpus;
}

INSTANTIATE_TEST_SUITE_P(All, KeptPipelines, ::testing::ValuesIn(gpusWithVulkan()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vta::driver::vulkan
