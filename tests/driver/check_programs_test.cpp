// The programs of the self test stay inside what published hardware runs, where that is asked for.
#include "driver/check_programs.h"

#include <gmock/gmock.h>

#include <vector>

#include "isa/program/verify/verifier.h"

namespace vta::driver {
namespace {

HwConfig published() { return loadHwConfig(VTA_SOURCE_DIR "/configs/hw/vta-0.0.2.yaml").value(); }

// Depths that are no multiples of the rows that the programs move.
HwConfig oddDepths() {
  HwParams params;
  params.name = "odd";
  params.uop_buf_bytes = 12290 * 8;  // in the wide encoding
  params.inp_buf_bytes = 3001 * 16;
  params.wgt_buf_bytes = 1027 * 256;
  params.acc_buf_bytes = 9004 * 64;
  return HwConfig::create(params).value();
}

/// Which elements of `type` the transfers of `program` touch.
std::vector<bool> touched(const Program& program, MemoryType type, const HwConfig& hw) {
  std::vector<bool> elements(hw.depthElems(type));
  for (const Instruction& insn : program.instructions) {
    const auto* mem = std::get_if<MemInsn>(&insn.body);
    if (mem == nullptr || mem->memory_type != type) continue;
    const uint32_t end = mem->sram_base + mem->y_size * mem->x_size;
    for (uint32_t i = mem->sram_base; i < end; ++i) elements.at(i) = true;
  }
  return elements;
}

TEST(CheckProgramsTest, ClearAndDumpReachEveryElement) {
  for (const HwConfig& hw : {HwConfig::makeDefault(), oddDepths()}) {
    const Program clear = clearProgram(hw);
    for (const MemoryType type :
         {MemoryType::kUop, MemoryType::kInp, MemoryType::kWgt, MemoryType::kAcc}) {
      EXPECT_THAT(touched(clear, type, hw), testing::Each(true)) << memoryTypeName(type);
    }
    EXPECT_THAT(touched(dumpProgram(hw), MemoryType::kOut, hw), testing::Each(true));
  }
}

TEST(CheckProgramsTest, TheVerifierAcceptsThem) {
  for (const HwConfig& hw : {HwConfig::makeDefault(), published(), oddDepths()}) {
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
