#include "isa/rtl/sv_operations.h"

#include <gtest/gtest.h>

#include <string>

#include "isa/rtl/sv_package.h"
#include "tests/isa/spec/user_operations.h"

namespace vta {
namespace {

constexpr const char* kLaneText =
    "// A lane.\nmodule vta_alu_lane #(\n  parameter int P = 1\n) (\n  input logic clk_i,\n"
    "  output logic result_o\n);\n  assign result_o = clk_i;\nendmodule\n";

TEST(SvOperations, ModuleOfALane) {
  EXPECT_EQ(laneModule(*userOperation(absdiffText())),
            "module vta_lane_absdiff (\n"
            "  input  logic signed [31:0] x_i,\n"
            "  input  logic signed [31:0] y_i,\n"
            "  output logic signed [31:0] result_o\n"
            ");\n"
            "  logic signed [31:0] v0;\n  assign v0 = x_i - y_i;\n"
            "  logic signed [31:0] v1;\n  assign v1 = 32'sh0;\n"
            "  logic signed [31:0] v2;\n  assign v2 = v1 - v0;\n"
            "  logic signed [31:0] v3;\n  assign v3 = (v0 < v2) ? v2 : v0;\n"
            "  assign result_o = v3;\n"
            "endmodule\n");
}

TEST(SvOperations, WithoutOperationsTheRtlIsAsItWas) {
  EXPECT_EQ(*laneSource(HwConfig::makeDefault(), kLaneText), kLaneText);
}

TEST(SvOperations, TheOwnLaneIsInsideTheNewOne) {
  const auto text = laneSource(withUserOperations(), kLaneText);
  ASSERT_TRUE(text.ok());
  const auto has = [&](const std::string& part) { return text->find(part) != std::string::npos; };
  EXPECT_TRUE(has("module vta_alu_own_lane #("));
  EXPECT_TRUE(has("module vta_lane_absdiff ("));
  EXPECT_TRUE(has("module vta_lane_leak ("));
  EXPECT_TRUE(has("module vta_alu_lane #(\n  parameter int P = 1\n) (\n  input logic clk_i,\n"));
  EXPECT_TRUE(has("vta_pkg::AluOpAbsdiff: begin"));
  EXPECT_TRUE(has(".shift_i($signed({26'b0, lo_i[5:0]}))"));
  EXPECT_FALSE(laneSource(withUserOperations(), "module other;\nendmodule\n").ok());
}

TEST(SvOperations, ThePackageHasTheirCodes) {
  const std::string package = svPackage(withUserOperations());
  EXPECT_NE(package.find("    AluOpAbsdiff = 4'd12,\n    AluOpLeak = 4'd13\n  } alu_op_e;"),
            std::string::npos);
  EXPECT_NE(package.find("AluIsThere = 16'h307f;"), std::string::npos);
  EXPECT_NE(package.find("AluImmIsShift = 16'h2120;"), std::string::npos);
  EXPECT_NE(package.find("AluHasPages = 1'b1;"), std::string::npos);
}

}  // namespace
}  // namespace vta
