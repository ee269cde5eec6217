#include "isa/config/hw_config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "isa/instruction/handover.h"
#include "tests/isa/config/random_config.h"

namespace vta {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::filesystem::path kConfigDir = VTA_SOURCE_DIR "/configs/hw";

HwConfig load(const std::string& name) {
  Result<HwConfig> hw = loadHwConfig(kConfigDir / (name + ".yaml"));
  EXPECT_TRUE(hw.ok()) << hw.status().message();
  return *hw;
}

// The default file's text with the first `from` replaced by `to`.
std::string edited(std::string_view from, std::string_view to) {
  std::string text = HwConfig::makeDefault().toYaml();
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string errorOf(const std::string& text) {
  const Result<HwConfig> hw = parseHwConfig(text, "x.yaml");
  EXPECT_FALSE(hw.ok());
  if (hw.ok()) return "";
  EXPECT_EQ(hw.status().code(), StatusCode::kInvalidArgument);
  return hw.status().message();
}

TEST(HwConfig, DefaultFileIsTheBuiltInDefault) {
  EXPECT_EQ(load("default").params(), HwConfig::makeDefault().params());
}

TEST(HwConfig, DefaultHasThePublishedDepthsAndElementSizes) {
  const HwConfig hw = HwConfig::makeDefault();
  EXPECT_EQ(hw.logDepth(MemoryType::kUop), 13);
  EXPECT_EQ(hw.logDepth(MemoryType::kInp), 11);
  EXPECT_EQ(hw.logDepth(MemoryType::kWgt), 10);
  EXPECT_EQ(hw.logDepth(MemoryType::kAcc), 11);
  EXPECT_EQ(hw.logDepth(MemoryType::kOut), 11);
  EXPECT_EQ(hw.logDepth(MemoryType::kAcc8), 11);
  EXPECT_EQ(hw.elemBytes(MemoryType::kUop), 4u);
  EXPECT_EQ(hw.elemBytes(MemoryType::kInp), 16u);
  EXPECT_EQ(hw.elemBytes(MemoryType::kWgt), 256u);
  EXPECT_EQ(hw.elemBytes(MemoryType::kAcc), 64u);
  EXPECT_EQ(hw.elemBytes(MemoryType::kOut), 16u);
  EXPECT_EQ(hw.elemBytes(MemoryType::kAcc8), 16u);
  EXPECT_EQ(hw.encoding(), Encoding::kBase);
}

TEST(HwConfig, EveryShippedFileIsLegalAndNamedLikeItsFile) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kConfigDir)) {
    const HwConfig hw = load(entry.path().stem().string());
    EXPECT_EQ(hw.name(), entry.path().stem().string());
    const bool wide = hw.name() == "wide" || hw.name() == "zu7ev";
    EXPECT_EQ(hw.encoding(), wide ? Encoding::kWide : Encoding::kBase) << hw.summary();
    ++count;
  }
  EXPECT_EQ(count, 12);
}

TEST(HwConfig, CompatFileIsTheDefaultGeometryWithoutExtensions) {
  const HwParams p = load("vta-0.0.2").params();
  HwParams expected = HwConfig::makeDefault().params();
  expected.name = "vta-0.0.2";
  expected.compat_0_0_2 = true;
  expected.ext_qmul = expected.ext_clip = expected.ext_pad_min = false;
  expected.concurrent_compute = false;
  EXPECT_EQ(p, expected);
}

TEST(HwConfig, FingerprintsArePartOfProgramFilesAndStayWhatTheyAre) {
  EXPECT_EQ(HwConfig::makeDefault().fingerprint(), 0x371437367438c1b9u);
  EXPECT_EQ(load("vta-0.0.2").fingerprint(), 0xd90861974f404460u);
  EXPECT_EQ(load("wide").fingerprint(), 0x71a43423b47d4b91u);
}

TEST(HwConfig, OneStepPastTheBaseLimitsIsWide) {
  for (const auto member : {&HwParams::uop_buf_bytes, &HwParams::inp_buf_bytes,
                            &HwParams::wgt_buf_bytes, &HwParams::acc_buf_bytes}) {
    HwParams params = HwConfig::makeDefault().params();
    params.*member *= 2;
    EXPECT_EQ(HwConfig::create(params)->encoding(), Encoding::kWide);
  }
}

