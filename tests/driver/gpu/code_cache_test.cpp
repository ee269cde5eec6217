#include "driver/gpu/code_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace vta::driver {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::chrono::milliseconds kShort{5};

class CodeCacheTest : public ::testing::Test {
 protected:
  static std::vector<std::byte> bytes(size_t count, int value = 7) {
    return std::vector<std::byte>(count, static_cast<std::byte>(value));
  }
  static GpuDeviceInfo gpu() {
    GpuDeviceInfo info;
    info.interface = "cuda";
    info.name = "Some GPU";
    info.driver = "12.4";
    info.target = "sm_80";
    return info;
  }
  GpuCodeCache cacheOf(const GpuDeviceInfo& info, std::string_view recipe = "") const {
    return GpuCodeCache(info, recipe, folder());
  }
  GpuCodeCache cache() const { return cacheOf(gpu()); }
  fs::path folder() const { return temporary_.path() / "gpu-code"; }
  fs::path onlyFile() const { return *fs::directory_iterator(folder()); }

  TemporaryFolder temporary_ = *TemporaryFolder::create("vta-test");
  std::vector<std::byte> code_ = bytes(100);
};

TEST_F(CodeCacheTest, WhatWasMadeIsFoundByTheNextProgram) {
  GpuCodeCache first = cache();
  EXPECT_FALSE(first.find(code_).has_value());
  first.add(code_, bytes(20, 1), kShort);
  EXPECT_THAT(first.takeNotes(), IsEmpty());
  EXPECT_EQ(cache().find(code_), bytes(20, 1));
}

TEST_F(CodeCacheTest, OtherGpusDriversRecipesAndCodesHaveTheirOwn) {
  cache().add(code_, bytes(20, 1), kShort);
  GpuDeviceInfo other = gpu();
  other.driver = "12.5";
  EXPECT_FALSE(cacheOf(other).find(code_).has_value());
  other = gpu();
  other.name = "Another GPU";
  EXPECT_FALSE(cacheOf(other).find(code_).has_value());
  other = gpu();
  other.target = "sm_90";
  EXPECT_FALSE(cacheOf(other).find(code_).has_value());
  EXPECT_FALSE(cacheOf(gpu(), "-O1").find(code_).has_value());
  EXPECT_FALSE(cache().find(bytes(100, 8)).has_value());
  EXPECT_FALSE(cache().find(bytes(99)).has_value());
}

TEST_F(CodeCacheTest, DamageIsToldOnceAndMadeAgain) {
  cache().add(code_, bytes(20, 1), kShort);
  fs::resize_file(onlyFile(), fs::file_size(onlyFile()) - 1);
  GpuCodeCache again = cache();
  EXPECT_FALSE(again.find(code_).has_value());
  EXPECT_FALSE(again.find(code_).has_value());
  EXPECT_THAT(again.takeNotes(),
              ElementsAre(AllOf(HasSubstr("made again"), HasSubstr("is damaged"))));
  EXPECT_THAT(again.takeNotes(), IsEmpty());
  again.add(code_, bytes(20, 1), kShort);
  EXPECT_EQ(cache().find(code_), bytes(20, 1));
}

TEST_F(CodeCacheTest, AFolderThatCannotBeUsedIsToldOnce) {
  std::ofstream(folder()) << "a file";
  GpuCodeCache unusable = cache();
  EXPECT_FALSE(unusable.find(code_).has_value());
  unusable.add(code_, bytes(20), kShort);
  unusable.add(bytes(5), bytes(20), kShort);
  const std::vector<std::string> notes = unusable.takeNotes();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(notes[1], AllOf(HasSubstr("'Some GPU' are not kept"), HasSubstr("gpu-code")));
}

TEST_F(CodeCacheTest, WhatOthersCanWriteIsNotRun) {
  cache().add(code_, bytes(20), kShort);
  fs::permissions(onlyFile(), fs::perms::others_write, fs::perm_options::add);
  GpuCodeCache again = cache();
  EXPECT_FALSE(again.find(code_).has_value());
  EXPECT_THAT(again.takeNotes(), ElementsAre(HasSubstr("chmod go-w")));
}

TEST_F(CodeCacheTest, WhatTheDriverRefusesIsTold) {
  GpuCodeCache refused = cache();
  refused.refuse(ioError("no kernel image"));
  refused.refuse(ioError("no kernel image"));
  EXPECT_THAT(refused.takeNotes(),
              ElementsAre(AllOf(HasSubstr("does not take"), HasSubstr("no kernel image"))));
}

TEST_F(CodeCacheTest, ADriverThatTakesSecondsIsTold) {
  GpuCodeCache slow = cache();
  slow.add(code_, bytes(20), std::chrono::milliseconds(1500));
  slow.add(bytes(5), bytes(20), std::chrono::milliseconds(1500));
  EXPECT_THAT(slow.takeNotes(),
              ElementsAre(AllOf(HasSubstr("took 3.0 seconds to compile 2 kernels"),
                                HasSubstr("less the next time"), HasSubstr(folder().string()))));
  EXPECT_THAT(slow.takeNotes(), IsEmpty());
  // Of a driver that gives nothing away.
  slow.add(code_, {}, std::chrono::seconds(4));
  EXPECT_THAT(slow.takeNotes(),
              ElementsAre(AllOf(HasSubstr("compile 1 kernel;"), HasSubstr("as long the next"))));
}

TEST_F(CodeCacheTest, WithoutAFolderNothingIsKeptAndNothingToldOfIt) {
  GpuCodeCache none(gpu(), "", "");
  none.add(code_, bytes(20), kShort);
  EXPECT_FALSE(none.find(code_).has_value());
  EXPECT_THAT(none.takeNotes(), IsEmpty());
  none.add(code_, bytes(20), std::chrono::seconds(4));
  EXPECT_THAT(none.takeNotes(), ElementsAre(HasSubstr("as long the next time")));
}

TEST_F(CodeCacheTest, ItStaysBelowItsSize) {
  GpuCodeCache small(gpu(), "", folder(), 3000);
  for (int i = 0; i < 8; ++i) small.add(bytes(100, i), bytes(900), kShort);
  uint64_t total = 0;
  for (const auto& file : fs::directory_iterator(folder())) total += file.file_size();
  EXPECT_LE(total, 3000U);
  EXPECT_THAT(small.takeNotes(), IsEmpty());
}

}  // namespace
}  // namespace vta::driver
