#include "driver/runtime/loaded_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "tests/driver/runtime/test_module.h"

namespace vta::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class LoadedModuleFile : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::path(::testing::TempDir()) /
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(path_);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  void write(std::span<const std::byte> bytes) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  std::string messageOfLoad() { return LoadedModule::load(path_).status().message(); }

  std::filesystem::path path_;
};

TEST_F(LoadedModuleFile, LoadsFromFileAndFromMemory) {
  const std::vector<std::byte> elf = makeTestModule();
  write(elf);
  const auto from_file = LoadedModule::load(path_);
  ASSERT_TRUE(from_file.ok()) << from_file.status().message();
  const auto from_memory = LoadedModule::fromMemory(elf);
  ASSERT_TRUE(from_memory.ok()) << from_memory.status().message();
  EXPECT_EQ((*from_file)->info().layers.size(), 4u);
  EXPECT_EQ((*from_file)->hw()->name(), "default");
  EXPECT_TRUE(std::ranges::equal((*from_file)->constants(), (*from_memory)->constants()));
  EXPECT_NE((*from_file)->function("test_pack"), nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*from_file)->constants().data()) % 64, 0u);
}

TEST_F(LoadedModuleFile, ModulesFromMemoryAreKeptApart) {
  const auto first = LoadedModule::fromMemory(makeTestModule({.num_kernels = 0}));
  const auto second = LoadedModule::fromMemory(makeTestModule({.num_kernels = 2}));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE((*first)->function("test_pack"), (*second)->function("test_pack"));
  EXPECT_NE((*first)->constants().data(), (*second)->constants().data());
}

TEST_F(LoadedModuleFile, RefusesWhatIsNoModule) {
  EXPECT_THAT(messageOfLoad(), AllOf(HasSubstr(path_.string()), HasSubstr("No such file")));
  write({});
  EXPECT_THAT(messageOfLoad(), HasSubstr("is empty"));
  const std::vector<std::byte> text(300, std::byte{'a'});
  write(text);
  EXPECT_THAT(messageOfLoad(), HasSubstr("no ELF file"));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_THAT(messageOfLoad(), HasSubstr("not a file"));
  EXPECT_THAT(LoadedModule::load("/proc/self/exe").status().message(),
              HasSubstr("not made by vta-compile"));
}

TEST_F(LoadedModuleFile, RefusesTruncationWithoutCrashing) {
  const std::vector<std::byte> elf = makeTestModule();
  for (size_t size = 1; size < elf.size(); size += 1 + elf.size() / 23) {
    write(std::span(elf).first(size));
    EXPECT_FALSE(LoadedModule::load(path_).ok()) << size;
  }
}

TEST_F(LoadedModuleFile, RefusesOtherMachinesAndNamesBoth) {
  write(makeTestModule(
      {.target_triple = "armv7-unknown-linux-gnueabihf", .without_host_code = true}));
  EXPECT_THAT(messageOfLoad(), AllOf(HasSubstr("built for arm"), HasSubstr("this machine is")));
}

TEST_F(LoadedModuleFile, RefusesMissingFunctions) {
  write(makeTestModule({.without_host_code = true}));
  EXPECT_THAT(messageOfLoad(), AllOf(HasSubstr("'test_pack'"), HasSubstr("'pack'")));
}

TEST_F(LoadedModuleFile, RefusesCpuFeaturesThatAreMissing) {
  write(makeTestModule({.cpu_features = {"avx1024"}}));
  EXPECT_THAT(messageOfLoad(), AllOf(HasSubstr("with avx1024; this machine lacks avx1024"),
                                     HasSubstr("compile the model")));
}

TEST_F(LoadedModuleFile, RefusesSymbolicSizes) {
  write(makeTestModule({.sizes = {{"batch", 1, 8}}}));
  EXPECT_THAT(messageOfLoad(), AllOf(HasSubstr("'batch'"), HasSubstr("--shape batch=<size>")));
}

TEST_F(LoadedModuleFile, RefusesChangedFilesBeforeAnythingOfThemRuns) {
  std::vector<std::byte> elf = makeTestModule();
  std::mt19937 random(11);
  for (int i = 0; i < 200; ++i) {
    const size_t at = random() % elf.size();
    const auto bit = std::byte(1 << (random() % 8));
    elf[at] ^= bit;
    write(elf);
    EXPECT_FALSE(LoadedModule::load(path_).ok()) << at;
    EXPECT_FALSE(LoadedModule::fromMemory(elf).ok()) << at;
    elf[at] ^= bit;
  }
  EXPECT_TRUE(LoadedModule::fromMemory(elf).ok());
}

}  // namespace
}  // namespace vta::driver
