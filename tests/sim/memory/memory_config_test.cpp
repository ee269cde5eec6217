#include "sim/memory/memory_config.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "sim/memory/memory_model.h"

namespace vta::sim {
namespace {

using testing::HasSubstr;

std::string errorOf(const std::string& yaml) {
  const auto config = parseMemoryConfig(yaml, "m.yaml");
  EXPECT_FALSE(config.ok()) << yaml;
  return config.ok() ? "" : config.status().message();
}

TEST(MemoryConfigTest, EveryShippedFileIsLegal) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(VTA_SOURCE_DIR "/configs/memory")) {
    if (entry.path().filename() == "ddr-presets.yaml") continue;
    const auto config = resolveMemoryConfig(entry.path().string());
    EXPECT_TRUE(config.ok()) << config.status().message();
    ++count;
  }
  EXPECT_GE(count, 4);
}

TEST(MemoryConfigTest, EveryPresetIsLegalAndFoundInEitherCase) {
  const std::vector<std::string> names = builtinMemoryNames();
  EXPECT_THAT(names, testing::IsSupersetOf({"simple", "DDR3-1066", "DDR4-2400", "LPDDR4-1066"}));
  for (std::string name : names) {
    const auto config = resolveMemoryConfig(name);
    ASSERT_TRUE(config.ok()) << config.status().message();
    EXPECT_TRUE(checkMemoryConfig(*config).ok());
    EXPECT_EQ(config->name, name);
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    EXPECT_TRUE(resolveMemoryConfig(name).ok()) << name;
  }
}

TEST(MemoryConfigTest, TheDefaultIsTheShippedSimpleMemory) {
  const auto file = resolveMemoryConfig(VTA_SOURCE_DIR "/configs/memory/simple.yaml");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*file, MemoryConfig{});
}

TEST(MemoryConfigTest, RatesAreFractions) {
  const auto rate = [](const std::string& text) {
    const auto config = parseMemoryConfig(
        "{kind: simple, latency_cycles: 1, outstanding: 1, beats_per_cycle: " + text + "}", "m");
    EXPECT_TRUE(config.ok()) << config.status().message();
    return std::pair(config->simple.beats_numerator, config->simple.beats_denominator);
  };
  EXPECT_EQ(rate("1"), std::pair(1u, 1u));
  EXPECT_EQ(rate("1.0"), std::pair(1u, 1u));
  EXPECT_EQ(rate("0.25"), std::pair(1u, 4u));
  EXPECT_EQ(rate("2/3"), std::pair(2u, 3u));
}

TEST(MemoryConfigTest, BadRatesNameTheLegalRange) {
  for (const char* text : {"0", "0.0", "0/3", "1/0", "1.5", "2", "-1", "x", "1.", "3/2", "''"}) {
    const std::string error = errorOf(
        "{kind: simple, latency_cycles: 1, outstanding: 1, beats_per_cycle: " + std::string(text) +
        "}");
    EXPECT_THAT(error, HasSubstr("beats_per_cycle")) << text;
    EXPECT_THAT(error, HasSubstr("above 0 and at most 1")) << text;
  }
}

TEST(MemoryConfigTest, ErrorsNamePlaceKeyAndLegalValues) {
  EXPECT_THAT(errorOf("[]"), HasSubstr("must be a map"));
  EXPECT_THAT(errorOf("{outstanding: 1}"), HasSubstr("kind is missing"));
  EXPECT_THAT(errorOf("{kind: fast, outstanding: 1}"), HasSubstr("legal: simple, ddr"));
  EXPECT_THAT(
      errorOf("kind: simple\nlatency_cycles: 1\nbeats_per_cycle: 1\noutstanding: 1\nspeed: 3"),
      HasSubstr("m.yaml:5:1: unknown key speed"));
  EXPECT_THAT(errorOf("kind: simple\nkind: simple\nlatency_cycles: 1\nbeats_per_cycle: 1\n"
                      "outstanding: 1"),
              HasSubstr("m.yaml"));
  EXPECT_THAT(errorOf("{kind: simple, latency_cycles: 0, beats_per_cycle: 1, outstanding: 1}"),
              HasSubstr("latency_cycles is 0; legal: 1 to"));
  EXPECT_THAT(errorOf("{kind: simple, latency_cycles: 1, beats_per_cycle: 1, outstanding: 0}"),
              HasSubstr("outstanding is 0; legal: 1 to"));
  EXPECT_THAT(errorOf("{kind: simple, latency_cycles: ten, beats_per_cycle: 1, outstanding: 1}"),
              HasSubstr("it must be an integer"));
  EXPECT_THAT(errorOf("{kind: simple, latency_cycles: [1], beats_per_cycle: 1, outstanding: 1}"),
              HasSubstr("single value"));
  EXPECT_THAT(errorOf("{kind: ddr, preset: DDR9, controller_latency_cycles: 4, outstanding: 1}"),
              HasSubstr("unknown DDR preset \"DDR9\"; known: DDR3-1066, DDR4-2400, LPDDR4-1066"));
  EXPECT_THAT(errorOf("{kind: ddr, controller_latency_cycles: 4, outstanding: 1}"),
              HasSubstr("clock_mhz is missing"));
  EXPECT_THAT(errorOf("{kind: ["), HasSubstr("not valid YAML"));
}

TEST(MemoryConfigTest, DdrTablesAreChecked) {
  MemoryConfig config = *resolveMemoryConfig("DDR3-1066");
  const auto broken = [&](int DdrTiming::*member, int value) {
    MemoryConfig bad = config;
    bad.ddr.*member = value;
    return checkMemoryConfig(bad).message();
  };
  EXPECT_THAT(broken(&DdrTiming::t_rcd, 0), HasSubstr("tRCD is 0"));
  EXPECT_THAT(broken(&DdrTiming::banks, 6), HasSubstr("banks is 6; legal: powers of two"));
  EXPECT_THAT(broken(&DdrTiming::bus_bytes, 0), HasSubstr("bus_bytes is 0"));
  EXPECT_THAT(broken(&DdrTiming::t_refi, 100), HasSubstr("nothing but refresh"));
  config.ddr.bus_bytes = 64;
  config.ddr.row_bytes = 64;
  EXPECT_THAT(checkMemoryConfig(config).message(), HasSubstr("row_bytes is 64"));
}

TEST(MemoryConfigTest, UnknownNamesAndFiles) {
  const auto config = resolveMemoryConfig("nowhere.yaml");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(config.status().message(), HasSubstr("simple, DDR3-1066"));
}

TEST(MemoryModelTest, RefusesBadConfigurations) {
  MemoryConfig config;
  config.simple.beats_numerator = 0;
  EXPECT_THAT(MemoryModel::create(config, 8, 100).status().message(),
              HasSubstr("beats_per_cycle is 0/1"));
  EXPECT_FALSE(MemoryModel::create({}, 0, 100).ok());
  EXPECT_FALSE(MemoryModel::create({}, 12, 100).ok());
  EXPECT_FALSE(MemoryModel::create({}, 8, 0).ok());
}

}  // namespace
}  // namespace vta::sim
