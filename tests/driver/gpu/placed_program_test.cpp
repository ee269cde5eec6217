#include "driver/gpu/placed_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/runtime/memory/host_memory.h"

namespace vta::driver::test {
namespace {

using Source = GpuBinding::Source;

constexpr GpuAccess kRead = GpuAccess::kRead, kWrite = GpuAccess::kWrite,
                    kBoth = GpuAccess::kReadWrite;

/// Kernels that read, write, and do both, with one binding each; dispatches of them.
struct Use {
  uint32_t kernel = 0;  // 0: reads, 1: writes, 2: both
  GpuBinding binding;
};
GpuProgram programOf(const std::vector<Use>& uses) {
  GpuProgram program = {.argument_bytes = {4096, 4096}, .scratch_bytes = 2048};
  for (const GpuAccess access : {kRead, kWrite, kBoth}) {
    program.kernels.push_back({.name = "k", .bindings = {access}});
  }
  for (const Use& use : uses) program.dispatches.push_back({use.kernel, {1, 1, 1}, {use.binding}});
  return program;
}

std::vector<bool> waitsOf(const std::vector<Use>& uses, std::vector<uint64_t> arguments = {}) {
  HostMemory memory;
  if (arguments.empty()) arguments = {0x10000, 0x20000};
  const auto placed = PlacedProgram::create(programOf(uses), arguments, memory);
  EXPECT_TRUE(placed.ok());
  std::vector<bool> waits;
  for (const PlacedDispatch& dispatch : placed->dispatches()) waits.push_back(dispatch.waits);
  return waits;
}

constexpr GpuBinding kFirst = {Source::kArgument, 0, 0, 1024};
constexpr GpuBinding kBehind = {Source::kArgument, 0, 1024, 1024};
constexpr GpuBinding kSecond = {Source::kArgument, 1, 0, 4096};
constexpr GpuBinding kScratch = {Source::kScratch, 0, 0, 1024};

using Waits = std::vector<bool>;

TEST(PlacedProgram, DispatchesWaitForWhatTheyDependOn) {
  EXPECT_EQ(waitsOf({{1, kFirst}, {0, kFirst}}), (Waits{false, true})) << "read after write";
  EXPECT_EQ(waitsOf({{0, kFirst}, {1, kFirst}}), (Waits{false, true})) << "write after read";
  EXPECT_EQ(waitsOf({{1, kScratch}, {1, kScratch}}), (Waits{false, true})) << "write after write";
  EXPECT_EQ(waitsOf({{2, kFirst}, {2, kFirst}}), (Waits{false, true}));
}

TEST(PlacedProgram, OthersDoNotWait) {
  EXPECT_EQ(waitsOf({{0, kFirst}, {0, kFirst}}), (Waits{false, false}));
  EXPECT_EQ(waitsOf({{1, kFirst}, {1, kBehind}, {1, kSecond}, {1, kScratch}}),
            (Waits{false, false, false, false}));
}

TEST(PlacedProgram, OneWaitIsForAllThatRunsBefore) {
  EXPECT_EQ(waitsOf({{1, kFirst}, {1, kSecond}, {0, kFirst}, {0, kSecond}}),
            (Waits{false, false, true, false}));
  EXPECT_EQ(waitsOf({{1, kFirst}, {0, kFirst}, {1, kFirst}}), (Waits{false, true, true}));
}

TEST(PlacedProgram, ArgumentsMayShareMemory) {
  // The second tensor begins inside of the first one.
  EXPECT_EQ(waitsOf({{1, kBehind}, {0, kSecond}}, {0x10000, 0x10600}), (Waits{false, true}));
  EXPECT_EQ(waitsOf({{1, kFirst}, {0, kSecond}}, {0x10000, 0x10600}), (Waits{false, false}));
}

TEST(PlacedProgram, HasItsConstantsInMemory) {
  HostMemory memory;
  GpuProgram program = programOf({{0, {Source::kConstants, 0, 0, 5}}});
  program.constants = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};
  const auto placed = PlacedProgram::create(program, std::vector<uint64_t>{0, 0}, memory);
  ASSERT_TRUE(placed.ok());
  const PlacedRange& range = placed->dispatches()[0].ranges[0];
  std::vector<std::byte> read(5);
  ASSERT_TRUE(memory.read(range.address, read).ok());
  EXPECT_EQ(read, program.constants);
  EXPECT_EQ(range.access, kRead);
}

TEST(PlacedProgram, NeedsAnAddressForEachTensor) {
  HostMemory memory;
  const auto placed = PlacedProgram::create(programOf({}), std::vector<uint64_t>{1}, memory);
  EXPECT_THAT(placed.status().message(), ::testing::HasSubstr("has 2 tensors, 1 are given"));
}

}  // namespace
}  // namespace vta::driver::test
