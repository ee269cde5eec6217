// The device that runs PTX in tests: it computes what it should, and says what it cannot.
#include "tests/driver/gpu/ptx/ptx_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/gpu/gpu_self_test.h"
#include "driver/gpu/probes/probe.h"
#include "tests/driver/gpu/ptx/ptx_kernel.h"

namespace vta::driver::test {
namespace {

using ::testing::HasSubstr;

TEST(PtxDevice, PassesTheSelfTest) {
  const auto device = openPtxDevice();
  const SelfTestReport report = selfTestGpu(*device);
  for (const SelfTestStep& step : report.steps) {
    // Half floats, which no kernel of ours has, are not known here.
    if (step.name == "float16") continue;
    EXPECT_NE(step.outcome, SelfTestStep::Outcome::kFailed) << step.name << ": " << step.detail;
  }
}

Status problemOf(const std::string& body, std::span<const PtxRange> ranges = {}) {
  const auto kernel = PtxKernel::parse(
      ".visible .entry k(.param .u64 a)\n.reqntid 4, 1, 1\n{\n.shared .align 4 .b8 s[16];\n" +
      body + "\nret;\n}\n");
  if (!kernel.ok()) return kernel.status();
  return kernel->run({1, 1, 1}, ranges);
}

TEST(PtxDevice, RunsSeveralInstructionsOfOneLine) {
  std::vector<uint64_t> words(2);
  const PtxRange range = {reinterpret_cast<std::byte*>(words.data()), 16};
  const Status status = problemOf(
      "ld.param.u64 %rd1, [a];\nmov.u64 %rd2, -4294967289;\n"
      "{ .reg .b32 tmp; mov.b64 {tmp, %r1}, %rd2; }\nmov.b64 {%r2, %r3}, %rd2;\n"
      "st.global.v2.u32 [%rd1], {%r1, %r2};",
      {{range}});
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(words[0], 0x7ffffffffULL);
}

TEST(PtxDevice, SaysWhatItDoesNotKnow) {
  EXPECT_THAT(problemOf("tanh.approx.f32 %f1, %f2;").message(),
              HasSubstr("tanh.approx.f32 %f1, %f2: an instruction that nobody runs"));
  EXPECT_THAT(problemOf("bra NOWHERE;").message(), HasSubstr("no label NOWHERE"));
  EXPECT_THAT(problemOf("ld.param.u64 %rd1, [a];").message(), HasSubstr("parameter is missing"));
}

TEST(PtxDevice, FindsAccessesOutsideOfItsMemory) {
  std::vector<uint64_t> words(2);
  const PtxRange range = {reinterpret_cast<std::byte*>(words.data()), 16};
  const auto store_at = [&](const std::string& place) {
    return problemOf("ld.param.u64 %rd1, [a];\nst.global.u32 [%rd1+" + place + "], 7;", {{range}});
  };
  EXPECT_TRUE(store_at("12").ok());
  EXPECT_EQ(words[1] >> 32, 7U);
  EXPECT_THAT(store_at("16").message(), HasSubstr("outside"));
  EXPECT_THAT(store_at("-4").message(), HasSubstr("outside"));
  EXPECT_THAT(store_at("2").message(), HasSubstr("not aligned"));
  EXPECT_THAT(problemOf("mov.u32 %r1, s;\nst.shared.u32 [%r1+16], 7;").message(),
              HasSubstr("outside"));
}

TEST(PtxDevice, FindsBarriersThatNotAllReach) {
  EXPECT_TRUE(problemOf("bar.sync 0;").ok());
  EXPECT_THAT(problemOf("setp.lt.u32 %p1, %tid.x, 2;\n@%p1 bra END;\nbar.sync 0;\nEND:").message(),
              HasSubstr("not all invocations reach"));
}

}  // namespace
}  // namespace vta::driver::test
