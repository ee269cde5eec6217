#include "compiler/module/module_writer.h"

#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "compiler/module/linker.h"
#include "module/module_file.h"
#include "tests/module/two_machines.h"

namespace vta::compiler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Sample {
  ModuleInfo info;
  ModuleContents contents;
};

/// A module without host code; `size_bytes` of constants.
Sample makeSample(const std::string& triple, size_t size_bytes) {
  Sample sample;
  sample.info.model = "sample";
  sample.info.target_triple = triple;
  test::addTwoMachines(sample.info);
  sample.info.tensors = {
      {"w", DType::kI8, {static_cast<int64_t>(size_bytes)}, test::kConstantSpace, 0, size_bytes}};
  sample.info.programs = {{test::kVtaExecutor, {{"", 0, 5}}, {}}};
  std::mt19937 random(3);
  sample.contents.constants.resize(size_bytes);
  for (std::byte& byte : sample.contents.constants) byte = static_cast<std::byte>(random());
  sample.contents.programs.assign(5, std::byte{0x5a});
  return sample;
}

std::vector<std::byte> writeSample(const Sample& sample) {
  auto elf = writeModule(sample.info, sample.contents);
  EXPECT_TRUE(elf.ok()) << elf.status().message();
  return elf.ok() ? *std::move(elf) : std::vector<std::byte>{};
}

class EveryTarget : public ::testing::TestWithParam<std::pair<const char*, uint16_t>> {};

TEST_P(EveryTarget, ModuleReadsBack) {
  const Sample sample = makeSample(GetParam().first, 1000);
  const std::vector<std::byte> elf = writeSample(sample);
  const auto view = viewModule(elf);
  ASSERT_TRUE(view.ok()) << view.status().message();
  EXPECT_EQ(view->elf_machine, GetParam().second);
  EXPECT_EQ(view->info.model, "sample");
  EXPECT_TRUE(std::ranges::equal(view->constants, sample.contents.constants));
  EXPECT_TRUE(std::ranges::equal(view->programs, sample.contents.programs));
}

INSTANTIATE_TEST_SUITE_P(Triples, EveryTarget,
                         ::testing::Values(std::pair("x86_64-pc-linux-gnu", EM_X86_64),
                                           std::pair("aarch64-unknown-linux-gnu", EM_AARCH64),
                                           std::pair("armv7-unknown-linux-gnueabihf", EM_ARM)));

TEST(ModuleWriter, ThreadsMayLinkAtTheSameTime) {
  const Sample sample = makeSample("x86_64-pc-linux-gnu", 200000);
  std::vector<std::byte> results[4];
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) threads.emplace_back([&] { result = writeSample(sample); });
  }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(ModuleWriter, RefusesUnknownTargets) {
  Sample sample = makeSample("sparc-sun-solaris", 64);
  EXPECT_THAT(writeModule(sample.info, sample.contents).status().message(),
              HasSubstr("sparc-sun-solaris"));
}

TEST(ModuleWriter, RefusesInconsistentMetadata) {
  Sample sample = makeSample("x86_64-pc-linux-gnu", 64);
  sample.contents.constants.resize(63);
  EXPECT_THAT(writeModule(sample.info, sample.contents).status().message(),
              HasSubstr("outside its host_constant memory"));
}

TEST(Linker, ReportsWhatItCannotRead) {
  const std::vector<std::byte> garbage(100, std::byte{'x'});
  const std::span<const std::byte> objects[] = {garbage};
  EXPECT_THAT(linkSharedObject(objects).status().message(), HasSubstr("linking the module failed"));
  // The linker stays usable after an error.
  writeSample(makeSample("x86_64-pc-linux-gnu", 64));
}

TEST(ModuleFile, RefusesEveryTruncation) {
  const std::vector<std::byte> elf = writeSample(makeSample("x86_64-pc-linux-gnu", 300));
  for (size_t size = 0; size < elf.size(); size += 7) {
    EXPECT_FALSE(viewModule(std::span(elf).first(size)).ok()) << size;
  }
}

TEST(ModuleFile, RefusesTrailingBytes) {
  std::vector<std::byte> elf = writeSample(makeSample("x86_64-pc-linux-gnu", 300));
  elf.push_back(std::byte{0});
  EXPECT_THAT(viewModule(elf).status().message(), HasSubstr("its header says"));
}

TEST(ModuleFile, RefusesEverySingleFlippedBit) {
  std::vector<std::byte> elf = writeSample(makeSample("x86_64-pc-linux-gnu", 300));
  ASSERT_TRUE(viewModule(elf).ok());
  for (size_t at = 0; at < elf.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      elf[at] ^= std::byte(1 << bit);
      EXPECT_FALSE(viewModule(elf).ok()) << "byte " << at << ", bit " << bit;
      elf[at] ^= std::byte(1 << bit);
    }
  }
  EXPECT_TRUE(viewModule(elf).ok());
}

TEST(ModuleFile, RefusesDamagedContentsAndSurvivesAnyDamage) {
  const Sample sample = makeSample("x86_64-pc-linux-gnu", 300);
  const std::vector<std::byte> elf = writeSample(sample);
  const auto view = viewModule(elf);
  ASSERT_TRUE(view.ok());
  const size_t constants_at = view->constants.data() - elf.data();
  std::vector<std::byte> damaged = elf;
  damaged[constants_at + 17] ^= std::byte{4};
  EXPECT_THAT(viewModule(damaged).status().message(), HasSubstr("checksum"));

  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    damaged = elf;
    for (int k = 0; k < 4; ++k) damaged[random() % 4096 % elf.size()] = std::byte(random());
    (void)viewModule(damaged);
  }
}

TEST(ModuleFile, NamesWhatIsWrong) {
  std::vector<std::byte> elf = writeSample(makeSample("x86_64-pc-linux-gnu", 64));
  const auto view = viewModule(elf);
  ASSERT_TRUE(view.ok());
  const size_t header_at = view->metadata.data() - elf.data() - 128;
  for (const int version : {11, 9, 2}) {
    elf[header_at + 8] = std::byte(version);
    EXPECT_THAT(viewModule(elf).status().message(),
                AllOf(HasSubstr(fmt::format("format version {}", version)),
                      HasSubstr("compile the model again")));
  }
  EXPECT_THAT(viewModule({}).status().message(), HasSubstr("no ELF file"));
}

}  // namespace
}  // namespace vta::compiler
