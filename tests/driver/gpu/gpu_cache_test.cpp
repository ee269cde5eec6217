// What drivers have compiled is kept between devices that are opened, by every interface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "base/files.h"
#include "base/folders/sealed_file.h"
#include "base/temporary_folder.h"
#include "driver/gpu/program_fit.h"
#include "tests/driver/gpu/test_gpus.h"
#include "tests/driver/gpu/test_kernels.h"

namespace vta::driver::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Source = GpuBinding::Source;

constexpr uint32_t kCount = 70;
constexpr uint64_t kBytes = kCount * sizeof(uint32_t);

class GpuCache : public ::testing::TestWithParam<TestGpu> {
 protected:
  void SetUp() override {
    if (!GetParam().isThere()) GTEST_SKIP() << "no " << GetParam().name;
    if (!hasAssembler()) GTEST_SKIP() << "no spirv-as";
  }

  static GpuProgram doubling() {
    return {.argument_bytes = {kBytes, kBytes},
            .kernels = {addKernel(kCount, 64)},
            .dispatches = {{0,
                            workgroupsFor(kCount, 64),
                            {{Source::kArgument, 0, 0, kBytes},
                             {Source::kArgument, 0, 0, kBytes},
                             {Source::kArgument, 1, 0, kBytes}}}}};
  }

  /// Opens the GPU, lets it add, and gives its notes. The results are right.
  static std::vector<std::string> use() {
    auto device = GetParam().open();
    EXPECT_TRUE(device.ok()) << device.status().message();
    if (!device.ok()) return {};
    std::vector<uint32_t> numbers(kCount), results(kCount);
    std::iota(numbers.begin(), numbers.end(), 5);
    const uint64_t in = (*device)->allocate(512, 512)->address;
    const uint64_t out = (*device)->allocate(512, 512)->address;
    EXPECT_TRUE((*device)->write(in, std::as_bytes(std::span(numbers))).ok());
    const auto loaded = (*device)->load(doubling(), std::vector<uint64_t>{in, out}, GpuTimes::kOff);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    if (!loaded.ok()) return {};
    EXPECT_TRUE((*loaded)->run(std::chrono::seconds(60)).ok());
    EXPECT_TRUE((*device)->read(out, std::as_writable_bytes(std::span(results))).ok());
    for (uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(results[i], 2 * (i + 5));
    std::vector<std::string> notes = (*device)->takeNotes();
    // How long a compiler takes is not the matter here.
    std::erase_if(notes, [](const std::string& note) {
      return note.find("seconds to compile") != std::string::npos;
    });
    return notes;
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& file : fs::directory_iterator(folder(), error)) found.push_back(file.path());
    return found;
  }
  fs::path folder() const { return temporary_.path() / "gpu-code"; }

  TemporaryFolder temporary_ = *TemporaryFolder::create("vta-test");
  ScopedVariable cache_{"VTA_CACHE_DIR", temporary_.path().string()};
};

TEST_P(GpuCache, ASecondDeviceTakesWhatIsKept) {
  EXPECT_THAT(use(), IsEmpty());
  const size_t kept = files().size();
  EXPECT_EQ(kept, GetParam().givesCode() ? 1U : 0U);
  EXPECT_THAT(use(), IsEmpty());
  EXPECT_EQ(files().size(), kept);
}

TEST_P(GpuCache, DamageIsMadeAgainWithANote) {
  if (!GetParam().givesCode()) GTEST_SKIP() << "its driver gives nothing away";
  EXPECT_THAT(use(), IsEmpty());
  fs::resize_file(files().front(), fs::file_size(files().front()) / 2);
  EXPECT_THAT(use(), Contains(HasSubstr("is damaged")));
  EXPECT_THAT(use(), IsEmpty());
}

TEST_P(GpuCache, WhatTheDriverDoesNotTakeIsMadeAgainWithANote) {
  if (!GetParam().givesCode()) GTEST_SKIP() << "its driver gives nothing away";
  EXPECT_THAT(use(), IsEmpty());
  // The same key in front of other bytes.
  const auto device = GetParam().open();
  ASSERT_TRUE(device.ok());
  const GpuProgram program = doubling();
  const std::vector<std::byte> code = (*chooseCodes(program, (*device)->info())).front()->code;
  const std::vector<std::byte> file = *readFile(files().front());
  const auto at = std::ranges::search(file, code);
  ASSERT_FALSE(at.empty());
  std::vector<std::byte> other(file.begin(), at.end());
  other.insert(other.end(), 500, std::byte{1});
  const std::vector<std::byte> bytes = sealed(other);
  std::ofstream(files().front(), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  EXPECT_THAT(use(), Contains(HasSubstr("its driver does not take")));
  EXPECT_THAT(use(), IsEmpty());
}

TEST_P(GpuCache, AFolderThatCannotBeUsedCostsNothingButTime) {
  std::ofstream(folder()) << "a file";
  const std::vector<std::string> notes = use();
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("made again"), HasSubstr("gpu-code"))));
}

INSTANTIATE_TEST_SUITE_P(All, GpuCache, ::testing::ValuesIn(testGpus()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vta::driver::test
