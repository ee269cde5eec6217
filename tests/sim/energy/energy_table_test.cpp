#include "sim/energy/energy_table.h"

#include <gmock/gmock.h>

namespace vta::sim {
namespace {

using testing::HasSubstr;

constexpr const char* kSram = "[{kib: 8, bits: 64, pj: 10, source: s}]";
constexpr const char* kAdd = "{pj: 0.1, source: s}";

// Every key once, with what a test puts in its place.
std::string tableText(const std::string& sram = kSram, const std::string& add = kAdd,
                      const std::string& more = "") {
  return "node: 45 nm\nmultiply_int8: {pj: 0.2, source: s}\nadd_int32: " + add +
         "\nmultiply_int32: {pj: 3.1, source: t}\ndram: {bits: 64, pj: 1300, source: u}\nsram: " +
         sram + "\n" + more;
}

void expectRefused(const std::string& text, const std::vector<std::string>& says) {
  const auto table = parseEnergyTable(text, "table.yaml");
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.status().code(), StatusCode::kInvalidArgument);
  for (const std::string& words : says) EXPECT_THAT(table.status().message(), HasSubstr(words));
}

TEST(EnergyTableTest, ReadsEveryFigure) {
  const auto table = parseEnergyTable(tableText(kSram, kAdd, "static_mw: 5"), "table.yaml");
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->node, "45 nm");
  EXPECT_DOUBLE_EQ(table->multiply_int8.pj, 0.2);
  EXPECT_DOUBLE_EQ(table->add_int32.pj, 0.1);
  EXPECT_DOUBLE_EQ(table->multiply_int32.pj, 3.1);
  EXPECT_DOUBLE_EQ(table->dram.pjPerBit(), 1300 / 64.0);
  EXPECT_EQ(table->static_mw, 5);
  EXPECT_THAT(table->sources(), testing::ElementsAre("s", "t", "u"));
}

TEST(EnergyTableTest, SramIsInterpolatedBetweenFigures) {
  const auto table = parseEnergyTable(tableText("[{kib: 8, bits: 64, pj: 64, source: s}, "
                                                "{kib: 32, bits: 64, pj: 256, source: s}]"),
                                      "table.yaml");
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_DOUBLE_EQ(table->sramPjPerBit(1), 1);
  EXPECT_DOUBLE_EQ(table->sramPjPerBit(8), 1);
  EXPECT_DOUBLE_EQ(table->sramPjPerBit(16), 2);  // half way in logarithms
  EXPECT_DOUBLE_EQ(table->sramPjPerBit(32), 4);
  EXPECT_DOUBLE_EQ(table->sramPjPerBit(1000), 4);
}

TEST(EnergyTableTest, BuiltInTablesAreTheFilesOfConfigs) {
  for (const std::string& name : builtinEnergyTables()) {
    const auto table = resolveEnergyTable(name);
    ASSERT_TRUE(table.ok()) << table.status().message();
    const auto file = resolveEnergyTable(VTA_SOURCE_DIR "/configs/energy/" + name + ".yaml");
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_EQ(table->node, file->node);
    EXPECT_DOUBLE_EQ(table->sramPjPerBit(256), file->sramPjPerBit(256));
    // DRAM costs more a bit than any scratchpad, and big ones more than small ones.
    EXPECT_GT(table->dram.pjPerBit(), table->sramPjPerBit(1024));
    EXPECT_GT(table->sramPjPerBit(256), table->sramPjPerBit(32));
    for (const std::string& source : table->sources()) EXPECT_GT(source.size(), 20u);
  }
}

TEST(EnergyTableTest, ErrorsNamePlaceKeyAndWhatIsLegal) {
  expectRefused("a: [", {"table.yaml:", "not valid YAML"});
  expectRefused("- 1", {"table.yaml", "must be a map", "multiply_int8"});
  expectRefused("node: x", {"table.yaml:1:1", "multiply_int8 is missing"});
  expectRefused(tableText(kSram, "0.1"), {"table.yaml:3:12", "add_int32 must be a map", "source"});
  expectRefused(tableText(kSram, "{pj: -1, source: s}"),
                {"table.yaml:3:17", "pj is \"-1\"", "above 0 and at most 1000000"});
  expectRefused(tableText(kSram, "{pj: nan, source: s}"), {"pj is \"nan\"", "legal"});
  expectRefused(tableText(kSram, "{pj: 1}"), {"table.yaml:3:12", "source is missing"});
  expectRefused(tableText(kSram, "{pj: 1, source: ''}"), {"source is empty", "published"});
  expectRefused(tableText(kSram, "{pj: 1, source: s, volts: 1}"),
                {"unknown key volts", "legal keys: pj, source"});
  expectRefused(tableText("[]"), {"table.yaml:6:7", "sram", "at least one"});
  expectRefused(tableText("5"), {"sram", "list"});
  expectRefused(tableText("[7]"), {"a memory of sram must be a map"});
  expectRefused(tableText("[{kib: 8, bits: 0, pj: 10, source: s}]"), {"bits is 0", "1 to 4096"});
  expectRefused(tableText("[{kib: 8, bits: 64, pj: 10, source: s}, "
                          "{kib: 8, bits: 64, pj: 12, source: s}]"),
                {"kib is 8 behind 8", "must grow"});
  expectRefused(tableText(kSram, kAdd, "static_mw: much"), {"static_mw is \"much\"", "number"});
  expectRefused(tableText(kSram, kAdd, "node: 2"), {"node appears twice"});
}

TEST(EnergyTableTest, UnknownTablesAreNamedWithTheKnownOnes) {
  const auto table = resolveEnergyTable("3nm");
  EXPECT_EQ(table.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(table.status().message(), HasSubstr("\"3nm\" is neither"));
  EXPECT_THAT(table.status().message(), HasSubstr("45nm, 7nm"));
}

}  // namespace
}  // namespace vta::sim
