#include "tools/common/error_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace vta::tools {
namespace {

TEST(ErrorJson, IsWellFormedWhateverTheMessageHolds) {
  for (const char* message : {"plain", "a \"quote\" and a \\", "two\nlines\tand a tab", "bell \x07",
                              "not UTF-8: \xff\xc3"}) {
    noteError(message);
    const auto json = nlohmann::json::parse(notedErrorJson("vta-thing", 2));
    EXPECT_EQ(json["format"], "vta-error");
    EXPECT_EQ(json["version"], 1);
    EXPECT_EQ(json["tool"], "vta-thing");
    EXPECT_EQ(json["exit_code"], 2);
    EXPECT_FALSE(json["message"].get<std::string>().empty());
  }
  noteError("a \"b\"\n\\");
  EXPECT_EQ(nlohmann::json::parse(notedErrorJson("t", 1))["message"], "a \"b\"\n\\");
  noteError("");
  EXPECT_EQ(notedErrorJson("t", 1), "");
}

TEST(ErrorJson, IsWantedByTheOptionAlone) {
  char tool[] = "vta-run", json[] = "--json", file[] = "json";
  char* with[] = {tool, json};
  char* without[] = {tool, file};
  EXPECT_TRUE(wantsJson(2, with));
  EXPECT_FALSE(wantsJson(2, without));
}

}  // namespace
}  // namespace vta::tools
