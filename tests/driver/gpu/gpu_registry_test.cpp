// Which GPU is opened for which words. This program has two interfaces with GPUs that cannot be
// opened, and one without any.
#include "driver/gpu/gpu_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace vta::driver::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

GpuDeviceInfo gpuCalled(const std::string& name, GpuKind kind) {
  GpuDeviceInfo info;
  info.name = name;
  info.kind = kind;
  return info;
}

Result<std::vector<GpuDeviceInfo>> listFirst() {
  return std::vector<GpuDeviceInfo>{gpuCalled("Software Rasteriser", GpuKind::kCpu),
                                    gpuCalled("Small GPU 5", GpuKind::kIntegrated)};
}
Result<std::vector<GpuDeviceInfo>> listSecond() {
  return std::vector<GpuDeviceInfo>{gpuCalled("Large GPU 9", GpuKind::kDiscrete)};
}
Result<std::vector<GpuDeviceInfo>> listBroken() { return notFound("its library is missing"); }
Result<std::vector<GpuDeviceInfo>> listEmpty() { return std::vector<GpuDeviceInfo>{}; }

Result<std::unique_ptr<GpuDevice>> openFirst(size_t number) {
  return unsupported(fmt::format("opened first {}", number));
}
Result<std::unique_ptr<GpuDevice>> openSecond(size_t number) {
  return unsupported(fmt::format("opened second {}", number));
}

const bool kAreRegistered = registerGpuInterface({"second", 2, listSecond, openSecond}) &&
                            registerGpuInterface({"first", 1, listFirst, openFirst}) &&
                            registerGpuInterface({"broken", 3, listBroken, openFirst}) &&
                            registerGpuInterface({"empty", 4, listEmpty, openFirst}) &&
                            registerGpuInterface({"first", 0, listBroken, openSecond});

std::string opened(std::string_view choice) { return openGpu(choice).status().message(); }

TEST(GpuRegistry, ListsGpusBeforeProcessorsAndSaysWhatIsWrong) {
  ASSERT_TRUE(kAreRegistered);
  EXPECT_EQ(gpuInterfaces().size(), 4U);
  const GpuList list = listGpus();
  std::vector<std::string> names;
  for (const FoundGpu& gpu : list.gpus) names.push_back(gpu.info.name);
  EXPECT_THAT(names, ElementsAre("Large GPU 9", "Small GPU 5", "Software Rasteriser"));
  EXPECT_THAT(list.problems, ElementsAre("broken: its library is missing", "empty: no GPU"));
}

TEST(GpuRegistry, OpensByNumberInterfaceOrName) {
  EXPECT_EQ(opened(""), "opened second 0");
  EXPECT_EQ(opened("0"), "opened second 0");
  EXPECT_EQ(opened("1"), "opened first 1");
  EXPECT_EQ(opened("2"), "opened first 0");
  EXPECT_EQ(opened("first"), "opened first 1");
  EXPECT_EQ(opened("second"), "opened second 0");
  EXPECT_EQ(opened("rasteriser"), "opened first 0");
  EXPECT_EQ(opened("LARGE"), "opened second 0");
  EXPECT_EQ(opened("gpu:1"), "opened first 1");
  EXPECT_EQ(opened("gpu:LARGE"), "opened second 0");
}

TEST(GpuRegistry, SaysWhatThereIs) {
  EXPECT_EQ(openGpu("3").status().code(), StatusCode::kNotFound);
  for (const char* choice : {"3", "-1", "other", "broken", "99999999999999999999999"}) {
    EXPECT_THAT(opened(choice),
                AllOf(HasSubstr(fmt::format("no GPU '{}'", choice)),
                      HasSubstr("; this machine has gpu:0 'Large GPU 9' (second), gpu:1 "
                                "'Small GPU 5' (first), gpu:2 'Software Rasteriser' (first)"),
                      HasSubstr("\n  broken: its library is missing")));
  }
}

TEST(GpuRegistry, KindsHaveNames) {
  EXPECT_EQ(gpuKindName(GpuKind::kDiscrete), "discrete GPU");
  EXPECT_EQ(gpuKindName(GpuKind::kIntegrated), "integrated GPU");
  EXPECT_EQ(gpuKindName(GpuKind::kVirtual), "virtual GPU");
  EXPECT_EQ(gpuKindName(GpuKind::kCpu), "CPU");
  EXPECT_EQ(gpuKindName(GpuKind::kOther), "other device");
}

}  // namespace
}  // namespace vta::driver::test
