#include "driver/gpu/program_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace vta::driver::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

GpuDeviceInfo deviceFor(GpuCodeForm form, const std::string& target = "",
                        GpuFeatures features = {}) {
  return {.interface = "test",
          .name = "test GPU",
          .driver = "",
          .kind = GpuKind::kDiscrete,
          .memory_bytes = 1 << 30,
          .form = form,
          .target = target,
          .features = features,
          .limits = {.max_buffer_bytes = 1 << 30,
                     .max_range_bytes = 1 << 20,
                     .shared_bytes = 32768,
                     .max_invocations = 256,
                     .max_workgroup_size = {256, 256, 64},
                     .max_workgroups = {65535, 65535, 65535},
                     .max_bindings = 4},
          .records_times = false};
}

GpuProgram programWith(std::vector<GpuCode> codes) {
  GpuKernel kernel = {.name = "k", .bindings = {GpuAccess::kRead}, .codes = std::move(codes)};
  return {.argument_bytes = {1024},
          .kernels = {std::move(kernel)},
          .dispatches = {{0, {1, 1, 1}, {{GpuBinding::Source::kArgument, 0, 0, 1024}}}}};
}

GpuCode spirv(GpuFeatures features) { return {GpuCodeForm::kSpirv, "k", "", features, {}}; }
GpuCode ptx(const std::string& target) { return {GpuCodeForm::kPtx, "k", target, {}, {}}; }

/// The number of the code that is taken; -1: none.
int chosen(const GpuProgram& program, const GpuDeviceInfo& device) {
  const auto codes = chooseCodes(program, device);
  if (!codes.ok()) return -1;
  return static_cast<int>(codes->front() - program.kernels.front().codes.data());
}

TEST(ProgramFit, TakesTheFirstCodeThatTheFeaturesAllow) {
  const GpuProgram program = programWith({spirv({GpuFeature::kInt8, GpuFeature::kStorage8}),
                                          spirv({GpuFeature::kInt8}),
                                          {GpuCodeForm::kOpenClC, "k", "", {}, {}}});
  using Form = GpuCodeForm;
  EXPECT_EQ(
      chosen(program, deviceFor(Form::kSpirv, "", {GpuFeature::kInt8, GpuFeature::kStorage8})), 0);
  EXPECT_EQ(chosen(program, deviceFor(Form::kSpirv, "", {GpuFeature::kInt8})), 1);
  EXPECT_EQ(chosen(program, deviceFor(Form::kOpenClC)), 2);
  EXPECT_THAT(
      chooseCodes(program, deviceFor(Form::kSpirv)).status().message(),
      AllOf(HasSubstr("kernel 'k' has no code for the GPU 'test GPU'"),
            HasSubstr("SPIR-V: it lacks int8, storage8"), HasSubstr("OpenCL C: it runs SPIR-V")));
}

TEST(ProgramFit, PtxRunsOnItsArchitectureAndLaterOnes) {
  const GpuProgram program = programWith({ptx("sm_90a"), ptx("sm_80"), ptx("sm_75")});
  const auto chosen_on = [&](const char* target) {
    return chosen(program, deviceFor(GpuCodeForm::kPtx, target));
  };
  EXPECT_EQ(chosen_on("sm_90"), 0);
  EXPECT_EQ(chosen_on("sm_100"), 1);
  EXPECT_EQ(chosen_on("sm_89"), 1);
  EXPECT_EQ(chosen_on("sm_75"), 2);
  EXPECT_EQ(chosen_on("sm_61"), -1);
  EXPECT_THAT(chooseCodes(program, deviceFor(GpuCodeForm::kPtx, "sm_61")).status().message(),
              HasSubstr("PTX for sm_75: it is sm_61"));
}

TEST(ProgramFit, CodeObjectsRunOnTheirArchitectureAlone) {
  const GpuProgram program = programWith({{GpuCodeForm::kAmdCode, "k", "gfx90a", {}, {}},
                                          {GpuCodeForm::kAmdCode, "k", "gfx1100", {}, {}}});
  EXPECT_EQ(chosen(program, deviceFor(GpuCodeForm::kAmdCode, "gfx1100")), 1);
  EXPECT_THAT(
      chooseCodes(program, deviceFor(GpuCodeForm::kAmdCode, "gfx1103")).status().message(),
      AllOf(HasSubstr("AMD code object for gfx90a: it is gfx1103"), HasSubstr("for gfx1100")));
}

TEST(ProgramFit, CodesWhoseOwnGridIsTooLargeAreLeftOut) {
  const GpuDeviceInfo device = deviceFor(GpuCodeForm::kPtx, "sm_80");
  const auto chosen_with = [&](const GpuLaunch& launch) {
    GpuProgram program = programWith({ptx("sm_80"), ptx("sm_75")});
    program.kernels[0].codes[0].launch = launch;
    return chosen(program, device);
  };
  EXPECT_EQ(chosen_with({{256, 1, 1}, {2, 1, 1}, 32768}), 0);
  EXPECT_EQ(chosen_with({{256, 2, 1}, {2, 1, 1}, 0}), 1);
  EXPECT_EQ(chosen_with({{1, 1, 65}, {2, 1, 1}, 0}), 1);
  EXPECT_EQ(chosen_with({{1, 1, 1}, {2, 65536, 1}, 0}), 1);
  EXPECT_EQ(chosen_with({{1, 1, 1}, {2, 1, 1}, 32769}), 1);
  GpuProgram program = programWith({ptx("sm_80")});
  program.kernels[0].codes[0].launch = GpuLaunch{{1, 1, 1}, {1, 1, 1}, 32769};
  EXPECT_THAT(chooseCodes(program, device).status().message(),
              HasSubstr("PTX for sm_80: its workgroups share 32768 bytes"));
}

struct Excess {
  const char* message;
  std::function<void(GpuProgram&)> make;
};
class ProgramFitLimit : public ::testing::TestWithParam<Excess> {};

TEST_P(ProgramFitLimit, IsNamed) {
  GpuProgram program = programWith({spirv({})});
  ASSERT_TRUE(chooseCodes(program, deviceFor(GpuCodeForm::kSpirv)).ok());
  GetParam().make(program);
  const Status status = chooseCodes(program, deviceFor(GpuCodeForm::kSpirv)).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

const Excess kExcesses[] = {
    {"kernel 'k' has 65 invocations along dimension 2; the GPU 'test GPU' allows 64",
     [](GpuProgram& p) { p.kernels[0].workgroup_size[2] = 65; }},
    {"kernel 'k' has workgroups of 512 invocations; the GPU 'test GPU' allows 256",
     [](GpuProgram& p) {
       p.kernels[0].workgroup_size = {32, 16, 1};
     }},
    {"kernel 'k' shares 32769 bytes; the GPU 'test GPU' allows 32768",
     [](GpuProgram& p) { p.kernels[0].shared_bytes = 32769; }},
    {"kernel 'k' has 5 bindings; the GPU 'test GPU' allows 4",
     [](GpuProgram& p) { p.kernels[0].bindings.resize(5); }},
    {"a dispatch of kernel 'k' has 65536 workgroups along dimension 1",
     [](GpuProgram& p) { p.dispatches[0].workgroups[1] = 65536; }},
    {"a dispatch of kernel 'k' uses 1048577 bytes at once; the GPU 'test GPU' allows 1048576",
     [](GpuProgram& p) { p.dispatches[0].bindings[0].size_bytes = (1 << 20) + 1; }},
};
INSTANTIATE_TEST_SUITE_P(Limits, ProgramFitLimit, ::testing::ValuesIn(kExcesses));

}  // namespace
}  // namespace vta::driver::test
