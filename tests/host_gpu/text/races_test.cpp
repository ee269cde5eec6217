// Kernels whose invocations wait for each other, in oclgrind, which names data races.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <span>
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
  GpuChoice choice{};
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
    // After so many races of a process, 1000 by default, it says nothing of any others.
    ::setenv("OCLGRIND_MAX_ERRORS", "1000000000", 1);
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

/// Takes out barrier `number` of kernel `kernel`; false: it has not so many.
bool removeBarrier(GpuProgram& program, size_t kernel, size_t number) {
  for (GpuCode& code : program.kernels[kernel].codes) {
    if (code.form != GpuCodeForm::kOpenClC) continue;
    std::string text = code.text();
    size_t at = text.find(kBarrier);
    for (size_t i = 0; i < number && at != std::string::npos; ++i) {
      at = text.find(kBarrier, at + 1);
    }
    if (at == std::string::npos) return false;
    text.erase(at, std::string_view(kBarrier).size());
    const auto bytes = std::as_bytes(std::span(text));
    code.code.assign(bytes.begin(), bytes.end());
    return true;
  }
  return false;
}

TEST_P(RacesTest, NoBarrierIsMissingAndEachIsNeeded) {
  const RaceCase& test = GetParam();
  const auto want = compileAndRun(test.text, test.inputs);
  ASSERT_TRUE(want.ok()) << want.status().message();
  const auto made = compileForGpu(test.text, test.choice);
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_THAT(reportOf(*made, test.inputs, *want), IsEmpty());
  size_t barriers = 0;
  for (size_t kernel = 0; kernel < made->program.kernels.size(); ++kernel) {
    for (size_t number = 0;; ++number) {
      GpuText racing = *made;
      if (!removeBarrier(racing.program, kernel, number)) break;
      EXPECT_THAT(reportOf(racing, test.inputs, {}), HasSubstr("data race"))
          << "barrier " << number << " of kernel " << kernel;
      ++barriers;
    }
  }
  EXPECT_GT(barriers, 0U);
}

RaceCase caseOf(const char* name, const std::vector<std::string>& types, DType dtype,
                const std::vector<std::vector<int64_t>>& shapes, const std::string& result,
                const std::string& op, const GpuChoice& choice = {}) {
  RaceCase made{name, {}, "func.func @f(", choice};
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

RaceCase matmulOf(const char* name, DType dtype, const GpuChoice& choice = {}) {
  const std::string element = dtype == DType::kF32 ? "f32" : "i8";
  const std::string sum = dtype == DType::kF32 ? "f32" : "i32";
  return caseOf(name, {"tensor<9x70x" + element + ">", "tensor<70x12x" + element + ">"}, dtype,
                {{9, 70}, {70, 12}}, "tensor<9x12x" + sum + ">", "matmul %a, %b", choice);
}

/// The depth takes more than one step of a block, of each part of it.
std::vector<RaceCase> raceCases() {
  const GemmSchedule words{.block_depth = 32, .tier = GemmTier::kDot4};
  GemmSchedule stages = words;
  stages.stages = 2;
  return {
      matmulOf("Matmul", DType::kF32),
      matmulOf("MatmulInStages", DType::kF32, {.schedule = GemmSchedule{.stages = 2, .vector = 2}}),
      matmulOf("MatmulInParts", DType::kF32, {.schedule = GemmSchedule{.split_depth = 2}}),
      matmulOf("MatmulInPartsOfTheGrid", DType::kF32, {.schedule = GemmSchedule{.split_grid = 2}}),
      matmulOf("MatmulOfBytes", DType::kI8),
      matmulOf("MatmulOfWords", DType::kI8, {.schedule = words}),
      matmulOf("MatmulOfWordsInStages", DType::kI8, {.schedule = stages}),
      caseOf("Conv", {"tensor<1x5x6x7xi8>", "tensor<9x5x3x3xi8>"}, DType::kI8,
             {{1, 5, 6, 7}, {9, 5, 3, 3}}, "tensor<1x9x4x5xi32>",
             "conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, "
             "dilations = array<i64: 1, 1>}"),
      caseOf("Rows", {"tensor<3x2000xf32>"}, DType::kF32, {{3, 2000}}, "tensor<3x2000xf32>",
             "softmax %a {axis = 1 : i64}")};
}

INSTANTIATE_TEST_SUITE_P(All, RacesTest, ::testing::ValuesIn(raceCases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vta::codegen::testing
