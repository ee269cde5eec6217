// Kernels whose invocations wait for each other, in oclgrind, which names data races.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "driver/gpu/gpu_registry.h"
#include "tests/host_cpu/host_test_support.h"
#include "tests/host_gpu/gpu_test_support.h"

namespace vta::codegen::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kOclgrind = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";
constexpr const char* kBarrier = "barrier(CLK_LOCAL_MEM_FENCE);";

struct RaceCase {
  const char* name;
  std::vector<Tensor> inputs;
  std::string text;
};

void PrintTo(const RaceCase& test, std::ostream* stream) { *stream << test.name; }

/// oclgrind in place of all drivers of OpenCL, for this process, and what it reports.
class RacesTest : public ::testing::TestWithParam<RaceCase> {
 protected:
  static void SetUpTestSuite() {
    auto made = TemporaryFolder::create("vta-races-");
    ASSERT_TRUE(made.ok()) << made.status().message();
    folder_.emplace(*std::move(made));
    const fs::path vendors = folder_->path() / "oclgrind.icd";
    std::ofstream(vendors) << kOclgrind << "\n";
    ::setenv("OCL_ICD_VENDORS", vendors.c_str(), 1);
    ::setenv("OCLGRIND_DATA_RACES", "1", 1);
    ::setenv("OCLGRIND_LOG", log().c_str(), 1);
    ::setenv("VTA_CACHE_DIR", folder_->path().c_str(), 1);
    if (auto opened = driver::openGpu("oclgrind"); opened.ok()) device_ = *std::move(opened);
  }
  static void TearDownTestSuite() {
    device_.reset();
    folder_.reset();
  }
  void SetUp() override {
    if (!fs::exists(kOclgrind)) GTEST_SKIP() << "no oclgrind: `scripts/setup gpu` installs it";
    ASSERT_NE(device_, nullptr);
  }

  static fs::path log() { return folder_->path() / "log"; }

  /// What oclgrind says of a run whose results are those of `want`, if there are any.
  static std::string reportOf(const GpuText& text, const std::vector<Tensor>& inputs,
                              const std::vector<Tensor>& want) {
    const auto known_bytes =
        static_cast<std::streamoff>(fs::exists(log()) ? fs::file_size(log()) : 0);
    const auto got = runOnGpu(*device_, text, inputs);
    EXPECT_TRUE(got.ok()) << got.status().message();
    for (size_t i = 0; got.ok() && i < want.size(); ++i) expectSame(want[i], (*got)[i]);
    std::ifstream file(log());
    file.seekg(known_bytes);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static inline std::optional<TemporaryFolder> folder_;
  static inline std::unique_ptr<driver::GpuDevice> device_;
};

/// Takes out barrier `number` of each kernel; false: no kernel has so many.
bool removeBarrier(GpuProgram& program, size_t number) {
  bool is_there = false;
  for (GpuKernel& kernel : program.kernels) {
    for (GpuCode& code : kernel.codes) {
      if (code.form != GpuCodeForm::kOpenClC) continue;
      std::string text = code.text();
      size_t at = text.find(kBarrier);
      for (size_t i = 0; i < number && at != std::string::npos; ++i) {
        at = text.find(kBarrier, at + 1);
      }
      if (at == std::string::npos) continue;
      is_there = true;
      text.erase(at, std::string_view(kBarrier).size());
      const auto bytes = std::as_bytes(std::span(text));
      code.code.assign(bytes.begin(), bytes.end());
    }
  }
  return is_there;
}

TEST_P(RacesTest, NoBarrierIsMissingAndTheFirstIsNeeded) {
  const RaceCase& test = GetParam();
  const auto want = compileAndRun(test.text, test.inputs);
  ASSERT_TRUE(want.ok()) << want.status().message();
  const auto made = compileForGpu(test.text);
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_THAT(reportOf(*made, test.inputs, *want), IsEmpty());
  // In kernels of words of bytes oclgrind names no race.
  if (test.inputs.front().dtype != DType::kF32) return;
  GpuText racing = *made;
  ASSERT_TRUE(removeBarrier(racing.program, 0));
  EXPECT_THAT(reportOf(racing, test.inputs, {}), HasSubstr("data race"));
}

RaceCase caseOf(const char* name, const std::vector<std::string>& types, DType dtype,
                const std::vector<std::vector<int64_t>>& shapes, const std::string& result,
                const std::string& op) {
  RaceCase made{name, {}, "func.func @f("};
  std::string operand_types;
  for (size_t i = 0; i < types.size(); ++i) {
    made.inputs.push_back(randomTensor(dtype, shapes[i], static_cast<unsigned>(i + 1), -100, 100));
    made.text +=
        (i > 0 ? ", %" : "%") + std::string(1, static_cast<char>('a' + i)) + ": " + types[i];
    operand_types += (i > 0 ? ", " : "") + types[i];
  }
  made.text += ") -> " + result + " {\n%y = graph." + op + " : (" + operand_types + ") -> " +
               result + "\nreturn %y : " + result + "\n}\n";
  return made;
}

/// The depth takes more than one step of a block.
std::vector<RaceCase> raceCases() {
  return {caseOf("Matmul", {"tensor<9x37xf32>", "tensor<37x12xf32>"}, DType::kF32,
                 {{9, 37}, {37, 12}}, "tensor<9x12xf32>", "matmul %a, %b"),
          caseOf("MatmulOfBytes", {"tensor<9x70xi8>", "tensor<70x12xi8>"}, DType::kI8,
                 {{9, 70}, {70, 12}}, "tensor<9x12xi32>", "matmul %a, %b"),
          caseOf("Conv", {"tensor<1x5x6x7xi8>", "tensor<9x5x3x3xi8>"}, DType::kI8,
                 {{1, 5, 6, 7}, {9, 5, 3, 3}}, "tensor<1x9x4x5xi32>",
                 "conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, "
                 "dilations = array<i64: 1, 1>}")};
}

INSTANTIATE_TEST_SUITE_P(All, RacesTest, ::testing::ValuesIn(raceCases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vta::codegen::testing
