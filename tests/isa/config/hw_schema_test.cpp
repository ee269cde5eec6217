#include "isa/config/hw_schema.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "isa/spec/parameters.h"

namespace vta {
namespace {

using Json = nlohmann::ordered_json;

// The schema of one key.
Json schemaOf(const Parameter& parameter) {
  const Json schema = Json::parse(hwConfigSchema());
  const Json& top = schema["properties"];
  const std::string section(parameter.section);
  return (section.empty() ? top : top[section]["properties"])[std::string(parameter.key)];
}

TEST(HwSchema, FileInTheTreeIsTheGeneratedOne) {
  std::ifstream file(VTA_SOURCE_DIR "/configs/hw.schema.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, hwConfigSchema()) << "to write it: vta-info --hw-schema > configs/hw.schema.json";
}

TEST(HwSchema, EveryKeyHasItsTypeDefaultAndMeaning) {
  for (const Parameter& parameter : parameters()) {
    const Json key = schemaOf(parameter);
    EXPECT_TRUE(key.contains("default")) << parameter.fullKey();
    EXPECT_TRUE(key["description"].get<std::string>().starts_with(parameter.doc));
    EXPECT_TRUE(key.contains("type") || key.contains("enum")) << parameter.fullKey();
  }
}

TEST(HwSchema, ValuesAreThoseThatAreLegal) {
  for (const Parameter& parameter : parameters()) {
    const Json key = schemaOf(parameter);
    if (parameter.kind != ParameterKind::kInteger) continue;
    const int64_t value = parameter.access.get(HwParams{});
    EXPECT_EQ(key["default"], value);
    if (parameter.legal.power_of_two) {
      EXPECT_EQ(key["enum"].front(), parameter.legal.min);
      EXPECT_EQ(key["enum"].back(), parameter.legal.max);
    } else {
      EXPECT_EQ(key["minimum"], parameter.legal.min);
      EXPECT_EQ(key["maximum"], parameter.legal.max);
    }
  }
}

TEST(HwSchema, TheClockMayHaveDecimals) {
  const Json clock = Json::parse(hwConfigSchema())["properties"]["clock_mhz"];
  EXPECT_EQ(clock["type"], "number");
  EXPECT_EQ(clock["minimum"], 1);
  EXPECT_EQ(clock["maximum"], 5000);
  EXPECT_EQ(clock["default"], 100);
}

TEST(HwSchema, KeysThatDoNotExistAreErrors) {
  const Json schema = Json::parse(hwConfigSchema());
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["gemm"]["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["compute"]["properties"]["concurrent"]["type"], "boolean");
}

}  // namespace
}  // namespace vta
