// Modules with a GPU, on processors that stand for one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "driver/gpu/counting_gpu.h"
#include "driver/runtime/executor.h"
#include "driver/runtime/memory/host_memory.h"
#include "driver/runtime/pipeline.h"
#include "driver/runtime/session.h"
#include "tests/driver/gpu/test_gpus.h"
#include "tests/driver/gpu/test_kernels.h"
#include "tests/host_gpu/runtime/gpu_module.h"

namespace vta::driver::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GpuExecution : public ::testing::TestWithParam<TestGpu> {
 protected:
  void SetUp() override {
    if (!GetParam().isThere()) GTEST_SKIP() << "no " << GetParam().name;
    if (!hasAssembler()) GTEST_SKIP() << "no spirv-as";
    auto device = GetParam().open();
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = *std::move(device);
  }

  static std::shared_ptr<const LoadedModule> load(const GpuModuleOptions& options = {}) {
    auto module = LoadedModule::fromMemory(makeGpuModule(options));
    EXPECT_TRUE(module.ok()) << module.status().message();
    return module.ok() ? *std::move(module) : nullptr;
  }

  Result<std::unique_ptr<Session>> makeSession(const GpuModuleOptions& options = {},
                                               const SessionOptions& session = {}) {
    return Session::create(load(options), DeviceMap{{"gpu", device_.get()}}, session);
  }

  std::string problemOf(const GpuModuleOptions& options) {
    const auto session = makeSession(options);
    return session.ok() ? "" : session.status().message();
  }

  std::unique_ptr<GpuDevice> device_;
};

TEST_P(GpuExecution, RunsAModuleAgainAndAgain) {
  for (const bool overlap : {true, false}) {
    const auto session = makeSession({}, {.overlap = overlap});
    ASSERT_TRUE(session.ok()) << session.status().message();
    const Tensor input = gpuModuleInput();
    for (int run = 0; run < 3; ++run) {
      const auto result = (*session)->run({{"x", input}});
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_EQ(result->outputs.at("y").data, gpuModuleOutput(input).data);
      EXPECT_TRUE(result->profile[1].is_launch);
    }
  }
}

TEST_P(GpuExecution, SaysWhatDoesNotEndInTimeAndWhere) {
  const auto session = makeSession({}, {.timeout = std::chrono::milliseconds(0)});
  ASSERT_TRUE(session.ok()) << session.status().message();
  Status status;  // small kernels may end at once
  for (int run = 0; run < 1000 && status.ok(); ++run) {
    status = (*session)->run({{"x", gpuModuleInput()}}).status();
  }
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(status.message(),
              ::testing::AllOf(HasSubstr("did not end within 0 seconds on GPU '"),
                               HasSubstr(device_->info().name), HasSubstr("--timeout")));
}

