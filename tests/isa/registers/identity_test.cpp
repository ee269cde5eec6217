#include "isa/registers/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/registers/configuration.h"
#include "isa/registers/registers.h"
#include "tests/isa/config/random_config.h"

namespace vta {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Registers, FieldsOfARegisterDoNotOverlap) {
  for (const RegisterInfo& info : controlRegisters()) {
    uint32_t used = 0;
    for (const RegisterField& field : info.fields) {
      EXPECT_LE(field.lsb + field.width_bits, 32) << info.name << "." << field.name;
      EXPECT_EQ(used & field.mask(), 0u) << info.name << "." << field.name;
      used |= field.mask();
    }
  }
}

TEST(Registers, FieldsEncodeAndDecode) {
  constexpr RegisterField kField = {"f", 20, 4, ""};
  EXPECT_EQ(kField.mask(), 0x00f00000u);
  EXPECT_EQ(kField.encode(5), 0x00500000u);
  EXPECT_EQ(kField.encode(0x15), 0x00500000u);
  EXPECT_EQ(kField.decode(0xfff5ffffu), 0xfu);
  EXPECT_EQ(kField.decode(kField.encode(9)), 9u);
  constexpr RegisterField kWord = {"w", 0, 32, ""};
  EXPECT_EQ(kWord.mask(), 0xffffffffu);
  EXPECT_EQ(kWord.decode(0x80000001u), 0x80000001u);
}

TEST(Registers, DescriptionHasTheFieldsFromBitZeroUp) {
  for (const RegisterInfo& info : controlRegisters()) {
    if (info.offset == reg::kDepths) {
      EXPECT_EQ(info.description(), "log2 depths: 7:0 uop, 15:8 inp, 23:16 wgt, 31:24 acc");
    }
    if (info.offset == reg::kStatus) {
      EXPECT_EQ(info.description(), "0 running, 1 done, 2 fault, 3 launch refused, 4 draining");
    }
    if (info.offset == reg::kUser) {
      EXPECT_EQ(info.description(), "free for software");
    }
  }
}

// The published layout: programs in the field decode these words.
TEST(HardwareIdentity, WordsOfTheDefault) {
  const HardwareIdentity identity = identityOf(HwConfig::makeDefault());
  EXPECT_EQ(identity.id, 0x31415456u);
  EXPECT_EQ(identity.version, 1u);
  EXPECT_EQ(identity.config, 0x2037e440u);
  EXPECT_EQ(identity.depths, 0x0b0a0b0du);
  EXPECT_EQ(identityOf(HwConfig::makeDefault(), {.int8_packing = false}).config, 0x2033e440u);
  EXPECT_EQ(identityOf(HwConfig::makeDefault(), {.counters = false}).config, 0x2035e440u);
}

TEST(HardwareIdentity, WordsDecodeToTheConfiguration) {
  test::Rng rng(8);
  const auto field = [](std::string_view name, uint32_t word) {
    for (const RegisterField& f : reg::kConfigFields) {
      if (f.name == name) return f.decode(word);
    }
    return ~0u;
  };
  for (int round = 0; round < 100; ++round) {
    const HwConfig hw = test::randomConfig(rng);
    const uint32_t config = identityOf(hw).config;
    EXPECT_EQ(1 << field("log_batch", config), hw.batch());
    EXPECT_EQ(1 << field("log_block_in", config), hw.blockIn());
    EXPECT_EQ(1 << field("log_block_out", config), hw.blockOut());
    EXPECT_EQ(field("wide_encoding", config) == 1, hw.encoding() == Encoding::kWide);
    EXPECT_EQ(8 << field("log_bus_bytes", config), hw.params().axi_data_width_bits);
    EXPECT_EQ(static_cast<int>(field("addr_bits", config)), hw.params().axi_addr_width_bits);
    EXPECT_TRUE(checkIdentity(identityOf(hw), hw).ok());
  }
}

TEST(HardwareIdentity, ChecksNameWhatDiffers) {
  const HwConfig hw = HwConfig::makeDefault();
  HardwareIdentity other = identityOf(hw);
  other.id = 0;
  EXPECT_THAT(checkIdentity(other, hw).message(), HasSubstr("no VTA is there"));
  other = identityOf(hw);
  other.version = 2;
  EXPECT_THAT(checkIdentity(other, hw).message(), HasSubstr("has version 2 of the register map"));

  HwParams params = hw.params();
  params.batch = 2;
  params.inp_buf_bytes *= 2;
  params.acc_buf_bytes /= 2;
  params.axi_data_width_bits = 128;
  const Status status = checkIdentity(identityOf(*HwConfig::create(params)), hw);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("the hardware is not configuration 'default'"),
                    HasSubstr("log2 batch is 1 instead of 0"),
                    HasSubstr("log2 depth of acc is 9 instead of 11"), Not(HasSubstr("bus"))));

  params = hw.params();
  params.qmul_multiplier_bits = 16;
  EXPECT_THAT(checkIdentity(identityOf(*HwConfig::create(params)), hw).message(),
              HasSubstr("QMUL's multiplier or the taps of a depthwise GEMM differ"));

  // Weights of half the width, as many as before.
  params = hw.params();
  params.wgt_width_bits = 4;
  params.wgt_buf_bytes /= 2;
  EXPECT_THAT(checkIdentity(identityOf(*HwConfig::create(params)), hw).message(),
              HasSubstr("the width of weights"));

  // What programs do not see may differ.
  params = hw.params();
  params.axi_data_width_bits = 128;
  params.concurrent_compute = false;
  EXPECT_TRUE(checkIdentity(identityOf(*HwConfig::create(params), {.counters = false}), hw).ok());
}

TEST(HardwareIdentity, TellsAConfiguration) {
  test::Rng rng(9);
  for (int round = 0; round < 200; ++round) {
    const HwConfig hw = test::randomConfig(rng);
    SCOPED_TRACE(hw.summary());
    const auto found = configurationOf(identityOf(hw));
    ASSERT_TRUE(found.ok()) << found.status().message();
    EXPECT_TRUE(found->isProgramCompatible(hw));
    EXPECT_EQ(identityOf(*found), identityOf(hw));
  }
}

TEST(HardwareIdentity, TellsNoConfigurationOfOtherHardware) {
  HardwareIdentity other = identityOf(HwConfig::makeDefault());
  other.fingerprint ^= 1;
  const auto found = configurationOf(other);
  EXPECT_EQ(found.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(found.status().message(), AllOf(HasSubstr("no configuration that this driver knows"),
                                              HasSubstr("log2 block_in 4")));
  other.id = 7;
  EXPECT_THAT(configurationOf(other).status().message(), HasSubstr("no VTA is there"));
  // Nonsense in all fields.
  other = {reg::kIdValue, reg::kVersionValue, 1, ~0U, ~0U, ~0U};
  EXPECT_FALSE(configurationOf(other).ok());
}

TEST(HardwareIdentity, DescriptionNamesEveryField) {
  const std::string text = describeIdentity(identityOf(HwConfig::makeDefault()));
  EXPECT_THAT(text, AllOf(HasSubstr("log2 block_in 4"), HasSubstr("address bits 32"),
                          HasSubstr("log2 depth of wgt 10")));
}

}  // namespace
}  // namespace vta
