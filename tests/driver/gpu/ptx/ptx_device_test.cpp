// The device that runs PTX in tests: it computes what it should, and says what it cannot.
#include "tests/driver/gpu/ptx/ptx_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

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
      ".visible .entry k(.param .u64 a)\n.reqntid 4, 1, 1\n{\n.shared .align 16 .b8 s[16];\n" +
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

TEST(PtxDevice, MovesPartsOfRegisters) {
  std::vector<uint64_t> words(4);
  const PtxRange range = {reinterpret_cast<std::byte*>(words.data()), 32};
  const Status status = problemOf(
      "ld.param.u64 %rd1, [a];\nmov.u32 %r1, 0x12345678;\n"
      "{ .reg .b16 tmp; mov.b32 {tmp, %rs1}, %r1; }\nmov.b32 {%rs2, %rs3}, %r1;\n"
      "mov.b32 %r2, {%rs1, %rs2};\nst.global.u16 [%rd1], %rs1;\nst.global.u16 [%rd1+2], %rs2;\n"
      "st.global.u32 [%rd1+4], %r2;\nmov.b64 {%rs4, %rs5, %rs6, %rs7}, 0x1111222233334444;\n"
      "mov.b64 %rd2, {%rs7, %rs6, %rs5, %rs4};\nst.global.u64 [%rd1+8], %rd2;",
      {{range}});
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(words[0], 0x5678123456781234U);
  EXPECT_EQ(words[1], 0x4444333322221111U);
}

TEST(PtxDevice, PredicatesAreTrueOrFalse) {
  std::vector<uint32_t> words(4);
  const PtxRange range = {reinterpret_cast<std::byte*>(words.data()), 16};
  const Status status = problemOf(
      "ld.param.u64 %rd1, [a];\nmov.pred %p1, 0;\nxor.pred %p1, %p1, -1;\n"
      "selp.b32 %r1, 5, 7, %p1;\nxor.pred %p1, %p1, -1;\nselp.b32 %r2, 5, 7, %p1;\n"
      "or.pred %p2, %p1, -1;\nselp.b32 %r3, 5, 7, %p2;\nand.pred %p2, %p2, -1;\n"
      "selp.b32 %r4, 5, 7, %p2;\nst.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};",
      {{range}});
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(words, (std::vector<uint32_t>{5, 7, 5, 5}));
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
  EXPECT_TRUE(problemOf("ld.param.u64 %rd1, [a];\nst.u32 [%rd1], 9;", {{range}}).ok());
  EXPECT_EQ(words[0], 9U);
  EXPECT_THAT(problemOf("mov.u64 %rd1, 8;\nst.u32 [%rd1], 9;", {{range}}).message(),
              HasSubstr("outside"));
  EXPECT_THAT(problemOf("mov.u64 %rd1, 8;\nst.local.u32 [%rd1], 9;", {{range}}).message(),
              HasSubstr("nobody runs"));
  EXPECT_THAT(store_at("16").message(), HasSubstr("outside"));
  EXPECT_THAT(store_at("-4").message(), HasSubstr("outside"));
  EXPECT_THAT(store_at("2").message(), HasSubstr("not aligned"));
  EXPECT_THAT(problemOf("mov.u32 %r1, s;\nst.shared.u32 [%r1+16], 7;").message(),
              HasSubstr("outside"));
}

/// What shared memory has, of which four words were copied, when `wait` has ended.
uint64_t copiedBefore(const std::string& wait) {
  std::vector<uint64_t> words = {0x0807060504030201, 0, 0, 0};
  const PtxRange range = {reinterpret_cast<std::byte*>(words.data()), 32};
  const Status status = problemOf(
      "ld.param.u64 %rd1, [a];\nmov.u64 %rd2, s;\n"
      "cp.async.ca.shared.global [%rd2], [%rd1], 8, 8;\ncp.async.commit_group;\n"
      "cp.async.ca.shared.global [%rd2+8], [%rd1], 8, 0;\ncp.async.commit_group;\n" +
          wait + "\nld.shared.u64 %rd3, [%rd2];\nst.global.u64 [%rd1+8], %rd3;",
      {{range}});
  EXPECT_TRUE(status.ok()) << status.message();
  return words[1];
}

TEST(PtxDevice, CopiesAreThereBehindTheirWaitOnly) {
  EXPECT_EQ(copiedBefore(""), 0xCDCDCDCDCDCDCDCD);
  EXPECT_EQ(copiedBefore("cp.async.wait_group 2;"), 0xCDCDCDCDCDCDCDCD);
  EXPECT_EQ(copiedBefore("cp.async.wait_group 1;"), 0x0807060504030201U);
  EXPECT_EQ(copiedBefore("cp.async.wait_group 0;"), 0x0807060504030201U);
  EXPECT_THAT(
      problemOf("mov.u64 %rd2, s;\ncp.async.ca.shared.global [%rd2+2], [%rd1], 4, 4;").message(),
      HasSubstr("not aligned"));
  EXPECT_THAT(
      problemOf("mov.u64 %rd2, s;\ncp.async.ca.shared.global [%rd2], [%rd1], 4, 2;").message(),
      HasSubstr("a part of what it writes"));
}