TEST(HwConfig, DepthsNeedNotBePowersOfTwo) {
  HwParams params = HwConfig::makeDefault().params();
  params.uop_buf_bytes = 24 * 1024;
  params.inp_buf_bytes = 20 * 1024;
  params.wgt_buf_bytes = 1023 * 256;
  params.acc_buf_bytes = 1028 * 64;
  const HwConfig hw = *HwConfig::create(params);
  EXPECT_EQ(hw.depthElems(MemoryType::kUop), 6144u);
  EXPECT_EQ(hw.depthElems(MemoryType::kInp), 1280u);
  EXPECT_EQ(hw.depthElems(MemoryType::kWgt), 1023u);
  EXPECT_EQ(hw.depthElems(MemoryType::kAcc), 1028u);
  EXPECT_EQ(hw.depthElems(MemoryType::kOut), 1028u);
  // An index has the bits of the next power of two, and so the encoding is that of the default.
  const HwConfig full = HwConfig::makeDefault();
  for (const MemoryInfo& memory : memories()) {
    EXPECT_EQ(hw.logDepth(memory.type), full.logDepth(memory.type)) << memory.name;
  }
  EXPECT_EQ(hw.encoding(), Encoding::kBase);
  EXPECT_FALSE(hw.isProgramCompatible(full));
  EXPECT_EQ(parseHwConfig(hw.toYaml(), "again")->params(), params);
  params.acc_buf_bytes = 2052 * 64;
  EXPECT_EQ(HwConfig::create(params)->encoding(), Encoding::kWide);
}

TEST(HwConfig, WideMicroOpsTakeEightBytesOfTheBuffer) {
  const HwConfig hw = load("wide");
  EXPECT_EQ(hw.elemBytes(MemoryType::kUop), 8u);
  EXPECT_EQ(hw.logDepth(MemoryType::kUop), 13);
}

TEST(HwConfig, YamlRoundTripsOverRandomConfigurations) {
  test::Rng rng(4);
  for (int i = 0; i < 200; ++i) {
    const HwConfig hw = test::randomConfig(rng);
    const Result<HwConfig> again = parseHwConfig(hw.toYaml(), "again");
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(again->params(), hw.params());
    EXPECT_EQ(again->fingerprint(), hw.fingerprint());
  }
}

TEST(HwConfig, ProgramCompatibilityIgnoresWhatProgramsCannotSee) {
  const HwConfig hw = HwConfig::makeDefault();
  HwParams params = hw.params();
  params.name = "faster";
  params.clock_hz = 200'000'000;
  params.axi_data_width_bits = 128;
  params.concurrent_compute = false;
  const HwConfig faster = *HwConfig::create(params);
  EXPECT_TRUE(hw.isProgramCompatible(faster));
  EXPECT_EQ(hw.fingerprint(), faster.fingerprint());

  const std::pair<std::string, std::string> visible[] = {
      {"batch: 1", "batch: 2"},
      {"qmul, clip, pad_min", "clip, pad_min"},
      {"qmul_multiplier_bits: 18", "qmul_multiplier_bits: 16"},
      {"inp_buf_bytes: 32KiB", "inp_buf_bytes: 16KiB"},
  };
  for (const auto& [from, to] : visible) {
    const HwConfig other = *parseHwConfig(edited(from, to), "x.yaml");
    EXPECT_FALSE(hw.isProgramCompatible(other)) << to;
    EXPECT_NE(hw.fingerprint(), other.fingerprint()) << to;
  }
}

TEST(HwConfig, SummaryNamesTheGeometry) {
  EXPECT_EQ(HwConfig::makeDefault().summary(),
            "default: 1x16x16 i8 w8 a32, uop/inp/wgt/acc 32/32/256/128 KiB, base encoding, qmul18 "
            "clip pad_min");
  const auto small = parseHwConfig(edited("inp_buf_bytes: 32KiB", "inp_buf_bytes: 512"), "x");
  EXPECT_THAT(small->summary(), HasSubstr("uop/inp/wgt/acc 32/0.5/256/128 KiB"));
  EXPECT_THAT(load("vta-0.0.2").summary(), HasSubstr("no extensions, compat 0.0.2"));
}

