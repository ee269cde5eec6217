// The programs of the self test stay inside what published hardware runs, where that is asked for.
#include "driver/check_programs.h"

#include <gmock/gmock.h>

#include "program/verify/verifier.h"

namespace vta::driver {
namespace {

HwConfig published() { return loadHwConfig(VTA_SOURCE_DIR "/configs/hw/vta-0.0.2.yaml").value(); }

TEST(CheckProgramsTest, TheVerifierAcceptsThem) {
  for (const HwConfig& hw : {HwConfig::makeDefault(), published()}) {
    for (const Program& program : {sortingCopyProgram(hw, 1), sortingCopyProgram(hw, 1536),
                                   gemmProgram(hw), dumpProgram(hw), clearProgram(hw)}) {
      const Status status = verifyProgramStatus(program, hw);
      EXPECT_TRUE(status.ok()) << hw.name() << ": " << status.message();
    }
  }
}

TEST(CheckProgramsTest, PublishedHardwareHasNoLoadsOfBytes) {
  EXPECT_FALSE(verifyProgramStatus(copyProgram(published(), 8), published()).ok());
}

TEST(CheckProgramsTest, BytesAreSortedByTheirPlaceInTheWord) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < 12; ++i) bytes.push_back(static_cast<std::byte>(i));
  std::vector<int> sorted;
  for (const std::byte byte : sortedBytes(bytes)) sorted.push_back(std::to_integer<int>(byte));
  EXPECT_THAT(sorted, testing::ElementsAre(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11));
}

}  // namespace
}  // namespace vta::driver