/// 16x32 bytes, 8x32 bytes, and 16x8 sums of their products, by one warp.
constexpr const char* kProductOfBytes = R"(.visible .entry k(.param .u64 a)
.reqntid 32, 1, 1
{
.shared .align 16 .b8 s[768];
ld.param.u64 %rd1, [a];
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 4;
cvt.u64.u32 %rd2, %r2;
add.s64 %rd3, %rd1, %rd2;
mov.u64 %rd4, s;
add.s64 %rd5, %rd4, %rd2;
setp.lt.u32 %p1, %r1, 16;
cp.async.cg.shared.global [%rd5], [%rd3], 16;
@%p1 cp.async.cg.shared.global [%rd5+512], [%rd3+512], 16;
cp.async.commit_group;
cp.async.wait_group 0;
bar.sync 0;
and.b32 %r3, %r1, 15;
shl.b32 %r3, %r3, 5;
shr.u32 %r4, %r1, 4;
shl.b32 %r4, %r4, 4;
add.s32 %r5, %r3, %r4;
cvt.u64.u32 %rd6, %r5;
add.s64 %rd7, %rd4, %rd6;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%rd7];
and.b32 %r3, %r1, 7;
shl.b32 %r3, %r3, 5;
and.b32 %r4, %r1, 8;
shl.b32 %r4, %r4, 1;
add.s32 %r5, %r3, %r4;
cvt.u64.u32 %rd6, %r5;
add.s64 %rd7, %rd4, %rd6;
ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r14, %r15}, [%rd7+512];
mov.u32 %r16, 2147483647;
mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
  {%r20, %r21, %r22, %r23},
  {%r10, %r11, %r12, %r13},
  {%r14, %r15},
  {%r16, %r16, %r16, %r16};
shl.b32 %r2, %r1, 3;
cvt.u64.u32 %rd2, %r2;
add.s64 %rd3, %rd1, %rd2;
st.global.v2.u32 [%rd3+768], {%r20, %r21};
st.global.v2.u32 [%rd3+1024], {%r22, %r23};
ret;
}
)";

TEST(PtxDevice, WarpsMultiplyBytes) {
  const auto kernel = PtxKernel::parse(kProductOfBytes);
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  alignas(16) std::array<int8_t, 1280> bytes{};
  for (int i = 0; i < 768; ++i) bytes[i] = static_cast<int8_t>(i * i * 7 + 3 * i - 128);
  const PtxRange range = {reinterpret_cast<std::byte*>(bytes.data()), bytes.size()};
  const Status status = kernel->run({1, 1, 1}, {{range}});
  ASSERT_TRUE(status.ok()) << status.message();
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      uint32_t want = 2147483647, got = 0;  // sums wrap
      for (int k = 0; k < 32; ++k) {
        want += static_cast<uint32_t>(bytes[32 * row + k] * bytes[512 + 32 * column + k]);
      }
      std::memcpy(&got, &bytes[768 + 32 * row + 4 * column], sizeof(got));
      EXPECT_EQ(got, want) << row << " " << column;
    }
  }
}

/// 64x32 bytes, 16x32 bytes, and 64x16 sums of their products, by four warps. Rows of shared memory
/// are 64 bytes, of which the second half stays empty. Each invocation copies a row's half.
std::string productOfFourWarps(const std::string& publishes, const std::string& begins) {
  std::string sums;
  for (int i = 0; i < 8; ++i) sums += (i > 0 ? ", %s" : "%s") + std::to_string(i);
  return ".visible .entry k(.param .u64 a)\n.reqntid 128, 1, 1\n{\n"
         ".shared .align 512 .b8 s[5120];\n"
         "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmov.u64 %rd4, s;\n"
         // Row, chunk and place of the left factor's piece.
         "shr.u32 %r2, %r1, 1;\nand.b32 %r3, %r1, 1;\nshr.u32 %r4, %r2, 1;\nand.b32 %r4, %r4, 3;\n"
         "xor.b32 %r5, %r3, %r4;\nshl.b32 %r5, %r5, 4;\nshl.b32 %r6, %r2, 6;\n"
         "add.s32 %r5, %r5, %r6;\nshl.b32 %r7, %r1, 4;\n"
         "cvt.u64.u32 %rd2, %r7;\nadd.s64 %rd3, %rd1, %rd2;\ncvt.u64.u32 %rd5, %r5;\n"
         "add.s64 %rd5, %rd4, %rd5;\ncp.async.cg.shared.global [%rd5], [%rd3], 16;\n"
         "setp.lt.u32 %p1, %r1, 32;\n"
         "@%p1 cp.async.cg.shared.global [%rd5+4096], [%rd3+2048], 16;\n"
         "cp.async.commit_group;\ncp.async.wait_group 0;\n" +
         publishes +
         "bar.sync 0;\n"
         // Eight rows are 512 bytes: 32 units; 64 bytes are kind 2.
         "shr.u64 %rd6, %rd4, 4;\nor.b64 %rd6, %rd6, 0x8000002000010000;\n"
         "add.s64 %rd7, %rd6, 256;\nmov.u32 %s0, 2147483647;\n"
         "mov.u32 %s1, 1;\nmov.u32 %s2, 1;\nmov.u32 %s3, 1;\nmov.u32 %s4, 1;\nmov.u32 %s5, 1;\n"
         "mov.u32 %s6, 1;\nmov.u32 %s7, 1;\n" +
         begins + "wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 {" + sums +
         "}, %rd6, %rd7, 1;\nwgmma.commit_group.sync.aligned;\n"
         "wgmma.wait_group.sync.aligned 0;\n"
         "shl.b32 %r2, %r1, 5;\ncvt.u64.u32 %rd2, %r2;\nadd.s64 %rd3, %rd1, %rd2;\n"
         "st.global.v4.u32 [%rd3+2560], {%s0, %s1, %s2, %s3};\n"
         "st.global.v4.u32 [%rd3+2576], {%s4, %s5, %s6, %s7};\nret;\n}\n";
}

