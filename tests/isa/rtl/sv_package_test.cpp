// The generated package has the positions, widths and codes of the C++ tables.
#include "isa/rtl/sv_package.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/instruction/encoding.h"
#include "isa/registers/registers.h"

namespace vta {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string constantOf(std::string_view name, uint64_t value) {
  return fmt::format("localparam int unsigned {} = {};", name, value);
}

HwConfig wideConfig() {
  HwParams p;
  p.acc_buf_bytes = 512 * 1024;
  p.axi_data_width_bits = 512;
  return HwConfig::create(p).value();
}

TEST(SvPackage, FieldsAreTheEncoding) {
  for (const HwConfig& hw : {HwConfig::makeDefault(), wideConfig()}) {
    const std::string text = svPackage(hw);
    for (const FieldInfo& field : instructionFields(Opcode::kGemm, hw)) {
      if (field.name != "wgt_factor_in") continue;
      EXPECT_THAT(text, HasSubstr(constantOf("GemmWgtFactorInLsb", uint64_t(field.lsb))));
      EXPECT_THAT(text, HasSubstr(constantOf("GemmWgtFactorInWidth", uint64_t(field.width_bits))));
    }
    for (const FieldInfo& field : instructionFields(Opcode::kLoad, hw)) {
      if (field.name != "x_pad_1") continue;
      EXPECT_THAT(text, HasSubstr(constantOf("MemXPad1Lsb", uint64_t(field.lsb))));
    }
    for (const FieldInfo& field : uopFields(hw)) {
      if (field.name != "src_idx") continue;
      EXPECT_THAT(text, HasSubstr(constantOf("UopSrcIdxLsb", uint64_t(field.lsb))));
    }
    EXPECT_THAT(text, HasSubstr(constantOf("InsnBits", uint64_t(hw.instructionBytes()) * 8)));
  }
}

TEST(SvPackage, LanesAreTheElementsOfABeat) {
  EXPECT_THAT(svPackage(HwConfig::makeDefault()), HasSubstr(constantOf("UopLanes", 2)));
  EXPECT_THAT(svPackage(HwConfig::makeDefault()), HasSubstr(constantOf("InpLanes", 1)));
  const std::string wide = svPackage(wideConfig());
  EXPECT_THAT(wide, HasSubstr(constantOf("UopLanes", 8)));
  EXPECT_THAT(wide, HasSubstr(constantOf("InpLanes", 4)));
  EXPECT_THAT(wide, HasSubstr(constantOf("WgtLanes", 1)));
}

TEST(SvPackage, RegistersAndOptions) {
  const std::string text = svPackage(HwConfig::makeDefault());
  EXPECT_THAT(text, HasSubstr("RegFaultInsn = 12'h68;"));
  EXPECT_THAT(text, HasSubstr("RegCountersStore = 12'h200;"));
  EXPECT_THAT(text, HasSubstr("FaultBusError = 4'd7;"));
  EXPECT_THAT(text, HasSubstr("bit Int8Packing = 1'b1;"));
  const SvPackageOptions bare = {.int8_packing = false, .counters = false};
  const std::string bare_text = svPackage(HwConfig::makeDefault(), bare);
  EXPECT_THAT(bare_text, HasSubstr("bit Int8Packing = 1'b0;"));
  EXPECT_THAT(bare_text, HasSubstr("bit CountersEnable = 1'b0;"));
}

TEST(SvPackage, NamesDoNotChangeIt) {
  HwParams p = HwConfig::makeDefault().params();
  p.name = "another";
  p.clock_mhz = 300;
  EXPECT_EQ(svPackage(HwConfig::create(p).value()), svPackage(HwConfig::makeDefault()));
  p.token_queue_depth = 7;
  EXPECT_NE(svPackage(HwConfig::create(p).value()), svPackage(HwConfig::makeDefault()));
}

}  // namespace
}  // namespace vta
