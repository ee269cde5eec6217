// The RTL under other names.
#include "isa/rtl/sv_prefix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SvPrefixTest, WhatIsDefinedIsRenamedWhereverItIsNamed) {
  std::vector<SvSource> sources = {
      {"vta_pkg.sv",
       "// The package.\npackage vta_pkg;\n  localparam int A = vta_pkg::B;\nendpackage\n"},
      {"vta_fifo.sv", "module vta_fifo #(\n) ();\nendmodule\n"},
      {"vta_core.sv",
       "// As vta_fifo.\nmodule  vta_core;\n  vta_fifo u_vta_fifo ();\n  vta_fifo2 u_2 "
       "(vta_pkg::A);\n"
       "  logic vta_fifo_q, my$vta_fifo;\nendmodule"}};
  EXPECT_THAT(svNames(sources), ElementsAre("vta_pkg", "vta_fifo", "vta_core"));
  addSvPrefix(sources, "a_");
  EXPECT_EQ(sources[0].file, "a_vta_pkg.sv");
  EXPECT_EQ(
      sources[0].text,
      "// The package.\npackage a_vta_pkg;\n  localparam int A = a_vta_pkg::B;\nendpackage\n");
  EXPECT_EQ(sources[1].text, "module a_vta_fifo #(\n) ();\nendmodule\n");
  // Names that only contain one are others.
  EXPECT_EQ(sources[2].text,
            "// As a_vta_fifo.\nmodule  a_vta_core;\n  a_vta_fifo u_vta_fifo ();\n"
            "  vta_fifo2 u_2 (a_vta_pkg::A);\n  logic vta_fifo_q, my$vta_fifo;\nendmodule");
}

TEST(SvPrefixTest, Prefixes) {
  for (const char* good : {"a", "_", "core0_", "A_b_"})
    EXPECT_TRUE(checkSvPrefix(good).ok()) << good;
  for (const char* bad : {"", "0a", "a-", "a b", "a$", "a.b", "\xc3\xa4"}) {
    EXPECT_THAT(checkSvPrefix(bad).message(), HasSubstr("a prefix is a letter")) << bad;
  }
  EXPECT_TRUE(checkSvPrefix(std::string(64, 'a')).ok());
  EXPECT_FALSE(checkSvPrefix(std::string(65, 'a')).ok());
}

}  // namespace
}  // namespace vta