constexpr const char* kPublishes = "fence.proxy.async.shared::cta;\n";
constexpr const char* kBegins = "wgmma.fence.sync.aligned;\n";

TEST(PtxDevice, FourWarpsMultiplyBytes) {
  const auto kernel = PtxKernel::parse(productOfFourWarps(kPublishes, kBegins));
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  alignas(16) std::array<int8_t, 2560 + 4096> bytes{};
  for (int i = 0; i < 2560; ++i) bytes[i] = static_cast<int8_t>(i * i * 7 + 3 * i - 128);
  const PtxRange range = {reinterpret_cast<std::byte*>(bytes.data()), bytes.size()};
  const Status status = kernel->run({1, 1, 1}, {{range}});
  ASSERT_TRUE(status.ok()) << status.message();
  for (int invocation = 0; invocation < 128; ++invocation) {
    for (int number = 0; number < 8; ++number) {
      const int lane = invocation % 32;
      const int row = invocation / 32 * 16 + lane / 4 + number % 4 / 2 * 8;
      const int column = number / 4 * 8 + lane % 4 * 2 + number % 2;
      uint32_t want = number == 0 ? 2147483647 : 1, got = 0;  // sums wrap
      for (int k = 0; k < 32; ++k) {
        want += static_cast<uint32_t>(bytes[32 * row + k] * bytes[2048 + 32 * column + k]);
      }
      std::memcpy(&got, &bytes[2560 + 32 * invocation + 4 * number], sizeof(got));
      EXPECT_EQ(got, want) << row << " " << column;
    }
  }
}

TEST(PtxDevice, FindsFencesThatProductsOfFourWarpsLack) {
  std::array<uint64_t, 832> words{};
  const PtxRange range = {reinterpret_cast<std::byte*>(words.data()), sizeof(words)};
  const auto problem = [&](const std::string& publishes, const std::string& begins) {
    const auto kernel = PtxKernel::parse(productOfFourWarps(publishes, begins));
    return kernel.ok() ? kernel->run({1, 1, 1}, {{range}}).message() : kernel.status().message();
  };
  EXPECT_EQ(problem(kPublishes, kBegins), "");
  EXPECT_THAT(problem("", kBegins), HasSubstr("fence.proxy.async has not published"));
  EXPECT_THAT(problem(kPublishes, ""), HasSubstr("without wgmma.fence"));
  EXPECT_THAT(problem(kPublishes, std::string(kBegins) + "mov.u64 %rd6, 0;\n"),
              HasSubstr("a descriptor that nobody knows"));
  EXPECT_THAT(problem(kPublishes, std::string(kBegins) + "setp.ge.u32 %p1, %r1, 96;\n@%p1 ret;\n"),
              HasSubstr("four warps that not all of them reach"));
}

TEST(PtxDevice, FindsInstructionsThatNotAllOfAWarpReach) {
  EXPECT_THAT(problemOf("mov.u64 %rd1, s;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%rd1];")
                  .message(),
              HasSubstr("not all its invocations reach"));
}

TEST(PtxDevice, FindsBarriersThatNotAllReach) {
  EXPECT_TRUE(problemOf("bar.sync 0;").ok());
  EXPECT_THAT(problemOf("setp.lt.u32 %p1, %tid.x, 2;\n@%p1 bra END;\nbar.sync 0;\nEND:").message(),
              HasSubstr("not all invocations reach"));
}

}  // namespace
}  // namespace vta::driver::test
