// Boards that are broken in known ways, and what bisection says about them.
#include "tools/bisect/bisect.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "driver/device_registry.h"
#include "tests/driver/board/board_process.h"
#include "tests/isa/program/sample_program.h"
#include "tools/bisect/explain.h"

namespace vta::driver {
namespace {

using test::BoardProcess;
using test::withFault;
using testing::HasSubstr;

/// A layer of 256 elements, with operands whose bytes are all kinds.
class SampleLayer {
 public:
  explicit SampleLayer(const HwConfig& hw) : hw_(hw), program_(vta::test::gemmProgram(hw, 256)) {
    bytes_ = serializeProgram(program_, hw).value();
    const EncodedProgram encoded = viewProgram(bytes_, hw).value();
    std::vector<std::vector<std::byte>> operands;
    std::vector<std::span<const std::byte>> contents;
    for (size_t i = 0; i < encoded.buffers.size(); ++i) {
      const BufferKind kind = encoded.buffers[i].kind;
      const bool is_operand = kind == BufferKind::kInput || kind == BufferKind::kConstant;
      operands.emplace_back(is_operand ? encoded.buffers[i].size_bytes : 0);
      for (size_t at = 0; at < operands[i].size(); ++at) {
        operands[i][at] = static_cast<std::byte>((at * 37 + at / 11 + i * 5) % 19);
      }
    }
    contents.assign(operands.begin(), operands.end());
    image_ = LaunchImage::create(encoded, hw, contents).value();
  }

  const LaunchImage& image() const { return image_; }

 private:
  HwConfig hw_;
  Program program_;
  std::vector<std::byte> bytes_;
  LaunchImage image_;
};

Verdict verdictOn(const sim::VirtualBoardOptions& options, const LaunchImage& image) {
  const BoardProcess board(options);
  const auto device = board.open();
  EXPECT_TRUE(device.ok()) << device.status().message();
  if (!device.ok()) return {};
  const auto verdict = bisectLaunch(**device, image);
  EXPECT_TRUE(verdict.ok()) << verdict.status().message();
  return verdict.ok() ? *verdict : Verdict{};
}

TEST(BisectTest, ARightBoardIsNotAccused) {
  const SampleLayer layer(HwConfig::makeDefault());
  const Verdict verdict = verdictOn({}, layer.image());
  EXPECT_EQ(verdict.suspect, Suspect::kNone) << verdict.explanation;
}

struct MemoryCase {
  const char* fault;
  DifferenceKind kind;
  const char* part;
};

TEST(BisectTest, MemoryFaultsAreToldApart) {
  const SampleLayer layer(HwConfig::makeDefault());
  for (const bool use_rtl : {false, true}) {
    for (const auto& [fault, kind, part] :
         {MemoryCase{"stale-device@*", DifferenceKind::kStaleLines, "inp"},
          MemoryCase{"stale-cpu@*", DifferenceKind::kStaleLines, "out"},
          MemoryCase{"truncated@*", DifferenceKind::kTruncated, "out"},
          MemoryCase{"wrong-address@*", DifferenceKind::kWrongAddress, "out"}}) {
      SCOPED_TRACE(std::string(fault) + (use_rtl ? " on the RTL" : ""));
      sim::VirtualBoardOptions options = withFault(fault);
      options.use_rtl = use_rtl;
      const Verdict verdict = verdictOn(options, layer.image());
      EXPECT_EQ(verdict.suspect, Suspect::kMemory) << verdict.explanation;
      EXPECT_EQ(verdict.memory_kind, kind) << verdict.explanation;
      EXPECT_EQ(verdict.part, part);
      EXPECT_EQ(verdict.tile, 0);
      EXPECT_TRUE(verdict.repeats);
    }
  }
}

TEST(BisectTest, ArithmeticEndsAtTheInstructionAndTheElement) {
  const SampleLayer layer(HwConfig::makeDefault());
  const Verdict verdict = verdictOn(withFault("arithmetic@*"), layer.image());
  EXPECT_EQ(verdict.suspect, Suspect::kArithmetic) << verdict.explanation;
  EXPECT_EQ(verdict.instruction, 4);  // the first GEMM that multiplies
  EXPECT_THAT(verdict.explanation, HasSubstr("lane 1 of ACC element 0 becomes"));
  EXPECT_THAT(describeVerdict(verdict, layer.image()), HasSubstr("instruction: 4: gemm"));
}

TEST(BisectTest, ABitThatChangesInStoresIsNoArithmetic) {
  const SampleLayer layer(HwConfig::makeDefault());
  sim::VirtualBoardOptions options = withFault("arithmetic@*");
  options.use_rtl = true;
  const Verdict verdict = verdictOn(options, layer.image());
  EXPECT_EQ(verdict.suspect, Suspect::kStore) << verdict.explanation;
}

TEST(BisectTest, AFaultOfTheLaunchIsNamed) {
  const SampleLayer layer(HwConfig::makeDefault());
  const Verdict verdict = verdictOn(withFault("bus-error@*"), layer.image());
  EXPECT_EQ(verdict.suspect, Suspect::kLaunch);
  EXPECT_THAT(verdict.explanation, HasSubstr("bus error"));
}

TEST(BisectTest, TheReproducerRunsOnEverySimulator) {
  const SampleLayer layer(HwConfig::makeDefault());
  const auto files = reproducerOf(layer.image());
  ASSERT_TRUE(files.ok()) << files.status().message();
  for (const char* name : {"functional", "cycle", "rtl"}) {
    auto device = createDevice(name, HwConfig::makeDefault());
    ASSERT_TRUE(device.ok()) << device.status().message();
    constexpr uint64_t kAddress = LaunchImage::kAlignmentBytes;
    ASSERT_TRUE((*device)->allocateAt(kAddress, files->before.size()).ok());
    ASSERT_TRUE((*device)->write(kAddress, files->before).ok());
    ASSERT_TRUE((*device)->submit(layer.image().launchAt(kAddress)).ok());
    const auto result = (*device)->wait(std::chrono::seconds(60));
    ASSERT_TRUE(result.ok() && !result->fault);
    std::vector<std::byte> after(files->before.size());
    ASSERT_TRUE((*device)->read(kAddress, after).ok());
    EXPECT_EQ(after, files->after) << name;
  }
}

}  // namespace
}  // namespace vta::driver