TEST_P(GpuExecution, SaysWhatKernelsTake) {
  const auto session = makeSession({}, {.per_layer = true});
  ASSERT_TRUE(session.ok()) << session.status().message();
  const auto result = (*session)->run({{"x", gpuModuleInput()}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_EQ(result->layers.size(), 4U);
  EXPECT_TRUE(result->layers[0].alone.kernels.empty());
  const auto& kernels = result->layers[1].alone.kernels;
  ASSERT_EQ(kernels.size(), device_->info().records_times ? 1U : 0U);
  if (kernels.empty()) return;
  EXPECT_EQ(kernels[0].name, "add_bytes");
  EXPECT_GE(kernels[0].seconds, 0);
}

TEST_P(GpuExecution, VerifiesEveryLayer) {
  const auto session = makeSession({}, {.verify = true});
  ASSERT_TRUE(session.ok()) << session.status().message();
  const auto result = (*session)->run({{"x", gpuModuleInput()}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->verified_steps, 2U);
}

TEST_P(GpuExecution, NamesALayerThatIsWrong) {
  // Of 3 workgroups in place of 16 the others' results are what was there.
  const auto session = makeSession({.change_program =
                                        [](GpuProgram& p) {
                                          p.dispatches[0].workgroups = {3, 1, 1};
                                        }},
                                   {.verify = true});
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_THAT((*session)->run({{"x", gpuModuleInput()}}).status().message(),
              AllOf(HasSubstr("layer 'sum'"), HasSubstr("the GPU's result differs")));
}

TEST_P(GpuExecution, LanesShareTheGpu) {
  const auto pipeline = Pipeline::create(load(), DeviceMap{{"gpu", device_.get()}}, {}, 2);
  ASSERT_TRUE(pipeline.ok()) << pipeline.status().message();
  const Tensor input = gpuModuleInput();
  int64_t count = 0;
  const Status status = (*pipeline)->run(
      10,
      [&](int64_t) -> Result<Pipeline::Input> {
        return Pipeline::Input{"", {{"x", input}}};
      },
      [&](int64_t, const Pipeline::Input&, const RunResult& result) -> Status {
        if (result.outputs.at("y").data == gpuModuleOutput(input).data) ++count;
        return {};
      });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(count, 10);
}

TEST_P(GpuExecution, TakesAProgramThatTheLimitsAllow) {
  const auto session = makeSession({.has_variant_for_others = true});
  ASSERT_TRUE(session.ok()) << session.status().message();
  const Tensor input = gpuModuleInput();
  EXPECT_EQ((*(*session)->run({{"x", input}})).outputs.at("y").data, gpuModuleOutput(input).data);
}

TEST_P(GpuExecution, SaysWhyAProgramDoesNotFit) {
  EXPECT_THAT(problemOf({.change_program =
                             [](GpuProgram& p) {
                               p.kernels[0].workgroup_size = {1 << 16, 1, 1};
                             }}),
              AllOf(HasSubstr("layer 'sum': kernel 'add_bytes' has 65536 invocations"),
                    HasSubstr(device_->info().name)));
  EXPECT_THAT(problemOf({.change_program = [](GpuProgram& p) { p.argument_bytes.push_back(1); }}),
              HasSubstr("layer 'sum': the GPU program has 4 tensors, the module names 3"));
  EXPECT_THAT(problemOf({.change_program = [](GpuProgram& p) { p.argument_bytes[1] = 1025; }}),
              HasSubstr("needs 1025 bytes of 'x', which has 1024"));
}

TEST_P(GpuExecution, ChecksThePlacesOfTensors) {
  EXPECT_THAT(
      problemOf({.change_info = [](ModuleInfo& info) { info.programs[0].buffers[0] = -1; }}),
      HasSubstr("layer 'sum': tensor 0 is none"));
  const auto move = [](ModuleInfo& info) {
    for (SpaceInfo& space : info.spaces) space.alignment_bytes = 64;
    info.tensors[1].offset_bytes = 64;
    info.spaces[info.tensors[1].space].size_bytes += 64;
  };
  EXPECT_THAT(problemOf({.change_info = move}),
              HasSubstr("'a' does not begin at a multiple of 512 bytes"));
  // The result is a part of another tensor, and the program writes a vector behind its end.
  const auto divide = [](ModuleInfo& info) {
    TensorInfo part = info.tensors[2];
    part.name = "part";
    part.shape = {1001};
    part.size_bytes = 1001;
    part.part_of = 2;
    info.tensors.push_back(part);
    info.programs[0].buffers[2] = info.steps[1].arguments[2] =
        static_cast<int32_t>(info.tensors.size() - 1);
  };
  const auto shorten = [](GpuProgram& program) {
    program.argument_bytes[2] = 1001;
    program.dispatches[0].bindings[2].size_bytes = 1004;
  };
  EXPECT_THAT(problemOf({.change_program = shorten, .change_info = divide}),
              HasSubstr("writes behind the end of 'part', which is a part of another tensor"));
}

TEST_P(GpuExecution, NeedsAGpu) {
  EXPECT_THAT(Session::create(load(), DeviceMap{}, {}).status().message(),
              HasSubstr("needs a GPU to run on, for its executor 'gpu'"));
  HostMemory memory;
  EXPECT_THAT(Session::create(load(), DeviceMap{{"gpu", &memory}}, {}).status().message(),
              HasSubstr("; the device host is none"));
}

TEST_P(GpuExecution, SaysWhenTheGpuHasNotEnoughMemory) {
  const auto grow = [](ModuleInfo& info) {
    info.spaces[info.tensors[1].space].size_bytes = uint64_t{1} << 39;
  };
  const auto session = makeSession({.change_info = grow});
  EXPECT_EQ(session.status().code(), StatusCode::kResourceExhausted);
}

TEST_P(GpuExecution, TakesTheMemoryThatIsPredicted) {
  CountingGpu counting;
  const auto predicted = Session::create(load(), DeviceMap{{"gpu", &counting}}, {});
  ASSERT_TRUE(predicted.ok()) << predicted.status().message();
  {
    const auto session = makeSession();
    ASSERT_TRUE(session.ok()) << session.status().message();
    EXPECT_GE(device_->usedBytes(), 3 * uint64_t{kGpuModuleBytes});
    EXPECT_EQ(device_->usedBytes(), counting.usedBytes());
  }
  EXPECT_EQ(device_->usedBytes(), 0U);
}

/// Of this process, as the kernel counts it.
uint64_t residentBytes() {
  uint64_t all_pages = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> all_pages >> resident_pages;
  return resident_pages * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
}

TEST_P(GpuExecution, AThousandRunsLeaveNothing) {
  const auto session = makeSession();
  ASSERT_TRUE(session.ok()) << session.status().message();
  const Tensor input = gpuModuleInput();
  const auto run = [&](int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE((*session)->run({{"x", input}}).ok());
  };
  run(100);
  const uint64_t used_bytes = device_->usedBytes(), resident_bytes = residentBytes();
  run(1000);
  EXPECT_EQ(device_->usedBytes(), used_bytes);
  // A tensor that each run forgets would be as much.
  EXPECT_LT(residentBytes(), resident_bytes + 1000 * uint64_t{kGpuModuleBytes});
}

INSTANTIATE_TEST_SUITE_P(Devices, GpuExecution, ::testing::ValuesIn(testGpus()),
                         [](const auto& info) { return info.param.name; });

TEST(GpuExecutor, IsAKindOnWhichOperatorsRun) {
  EXPECT_THAT(hostKinds(), ElementsAre("cpu", "gpu"));
}

}  // namespace
}  // namespace vta::driver::test
