#include "driver/run_program.h"

#include <gmock/gmock.h>

#include "driver/device_registry.h"
#include "tests/isa/program/sample_program.h"

namespace vta::driver {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kCount = 4;

class RunProgramTest : public ::testing::Test {
 protected:
  RunProgramTest() : device_(createDevice("functional", hw_).value()) {
    for (const BufferDecl& decl : program_.buffers) {
      buffers_.emplace_back(decl.kind == BufferKind::kUop ? 0 : decl.size_bytes);
    }
  }

  HwConfig hw_ = HwConfig::makeDefault();
  Program program_ = vta::test::gemmProgram(hw_, kCount);
  std::unique_ptr<Device> device_;
  std::vector<std::vector<uint8_t>> buffers_;
};

TEST_F(RunProgramTest, FillsAndReadsBuffers) {
  buffers_[1].assign(buffers_[1].size(), 1);
  buffers_[2].assign(buffers_[2].size(), 3);
  const Result<LaunchResult> result = runProgram(*device_, program_, buffers_);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->counters.gemm_uops, 2 * kCount);
  EXPECT_EQ(buffers_[3], std::vector<uint8_t>(kCount * 16, 16 * 3 >> 4));
}

TEST_F(RunProgramTest, RefusesOtherSizes) {
  buffers_[1].push_back(0);
  EXPECT_THAT(runProgram(*device_, program_, buffers_).status().message(),
              HasSubstr("65 bytes for buffer"));
  buffers_.pop_back();
  EXPECT_THAT(runProgram(*device_, program_, buffers_).status().message(),
              HasSubstr("3 buffers for a program that has 4"));
}

}  // namespace
}  // namespace vta::driver