TEST(HwConfigYaml, SizesMayBePlainIntegersOrMiB) {
  EXPECT_EQ(parseHwConfig(edited("inp_buf_bytes: 32KiB", "inp_buf_bytes: 32768"), "x")->params(),
            HwConfig::makeDefault().params());
  EXPECT_EQ(parseHwConfig(edited("wgt_buf_bytes: 256KiB", "wgt_buf_bytes: 1MiB"), "x")
                ->params()
                .wgt_buf_bytes,
            1024u * 1024);
}

TEST(HwConfigYaml, SizesMayBeGiB) {
  const auto hw = parseHwConfig(edited("wgt_buf_bytes: 256KiB", "wgt_buf_bytes: 1GiB"), "x");
  // Too large for the encoding, but understood.
  EXPECT_THAT(hw.status().message(), testing::Not(HasSubstr("it must be a size")));
}

TEST(HwConfigYaml, FilesHaveOneDocument) {
  EXPECT_THAT(errorOf(edited("clock_mhz", "clock_mhz") + "---\nname: other\n"),
              HasSubstr("second YAML document"));
}

TEST(HwConfigYaml, TheClockMayHaveDecimals) {
  struct {
    const char* text;
    int64_t hz;
    const char* written;
  } cases[] = {{"333.33", 333'330'000, "333.33"},
               {"33.333333", 33'333'333, "33.333333"},
               {"100.0", 100'000'000, "100"},
               {"100.5000000", 100'500'000, "100.5"},
               {"1", 1'000'000, "1"},
               {"5000", 5'000'000'000, "5000"},
               {"4999.999999", 4'999'999'999, "4999.999999"}};
  for (const auto& [text, hz, written] : cases) {
    const auto hw =
        parseHwConfig(edited("clock_mhz: 100", fmt::format("clock_mhz: {}", text)), "x");
    ASSERT_TRUE(hw.ok()) << hw.status().message();
    EXPECT_EQ(hw->params().clock_hz, hz);
    EXPECT_EQ(fmt::format("{}", hw->params().clockMhz()), written);
    EXPECT_THAT(hw->toYaml(), HasSubstr(fmt::format("\nclock_mhz: {}\n", written)));
    EXPECT_EQ(parseHwConfig(hw->toYaml(), "again")->params(), hw->params());
  }
}

TEST(HwConfigYaml, ClocksThatCannotBeSaidAreErrors) {
  for (const char* text : {"fast", "333.", ".5", "1e3", "33.3333333", "-5", "1.5.5", "1,5", "0x10",
                           "99999999999999999999"}) {
    EXPECT_THAT(errorOf(edited("clock_mhz: 100", fmt::format("clock_mhz: {}", text))),
                AllOf(StartsWith("x.yaml:8:12: clock_mhz is \""),
                      HasSubstr("it must be a number, 1 to 5000, with up to 6 decimals")))
        << text;
  }
  for (const char* text : {"0", "0.999999", "5000.000001", "1000000"}) {
    EXPECT_THAT(
        errorOf(edited("clock_mhz: 100", fmt::format("clock_mhz: {}", text))),
        HasSubstr(fmt::format("clock_mhz is {}; legal: 1 to 5000, with up to 6 decimals", text)));
  }
}

TEST(HwConfigYaml, UnknownKeysNamePlaceAndLegalKeys) {
  EXPECT_THAT(errorOf(edited("clock_mhz", "clock_hz")),
              AllOf(StartsWith("x.yaml:8:1: unknown key clock_hz"), HasSubstr("clock_mhz")));
  EXPECT_THAT(errorOf(edited("batch:", "bach:")),
              AllOf(StartsWith("x.yaml:2:8: unknown key gemm.bach"),
                    HasSubstr("batch, block_in, block_out")));
}

TEST(HwConfigYaml, KeysAndSectionsThatAreMissingHaveTheirDefaults) {
  const HwParams expected = HwConfig::makeDefault().params();
  EXPECT_EQ(parseHwConfig(edited("batch: 1, ", ""), "x")->params(), expected);
  EXPECT_EQ(parseHwConfig(edited("clock_mhz: 100\n", ""), "x")->params(), expected);
  EXPECT_EQ(
      parseHwConfig(
          edited("compute: {concurrent: true, alu_passes: 1, acc_banks: 4, pipeline: fast}\n", ""),
          "x")
          ->params(),
      expected);
  EXPECT_EQ(parseHwConfig("{}", "default.yaml")->params(), expected);
  const auto sparse = parseHwConfig("gemm: {batch: 2}", "folder/two-rows.yaml");
  HwParams two_rows = expected;
  two_rows.name = "two-rows";
  two_rows.batch = 2;
  EXPECT_EQ(sparse->params(), two_rows);
  EXPECT_EQ(parseHwConfig("{}", "a\"b.yaml")->name(), "unnamed");
}

TEST(HwConfigYaml, RepeatedKeysAreErrors) {
  EXPECT_THAT(errorOf(edited("clock_mhz: 100\n", "clock_mhz: 100\nclock_mhz: 50\n")),
              HasSubstr("x.yaml:9:1: key clock_mhz appears twice"));
}

TEST(HwConfigYaml, WrongTypesNamePlaceAndKey) {
  EXPECT_THAT(errorOf(edited("batch: 1", "batch: one")),
              HasSubstr("x.yaml:2:15: gemm.batch is \"one\"; it must be an integer"));
  EXPECT_THAT(errorOf(edited("batch: 1", "batch: [1]")),
              HasSubstr("gemm.batch must be a single value"));
  EXPECT_THAT(errorOf(edited("batch: 1", "batch: 5000000")), HasSubstr("up to 1000000"));
  EXPECT_THAT(errorOf(edited("inp_buf_bytes: 32KiB", "inp_buf_bytes: 32KB")),
              HasSubstr("buffers.inp_buf_bytes is \"32KB\"; it must be a size"));
  EXPECT_THAT(errorOf(edited("inp_buf_bytes: 32KiB", "inp_buf_bytes: 99999999999999MiB")),
              HasSubstr("at most 1 TiB"));
  EXPECT_THAT(errorOf(edited("concurrent: true", "concurrent: maybe")),
              HasSubstr("compute.concurrent is \"maybe\"; it must be true or false"));
  EXPECT_THAT(errorOf(edited("compat: none", "compat: 0.0.1")),
              HasSubstr("isa.compat is \"0.0.1\"; it must be none or 0.0.2"));
  EXPECT_THAT(errorOf(edited("[qmul, clip, pad_min]", "qmul")),
              HasSubstr("isa.extensions must be a list"));
  EXPECT_THAT(errorOf(edited("[qmul, clip, pad_min]", "[fft]")),
              HasSubstr("isa.extensions is \"fft\"; known extensions: qmul, clip, pad_min"));
  EXPECT_THAT(errorOf(edited("[qmul, clip, pad_min]", "[clip, clip]")),
              HasSubstr("it is listed twice"));
  EXPECT_THAT(
      errorOf(edited("compute: {concurrent: true, alu_passes: 1, acc_banks: 4, pipeline: fast}",
                     "compute: 3")),
      HasSubstr("compute must be a map with the keys concurrent"));
}

TEST(HwConfigYaml, OutOfRangeNamesPlaceKeyAndRange) {
  EXPECT_THAT(errorOf(edited("batch: 1", "batch: 3")),
              HasSubstr("x.yaml:2:15: gemm.batch is 3; legal: powers of two from 1 to 64"));
  EXPECT_THAT(errorOf(edited("inp_width_bits: 8", "inp_width_bits: 4")),
              HasSubstr("operands.inp_width_bits is 4; legal: 8"));
  EXPECT_THAT(errorOf(edited("acc_width_bits: 32", "acc_width_bits: 16")),
              HasSubstr("operands.acc_width_bits is 16; legal: 24 to 32"));
  EXPECT_THAT(errorOf(edited("inp_buf_bytes: 32KiB", "inp_buf_bytes: 33000")),
              HasSubstr("x.yaml:4:48: buffers.inp_buf_bytes is 33000; legal: multiples of 16 from "
                        "32 to 1048576 (2 to 65536 elements of 16 bytes)"));
  EXPECT_THAT(errorOf(edited("wgt_buf_bytes: 256KiB", "wgt_buf_bytes: 256")),
              HasSubstr("buffers.wgt_buf_bytes is 256; legal: multiples of 256 from 512"));
  EXPECT_THAT(errorOf(edited("clock_mhz: 100", "clock_mhz: 0")),
              HasSubstr("clock_mhz is 0; legal: 1 to 5000"));
  EXPECT_THAT(errorOf(edited("name: \"default\"", "name: \"\"")), HasSubstr("name is empty"));
}

TEST(HwConfigYaml, ParametersThatAreLegalAloneAndNotTogetherNameBothKeys) {
  // A beat of 256 bits holds 32 inputs of one byte.
  const std::string inp = R"(
gemm: {block_in: 1, block_out: 16}
buffers: {inp_buf_bytes: INP, wgt_buf_bytes: 64KiB}
axi: {data_width_bits: 256}
)";
  const auto withInp = [&](std::string_view bytes) {
    std::string text = inp;
    return text.replace(text.find("INP"), 3, bytes);
  };
  EXPECT_TRUE(parseHwConfig(withInp("64"), "x").ok());
  EXPECT_EQ(
      errorOf(withInp("32")),
      "x.yaml:3:26: buffers.inp_buf_bytes is 32 with axi.data_width_bits 256; a scratchpad has "
      "to hold two beats of the bus: 64 elements, and it has 32");
}

TEST(HwConfigYaml, DepthwiseNeedsMultipliersAndBanks) {
  const auto with = [](std::string_view gemm, std::string_view more) {
    return fmt::format("gemm: {}\nisa: {{extensions: [depthwise], depthwise_taps: 8}}\n{}", gemm,
                       more);
  };
  EXPECT_TRUE(parseHwConfig(with("{}", ""), "x").ok());
  EXPECT_TRUE(parseHwConfig(with("{batch: 2, block_in: 32}", ""), "x").ok());
  EXPECT_THAT(errorOf(with("{block_in: 8, block_out: 8}", "")),
              HasSubstr("isa.depthwise_taps is 8 with gemm.block_in 8; with extension depthwise an "
                        "output needs two multipliers for each tap: 16 multipliers, and it has 8"));
  EXPECT_TRUE(parseHwConfig(with("{block_out: 32}", ""), "x").ok());
  EXPECT_THAT(errorOf(with("{}", "buffers: {inp_buf_bytes: 128}")),
              HasSubstr("buffers.inp_buf_bytes is 128 with isa.depthwise_taps 8"));
  // The key means nothing without the extension.
  HwParams params;
  params.depthwise_taps = 8;
  params.block_in = params.block_out = 4;
  const auto without = HwConfig::create(params);
  ASSERT_TRUE(without.ok()) << without.status().message();
  params.depthwise_taps = 4;
  EXPECT_EQ(without->fingerprint(), HwConfig::create(params)->fingerprint());
}

TEST(HwConfigYaml, TransposedWeightsAreBytes) {
  const auto with = [](std::string_view gemm, std::string_view more) {
    return fmt::format("gemm: {}\nisa: {{extensions: [transpose]}}\n{}", gemm, more);
  };
  const Result<HwConfig> square = parseHwConfig(with("{}", ""), "x");
  ASSERT_TRUE(square.ok()) << square.status().message();
  EXPECT_EQ(square->elemBytes(MemoryType::kWgtTransposed), 256u);
  EXPECT_EQ(square->logDepth(MemoryType::kWgtTransposed), 10);
  EXPECT_FALSE(square->isProgramCompatible(HwConfig::makeDefault()));
  const Result<HwConfig> wide = parseHwConfig(with("{block_out: 32}", ""), "x");
  ASSERT_TRUE(wide.ok()) << wide.status().message();
  EXPECT_EQ(wide->elemBytes(MemoryType::kWgtTransposed), 512u);
  EXPECT_THAT(errorOf(with("{}", "operands: {wgt_width_bits: 4}")),
              HasSubstr("operands.wgt_width_bits is 4 with isa.extensions [transpose]; with "
                        "extension transpose a weight is a byte: 8 bits, and it has 4"));
}

TEST(HwConfigYaml, HandoversNeedElementsOfInpInOut) {
  const auto with = [](std::string_view gemm) {
    return fmt::format("gemm: {}\nisa: {{extensions: [handover]}}\n", gemm);
  };
  for (const int parts : {1, 2, 4}) {
    const Result<HwConfig> hw =
        parseHwConfig(with(fmt::format("{{block_in: 8, block_out: {}}}", 8 * parts)), "x");
    ASSERT_TRUE(hw.ok()) << hw.status().message();
    EXPECT_EQ(handoverParts(*hw), static_cast<uint32_t>(parts));
    EXPECT_EQ(handoverDepth(*hw), uint64_t{hw->depthElems(MemoryType::kOut)} * parts);
    EXPECT_EQ(hw->elemBytes(MemoryType::kInpFromOut), hw->elemBytes(MemoryType::kInp));
    EXPECT_FALSE(hw->isProgramCompatible(HwConfig::makeDefault()));
  }
  EXPECT_THAT(errorOf(with("{block_in: 16, block_out: 8}")),
              HasSubstr("gemm.block_in is 16 with gemm.block_out 8; with extension handover an "
                        "element of OUT is one or more of INP: 8 channels are no multiple of 16"));
}

TEST(HwConfigYaml, NarrowAccumulatorsHaveTheElementsOfWideOnes) {
  const Result<HwConfig> narrow = parseHwConfig("operands: {acc_width_bits: 24}\n", "x");
  ASSERT_TRUE(narrow.ok()) << narrow.status().message();
  const HwConfig wide = HwConfig::makeDefault();
  EXPECT_EQ(narrow->elemBytes(MemoryType::kAcc), wide.elemBytes(MemoryType::kAcc));
  EXPECT_EQ(narrow->elemBytes(MemoryType::kAcc8), wide.elemBytes(MemoryType::kAcc8));
  EXPECT_EQ(narrow->depthElems(MemoryType::kAcc), wide.depthElems(MemoryType::kAcc));
  EXPECT_EQ(memoryInfo(MemoryType::kAcc).sramElemBits(narrow->params(), 4), 384u);
  EXPECT_FALSE(narrow->isProgramCompatible(wide));
}

TEST(HwConfigYaml, NarrowAccumulatorsHoldMultipliersAndTables) {
  const auto with = [](int acc_bits, std::string_view isa) {
    return fmt::format("operands: {{acc_width_bits: {}}}\nisa: {}\n", acc_bits, isa);
  };
  const auto legal = [&](int acc_bits, std::string_view isa) {
    return parseHwConfig(with(acc_bits, isa), "x").ok();
  };
  EXPECT_TRUE(legal(24, "{qmul_multiplier_bits: 24}"));
  EXPECT_THAT(errorOf(with(24, "{qmul_multiplier_bits: 25}")),
              HasSubstr("isa.qmul_multiplier_bits is 25 with operands.acc_width_bits 24; QMUL's "
                        "multiplier is in an accumulator: 25 bits, and it has 24"));
  EXPECT_TRUE(legal(24, "{extensions: [], qmul_multiplier_bits: 25}"));
  EXPECT_TRUE(legal(24, "{extensions: [qmul, clip, requant]}"));
  EXPECT_THAT(errorOf(with(24, "{extensions: [qmul, clip, requant], qmul_multiplier_bits: 19}")),
              HasSubstr("isa.qmul_multiplier_bits is 19 with extension requant and "
                        "operands.acc_width_bits 24: its multipliers have 18 bits at most"));
  EXPECT_TRUE(legal(32, "{extensions: [lut]}"));
  EXPECT_THAT(errorOf(with(31, "{extensions: [lut]}")),
              HasSubstr("operands.acc_width_bits is 31 with isa.extensions [lut]; with extension "
                        "lut an accumulator holds four entries of the table: 32 bits, and it has "
                        "31"));
  EXPECT_THAT(errorOf(with(24, "{extensions: [], compat: 0.0.2}")),
              HasSubstr("operands.acc_width_bits is 24 with isa.compat 0.0.2"));
}

TEST(HwConfigYaml, TheRamsOfAScratchpadAreEquallyDeep) {
  EXPECT_THAT(errorOf("buffers: {acc_buf_bytes: 64064}\n"),
              HasSubstr("buffers.acc_buf_bytes is 64064 with compute.acc_banks 4; all banks of ACC "
                        "are equally deep: 1001 elements are no multiple of 4; use 1000 or 1004"));
  EXPECT_THAT(errorOf("buffers: {uop_buf_bytes: 1004}\naxi: {data_width_bits: 128}\n"),
              HasSubstr("buffers.uop_buf_bytes is 1004 with axi.data_width_bits 128; a scratchpad "
                        "has to hold a whole number of beats: 251 elements are no multiple of 4"));
  EXPECT_THAT(errorOf("buffers: {inp_buf_bytes: 1584}\n"
                      "isa: {extensions: [depthwise], depthwise_taps: 3}\n"),
              HasSubstr("buffers.inp_buf_bytes is 1584 with isa.depthwise_taps 3; with extension "
                        "depthwise the RAMs for the taps are equally deep: 99 elements are no "
                        "multiple of 4; use 96 or 100 elements"));
  EXPECT_THAT(errorOf("gemm: {block_in: 2, block_out: 2}\nbuffers: {wgt_buf_bytes: 132, "
                      "acc_buf_bytes: 64}\n"),
              HasSubstr("buffers.wgt_buf_bytes is 132 with axi.data_width_bits 64"));
  // Of an ACC with fewer elements than banks as many banks are used as there are elements.
  EXPECT_TRUE(parseHwConfig("buffers: {acc_buf_bytes: 128}\n", "x").ok());
  EXPECT_THAT(errorOf("buffers: {acc_buf_bytes: 192}\n"), HasSubstr("3 elements are no multiple"));
}

TEST(HwConfigYaml, NarrowWeightsFillWholeBytes) {
  const auto with = [](std::string_view gemm, int width_bits) {
    return fmt::format("gemm: {}\noperands: {{wgt_width_bits: {}}}\n", gemm, width_bits);
  };
  const Result<HwConfig> narrow = parseHwConfig(with("{}", 2), "x");
  ASSERT_TRUE(narrow.ok()) << narrow.status().message();
  EXPECT_EQ(narrow->elemBytes(MemoryType::kWgt), 64u);
  EXPECT_EQ(narrow->depthElems(MemoryType::kWgt), 4096u);
  EXPECT_FALSE(narrow->isProgramCompatible(HwConfig::makeDefault()));
  EXPECT_THAT(errorOf(with("{}", 3)),
              HasSubstr("operands.wgt_width_bits is 3; legal: powers of two from 2 to 8"));
  EXPECT_TRUE(parseHwConfig(with("{block_in: 1, block_out: 2}", 4) +
                                "buffers: {inp_buf_bytes: 64, wgt_buf_bytes: 64}\n",
                            "x")
                  .ok());
  EXPECT_THAT(errorOf(with("{block_in: 1, block_out: 2}", 2)),
              HasSubstr("operands.wgt_width_bits is 2 with gemm.block_in 1 and gemm.block_out 2: "
                        "an element of WGT has 4 bits, and a byte is the least"));
  EXPECT_THAT(errorOf("operands: {wgt_width_bits: 4}\nisa: {extensions: [], compat: 0.0.2}\n"),
              HasSubstr("operands.wgt_width_bits is 4 with isa.compat 0.0.2"));
}

TEST(HwConfigYaml, CompatExcludesDepthsThatAreNoPowersOfTwo) {
  EXPECT_THAT(errorOf("isa: {extensions: [], compat: 0.0.2}\nbuffers: {inp_buf_bytes: 24KiB}\n"),
              HasSubstr("buffers.inp_buf_bytes is 24KiB with isa.compat 0.0.2: published hardware "
                        "has buffers of a power of two of elements, and 1536 are none; use 1024"));
}

TEST(HwConfigYaml, CompatExcludesExtensionsAndTheWideEncoding) {
  EXPECT_THAT(errorOf(edited("compat: none", "compat: 0.0.2")),
              HasSubstr("isa.extensions must be [] with isa.compat 0.0.2"));
  HwParams params;
  params.compat_0_0_2 = true;
  params.ext_qmul = params.ext_clip = params.ext_pad_min = false;
  params.acc_buf_bytes *= 2;
  EXPECT_THAT(HwConfig::create(params).status().message(),
              HasSubstr("isa.compat 0.0.2 needs the base encoding"));
}

TEST(HwConfig, ThePublishedCoreRunsTheProgramsOfTheCompatFile) {
  const HwConfig hls = load("vta-0.0.2-hls");
  EXPECT_TRUE(hls.params().hls_timing);
  EXPECT_TRUE(hls.isProgramCompatible(load("vta-0.0.2")));
  EXPECT_EQ(hls.fingerprint(), load("vta-0.0.2").fingerprint());
  EXPECT_THAT(hls.summary(), HasSubstr("compat 0.0.2, timing hls-0.0.2"));
}

TEST(HwConfigYaml, TheTimingOfThePublishedCoreNeedsWhatThatCoreIs) {
  EXPECT_THAT(errorOf(edited("timing: rtl", "timing: hls-0.0.2")),
              HasSubstr("add isa: {extensions: [], compat: 0.0.2}"));
  EXPECT_THAT(errorOf(edited("timing: rtl", "timing: hls")), HasSubstr("rtl or hls-0.0.2"));
  HwParams params = load("vta-0.0.2-hls").params();
  params.concurrent_compute = true;
  EXPECT_THAT(HwConfig::create(params).status().message(),
              HasSubstr("compute.concurrent is true with timing hls-0.0.2"));
  HwParams passes = load("vta-0.0.2-hls").params();
  passes.alu_passes = 2;
  EXPECT_THAT(HwConfig::create(passes).status().message(),
              HasSubstr("compute.alu_passes is 2 with timing hls-0.0.2"));
  HwParams relaxed = load("vta-0.0.2-hls").params();
  relaxed.pipeline = Pipeline::kRelaxed;
  EXPECT_THAT(HwConfig::create(relaxed).status().message(),
              HasSubstr("compute.pipeline is relaxed with timing hls-0.0.2"));
  params.concurrent_compute = false;
  params.axi_data_width_bits = 256;
  EXPECT_THAT(HwConfig::create(params).status().message(),
              HasSubstr("an element of INP has 128 bits: use a narrower bus"));
}

TEST(HwConfigYaml, TextThatIsNoYamlOrNoMapIsRefused) {
  EXPECT_THAT(errorOf("gemm: {batch: 1"), HasSubstr("not valid YAML"));
  EXPECT_THAT(errorOf(""), HasSubstr("must be a map with the keys name, gemm"));
  EXPECT_THAT(errorOf("[1, 2]"), HasSubstr("must be a map"));
  EXPECT_THAT(errorOf("{[1]: 2}"), HasSubstr("unknown key"));
}

// Any text is a configuration or an error that begins with the source's name.
TEST(HwConfigYaml, ChangedTextIsParsedOrRefused) {
  const std::string text = HwConfig::makeDefault().toYaml();
  test::Rng rng(14);
  for (int round = 0; round < 1000; ++round) {
    std::string changed = text;
    for (int k = 0; k < 1 + round % 3; ++k) {
      const auto at = static_cast<size_t>(test::uniform(rng, 0, int64_t(changed.size()) - 1));
      if (test::uniform(rng, 0, 1) == 0) {
        changed[at] = static_cast<char>(test::uniform(rng, 0, 255));
      } else {
        changed.erase(at, 1);
      }
    }
    const Result<HwConfig> hw = parseHwConfig(changed, "x.yaml");
    if (hw.ok()) {
      EXPECT_EQ(parseHwConfig(hw->toYaml(), "again")->params(), hw->params());
    } else {
      EXPECT_THAT(hw.status().message(), StartsWith("x.yaml:"));
    }
  }
}

TEST(HwConfigYaml, FilesThatCannotBeReadAreReported) {
  EXPECT_EQ(loadHwConfig("/nonexistent/x.yaml").status().code(), StatusCode::kNotFound);
  EXPECT_THAT(loadHwConfig(kConfigDir).status().message(), HasSubstr("is a directory"));
}

}  // namespace
}  // namespace vta
