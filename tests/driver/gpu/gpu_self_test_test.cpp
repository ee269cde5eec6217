// The self-test of GPUs: those that are there pass it, one that lies loses what it lies about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "base/process/find_program.h"
#include "base/process/run_command.h"
#include "base/temporary_folder.h"
#include "driver/gpu/gpu_self_test.h"
#include "driver/gpu/probes/probe.h"
#include "tests/driver/gpu/fake_gpu.h"
#include "tests/driver/gpu/test_gpus.h"

namespace vta::driver::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Outcome = SelfTestStep::Outcome;

/// Knows the probes, and computes wrong what it is told to.
class LyingGpu final : public FakeGpu {
 public:
  struct Lies {
    std::set<std::string> wrong{};    // probes with wrong results
    std::set<std::string> refused{};  // that are not compiled
  };
  explicit LyingGpu(Lies lies) : FakeGpu(claims()), lies_(std::move(lies)) {}

  static GpuDeviceInfo claims() {
    GpuDeviceInfo info;
    info.interface = "test";
    info.name = "Lying GPU";
    info.driver = "1";
    info.form = GpuCodeForm::kSpirv;
    info.features = GpuFeatures::fromBits((1U << kGpuFeatureCount) - 1);
    info.limits.max_buffer_bytes = 1 << 20;
    info.memory_bytes = 1 << 20;
    return info;
  }

  Result<std::unique_ptr<LoadedGpuProgram>> load(const GpuProgram& program,
                                                 std::span<const uint64_t> arguments,
                                                 GpuTimes /*times*/) override {
    const std::string& name = program.kernels.front().name;
    ++loads;
    if (lies_.refused.contains(name)) return invalidArgument("the compiler crashed");
    ProbeWords result(kProbeWords, 16);  // of subgroups
    for (const Probe& probe : allProbes()) {
      const ProbeWords expected = expectedResult(probe.kind);
      if (probe.name == name && !expected.empty()) result = expected;
    }
    if (lies_.wrong.contains(name)) result[3] ^= 0x100;
    (void)write(arguments.back(), std::as_bytes(std::span(result)));
    return std::unique_ptr<LoadedGpuProgram>(new Done());
  }

  size_t loads = 0;

 private:
  struct Done final : LoadedGpuProgram {
    Status run(std::chrono::milliseconds /*timeout*/) override { return {}; }
    std::vector<double> dispatchSeconds() const override { return {}; }
  };
  Lies lies_;
};

class SelfTest : public ::testing::Test {
 protected:
  std::filesystem::path folder() const { return temporary_.path() / "gpu-code"; }
  TemporaryFolder temporary_ = *TemporaryFolder::create("vta-test");
};

TEST_F(SelfTest, AnHonestGpuIsTestedOnce) {
  LyingGpu gpu({});
  EXPECT_TRUE(trustGpu(gpu, folder()).ok());
  EXPECT_EQ(gpu.loads, allProbes().size());
  EXPECT_THAT(gpu.takeNotes(), IsEmpty());
  LyingGpu again({});
  EXPECT_TRUE(trustGpu(again, folder()).ok());
  EXPECT_EQ(again.loads, 0U);
}

TEST_F(SelfTest, AFeatureThatIsALieIsDroppedAndRemembered) {
  for (const Probe& probe : allProbes()) {
    if (!probe.feature) continue;
    SCOPED_TRACE(probe.name);
    const auto own_folder = folder() / probe.name;
    for (const size_t tests : {allProbes().size(), size_t{0}}) {
      LyingGpu gpu({.wrong = {probe.name}});
      EXPECT_TRUE(trustGpu(gpu, own_folder).ok());
      EXPECT_EQ(gpu.loads, tests);
      EXPECT_EQ(LyingGpu::claims().features.without(gpu.info().features),
                GpuFeatures{*probe.feature});
      EXPECT_THAT(gpu.takeNotes(), ElementsAre(AllOf(HasSubstr("'Lying GPU' (test) claims"),
                                                     HasSubstr(probe.name))));
      EXPECT_THAT(gpu.takeNotes(), IsEmpty());
    }
  }
}

TEST_F(SelfTest, AFeatureThatDoesNotCompileIsDropped) {
  LyingGpu gpu({.refused = {"int64", "float16"}});
  EXPECT_TRUE(trustGpu(gpu, folder()).ok());
  EXPECT_FALSE(gpu.info().features.has(GpuFeature::kInt64));
  EXPECT_FALSE(gpu.info().features.has(GpuFeature::kFloat16));
  EXPECT_THAT(gpu.takeNotes(), ElementsAre(HasSubstr("int64, float16")));
}

