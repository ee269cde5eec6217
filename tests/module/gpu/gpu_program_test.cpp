// GPU programs: what is written is read, and everything else is refused with the name of what is
// wrong.
#include "module/gpu/gpu_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "module/executor_kinds.h"

namespace vta {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Source = GpuBinding::Source;

std::vector<std::byte> bytesOf(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// A header, the entry point "main" of a compute shader, and a buffer with a binding in a set.
std::vector<std::byte> spirv(uint32_t binding = 2, uint32_t set = 0) {
  const std::vector<uint32_t> words = {
      0x07230203,
      0x00010300,
      0,
      8,
      0,  // the header
      5U << 16 | 15,
      5,
      1,
      0x6e69616d,
      0,  // OpEntryPoint GLCompute %1 "main"
      4U << 16 | 71,
      2,
      33,
      binding,
      4U << 16 | 71,
      2,
      34,
      set  // OpDecorate %2 ...
  };
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

/// Two kernels with a code of each form, and a dispatch of each. One code has a grid of its own.
GpuProgram makeProgram() {
  GpuProgram program;
  program.argument_bytes = {1000, 5000};
  program.scratch_bytes = 2048;
  program.constants = bytesOf("a table of 21 bytes..");
  program.kernels = {
      {.name = "first",
       .workgroup_size = {64, 2, 1},
       .shared_bytes = 512,
       .bindings = {GpuAccess::kRead, GpuAccess::kRead, GpuAccess::kWrite},
       .codes =
           {{GpuCodeForm::kSpirv, "main", "", {GpuFeature::kInt8, GpuFeature::kStorage8}, spirv()},
            {GpuCodeForm::kOpenClC, "first", "", {}, bytesOf("kernel void first() {}")},
            {GpuCodeForm::kPtx,
             "first",
             "sm_90a",
             {},
             bytesOf(".version 7.0"),
             GpuLaunch{{128, 1, 1}, {2, 1, 3}, 4096}}}},
      {.name = "second",
       .bindings = {GpuAccess::kReadWrite},
       .codes = {{GpuCodeForm::kPtx, "second", "sm_80", {}, bytesOf(".version 7.0")}}}};
  program.dispatches = {{0,
                         {3, 2, 1},
                         {{Source::kArgument, 0, 512, 496},
                          {Source::kConstants, 0, 0, 32},
                          {Source::kScratch, 0, 1024, 1024}}},
                        {1, {1, 1, 7}, {{Source::kArgument, 1, 0, 5000}}}};
  return program;
}

TEST(GpuProgram, IsReadAsItWasWritten) {
  for (const GpuProgram& program : {makeProgram(), GpuProgram()}) {
    const auto bytes = serializeGpuProgram(program);
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    const auto read = parseGpuProgram(*bytes);
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_TRUE(*read == program);
  }
}

TEST(GpuProgram, CodesMayHaveTheirOwnGrid) {
  const GpuProgram program = makeProgram();
  const std::vector<GpuCode>& codes = program.kernels.front().codes;
  const GpuLaunch usual = launchOf(program, program.dispatches.front(), codes[0]);
  EXPECT_TRUE((usual == GpuLaunch{{64, 2, 1}, {3, 2, 1}, 512}));
  const GpuLaunch own = launchOf(program, program.dispatches.front(), codes[2]);
  EXPECT_TRUE((own == GpuLaunch{{128, 1, 1}, {2, 1, 3}, 4096}));
}

// A file in the format of this version.
TEST(GpuProgram, TheFuzzersSeedIsThisProgram) {
  std::ifstream file(VTA_SOURCE_DIR "/tests/fuzz/corpus/gpu_program/two_kernels", std::ios::binary);
  const std::string seed((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(*serializeGpuProgram(makeProgram()), bytesOf(seed));
}

TEST(GpuProgram, EveryCutIsRefused) {
  const auto bytes = *serializeGpuProgram(makeProgram());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parseGpuProgram(std::span(bytes).first(size)).ok()) << size;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back({});
  EXPECT_THAT(parseGpuProgram(longer).status().message(), HasSubstr("longer than its contents"));
}

TEST(GpuProgram, OtherFilesAndFormatsAreRefused) {
  EXPECT_THAT(parseGpuProgram(bytesOf("VTAPROG\0...")).status().message(),
              HasSubstr("not a GPU program"));
  auto bytes = *serializeGpuProgram(makeProgram());
  bytes[8] = std::byte{9};
  EXPECT_THAT(parseGpuProgram(bytes).status().message(),
              AllOf(HasSubstr("format 9"), HasSubstr("compile the model again")));
}

struct Mistake {
  const char* message;
  std::function<void(GpuProgram&)> make;
};

class GpuProgramMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(GpuProgramMistake, IsNamed) {
  GpuProgram program = makeProgram();
  GetParam().make(program);
  const Status status = checkGpuProgram(program);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
  EXPECT_FALSE(serializeGpuProgram(program).ok());
}

const Mistake kKernelMistakes[] = {
    {"kernel 1 'second' has no code", [](GpuProgram& p) { p.kernels[1].codes.clear(); }},
    {"has a name that is too long", [](GpuProgram& p) { p.kernels[0].name.assign(257, 'x'); }},
    {"workgroups of 0 x 1 x 1",
     [](GpuProgram& p) {
       p.kernels[1].workgroup_size = {0, 1, 1};
     }},
    {"workgroups of 4294967295 x 4294967295",
     [](GpuProgram& p) {
       p.kernels[1].workgroup_size = {~0U, ~0U, 1};
     }},
    {"65 bindings; at most 64", [](GpuProgram& p) { p.kernels[0].bindings.resize(65); }},
    {"SPIR-V of kernel 0 'first' is not a SPIR-V module",
     [](GpuProgram& p) { p.kernels[0].codes[0].code[0] = {}; }},
    {"not a SPIR-V module", [](GpuProgram& p) { p.kernels[0].codes[0].code.resize(22); }},
    {"not a SPIR-V module", [](GpuProgram& p) { p.kernels[0].codes[0].code.resize(16); }},
    {"not a SPIR-V module", [](GpuProgram& p) { p.kernels[0].codes[0].code.resize(68); }},
    {"not a SPIR-V module", [](GpuProgram& p) { p.kernels[0].codes[0].code[22] = {}; }},
    {"has no compute shader 'mai'",
     [](GpuProgram& p) { p.kernels[0].codes[0].entry_point = "mai"; }},
    {"has no compute shader 'mainly'",
     [](GpuProgram& p) { p.kernels[0].codes[0].entry_point = "mainly"; }},
    {"has no compute shader 'main'", [](GpuProgram& p) { p.kernels[0].codes[0].code.resize(20); }},
    {"has a buffer with binding 3, of 3",
     [](GpuProgram& p) { p.kernels[0].codes[0].code = spirv(3); }},
    {"has a buffer in descriptor set 1; only 0 is there",
     [](GpuProgram& p) { p.kernels[0].codes[0].code = spirv(0, 1); }},
    {"OpenCL C of kernel 0 'first' is not a text",
     [](GpuProgram& p) { p.kernels[0].codes[1].code[3] = {}; }},
    {"PTX of kernel 1 'second' is not a text",
     [](GpuProgram& p) { p.kernels[1].codes[0].code.clear(); }},
    {"no proper entry point", [](GpuProgram& p) { p.kernels[0].codes[0].entry_point = "a b"; }},
    {"no proper entry point", [](GpuProgram& p) { p.kernels[0].codes[0].entry_point = "1a"; }},
    {"no proper entry point", [](GpuProgram& p) { p.kernels[0].codes[0].entry_point = ""; }},
    {"unknown target 'sm_8'", [](GpuProgram& p) { p.kernels[1].codes[0].target = "sm_8"; }},
    {"unknown target ''", [](GpuProgram& p) { p.kernels[1].codes[0].target = ""; }},
    {"unknown target 'sm_90b'", [](GpuProgram& p) { p.kernels[1].codes[0].target = "sm_90b"; }},
    {"unknown target 'sm_80'", [](GpuProgram& p) { p.kernels[0].codes[0].target = "sm_80"; }},
    {"features that this version does not know",
     [](GpuProgram& p) {
       p.kernels[0].codes[0].features = GpuFeatures::fromBits(1U << kGpuFeatureCount);
     }},
};
INSTANTIATE_TEST_SUITE_P(Kernels, GpuProgramMistake, ::testing::ValuesIn(kKernelMistakes));

const Mistake kDispatchMistakes[] = {
    {"dispatch 1 names kernel 2 of 2", [](GpuProgram& p) { p.dispatches[1].kernel = 2; }},
    {"dispatch 0 has 3 x 0 x 1 workgroups",
     [](GpuProgram& p) { p.dispatches[0].workgroups[1] = 0; }},
    {"PTX of kernel 0 'first' has workgroups of 0 x 1 x 1 invocations",
     [](GpuProgram& p) { p.kernels[0].codes[2].launch->workgroup_size[0] = 0; }},
    {"PTX of kernel 0 'first' has 2 x 0 x 3 workgroups",
     [](GpuProgram& p) { p.kernels[0].codes[2].launch->workgroups[1] = 0; }},
    {"2147483648 workgroups", [](GpuProgram& p) { p.dispatches[0].workgroups[2] = 1U << 31; }},
    {"dispatch 1 has 0 bindings, its kernel 'second' has 1",
     [](GpuProgram& p) { p.dispatches[1].bindings.clear(); }},
    {"binding 0 of dispatch 1 names argument 2 of 2",
     [](GpuProgram& p) { p.dispatches[1].bindings[0].argument = 2; }},
    {"names argument 1 of 0", [](GpuProgram& p) { p.dispatches[0].bindings[2].argument = 1; }},
    {"is bytes 512 to 1009 of 1000",
     [](GpuProgram& p) { p.dispatches[0].bindings[0].size_bytes = 497; }},
    {"is bytes 512 to 512 of 1000",
     [](GpuProgram& p) { p.dispatches[0].bindings[0].size_bytes = 0; }},
    {"binding 1 of dispatch 0 is bytes 512",
     [](GpuProgram& p) { p.dispatches[0].bindings[1].offset_bytes = 512; }},
    {"binding 2 of dispatch 0 is bytes",
     [](GpuProgram& p) { p.dispatches[0].bindings[2].size_bytes = ~uint64_t{0}; }},
    {"begins at byte 256, which is no multiple of 512",
     [](GpuProgram& p) { p.dispatches[0].bindings[0].offset_bytes = 256; }},
    {"binding 2 of dispatch 0 writes constants",
     [](GpuProgram& p) {
       p.dispatches[0].bindings[2] = {Source::kConstants, 0, 0, 16};
     }},
    {"binding 2 of dispatch 0 overlaps binding 0, and one is written",
     [](GpuProgram& p) {
       p.dispatches[0].bindings[2] = {Source::kArgument, 0, 0, 600};
     }},
    {"impossibly large", [](GpuProgram& p) { p.scratch_bytes = ~uint64_t{0}; }},
    {"impossibly large", [](GpuProgram& p) { p.argument_bytes[1] = ~uint64_t{0}; }},
};
INSTANTIATE_TEST_SUITE_P(Dispatches, GpuProgramMistake, ::testing::ValuesIn(kDispatchMistakes));

TEST(GpuProgram, TwoViewsOfOneRangeMayBeWritten) {
  GpuProgram program = makeProgram();
  program.kernels[1].bindings = {GpuAccess::kReadWrite, GpuAccess::kReadWrite};
  program.dispatches[1].bindings.push_back(program.dispatches[1].bindings[0]);
  EXPECT_TRUE(checkGpuProgram(program).ok());
}

TEST(GpuFeatures, AreSetsWithNames) {
  constexpr GpuFeatures kAll = GpuFeatures::fromBits((1U << kGpuFeatureCount) - 1);
  EXPECT_EQ(kAll.names(),
            "int8, int16, int64, float16, float64, storage8, storage16, integer_dot_product, "
            "subgroup_arithmetic");
  constexpr GpuFeatures kNeeded = {GpuFeature::kInt8, GpuFeature::kFloat16};
  EXPECT_EQ(kNeeded.without({GpuFeature::kInt8}).names(), "float16");
  EXPECT_TRUE(kNeeded.without(kAll).empty());
  EXPECT_EQ(gpuFeatureName(GpuFeature::kStorage16), "storage16");
}

TEST(GpuExecutor, HasAKindAndAMemory) {
  ModuleInfo info;
  addExecutor(info, cpuExecutor(), hostMemory());
  EXPECT_EQ(addExecutor(info, gpuExecutor(), gpuMemory()), 1u);
  EXPECT_EQ(info.executors[1].kind, kGpuKind);
  // Its machine uses copies of the CPU's tensors, too.
  for (const SpaceInfo& space : info.spaces) EXPECT_EQ(space.alignment_bytes, kGpuAlignmentBytes);
}

}  // namespace
}  // namespace vta