TEST_F(SelfTest, WhatEveryKernelNeedsHasToBeRight) {
  for (const Probe& probe : allProbes()) {
    if (probe.feature) continue;
    for (int time = 0; time < 2; ++time) {
      LyingGpu gpu({.wrong = {probe.name}});
      const Status status = trustGpu(gpu, folder());
      EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
      EXPECT_THAT(status.message(),
                  AllOf(HasSubstr("'Lying GPU' (test) fails its self-test"),
                        HasSubstr(probe.name + ": word 3 is 0x"), HasSubstr("--host gpu:N")));
    }
  }
  LyingGpu gpu({.refused = {"products of integers"}});
  EXPECT_THAT(trustGpu(gpu, folder()).message(), HasSubstr("the compiler crashed"));
}

TEST_F(SelfTest, WithoutAFolderItIsTestedEachTime) {
  std::ofstream(folder()) << "a file";
  for (const std::filesystem::path& unusable : {std::filesystem::path(), folder()}) {
    for (int time = 0; time < 2; ++time) {
      LyingGpu gpu({});
      EXPECT_TRUE(trustGpu(gpu, unusable).ok());
      EXPECT_EQ(gpu.loads, allProbes().size());
    }
  }
}

TEST_F(SelfTest, WhatIsRememberedInAnotherWayIsTestedAgain) {
  LyingGpu gpu({});
  EXPECT_TRUE(trustGpu(gpu, folder()).ok());
  for (const auto& file : std::filesystem::directory_iterator(folder())) {
    std::filesystem::resize_file(file, 10);
  }
  LyingGpu again({});
  EXPECT_TRUE(trustGpu(again, folder()).ok());
  EXPECT_EQ(again.loads, allProbes().size());
}

TEST(Probes, SpirvIsValid) {
  if (findProgram("spirv-val").empty()) GTEST_SKIP() << "no spirv-val";
  const auto folder = TemporaryFolder::create("vta-test");
  for (const Probe& probe : allProbes()) {
    const auto file = folder->path() / "probe.spv";
    const std::vector<std::byte> words = probeSpirv(probe.kind);
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(words.data()),
               static_cast<std::streamsize>(words.size()));
    const auto result =
        runCommand(std::vector<std::string>{"spirv-val", "--target-env", "vulkan1.2", file},
                   {.merge_errors = true});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_TRUE(result->end.ok()) << probe.name << "\n" << result->output;
  }
}

TEST(Probes, PtxAssembles) {
  std::filesystem::path ptxas = findProgram("ptxas");
  if (ptxas.empty()) ptxas = "/usr/local/cuda/bin/ptxas";
  if (!std::filesystem::exists(ptxas)) GTEST_SKIP() << "no ptxas";
  const auto folder = TemporaryFolder::create("vta-test");
  for (const Probe& probe : allProbes()) {
    const std::string text = probePtx(probe.kind);
    if (text.empty()) continue;
    const auto file = folder->path() / "probe.ptx";
    std::ofstream(file) << text;
    const auto result = runCommand(
        std::vector<std::string>{ptxas, "--gpu-name=sm_75", file, "-o", folder->path() / "out"},
        {.merge_errors = true});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_TRUE(result->end.ok()) << probe.name << "\n" << result->output;
  }
}

TEST(Probes, EachFeatureHasOne) {
  std::set<GpuFeature> features;
  for (const Probe& probe : allProbes()) {
    if (!probe.feature) continue;
    features.insert(*probe.feature);
    EXPECT_EQ(probe.name, gpuFeatureName(*probe.feature));
  }
  EXPECT_EQ(features.size(), kGpuFeatureCount);
}

class GpusOfThisMachine : public ::testing::TestWithParam<TestGpu> {};

TEST_P(GpusOfThisMachine, PassTheSelfTest) {
  if (GetParam().is_cuda) GTEST_SKIP() << "it runs no PTX";
  if (!GetParam().isThere()) GTEST_SKIP() << "no " << GetParam().name;
  const auto device = GetParam().open();
  ASSERT_TRUE(device.ok()) << device.status().message();
  const SelfTestReport report = selfTestGpu(**device);
  EXPECT_TRUE(report.passed()) << report.text();
  for (size_t i = 0; i < report.steps.size(); ++i) {
    const auto feature = allProbes()[i].feature;
    if (report.steps[i].outcome != Outcome::kSkipped) continue;
    EXPECT_TRUE(feature && !(*device)->info().features.has(*feature)) << report.text();
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpusOfThisMachine, ::testing::ValuesIn(testGpus()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vta::driver::test
