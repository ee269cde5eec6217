#include "base/yaml_section.h"

#include <gmock/gmock.h>

namespace vta {
namespace {

using testing::HasSubstr;

YamlSection sectionOf(const char* text) { return YamlSection(YAML::Load(text), "file.yaml"); }

TEST(YamlSectionTest, ReadsEachKind) {
  YamlSection section = sectionOf("a: text\nb: -7\nc: 2.5e-1\nd: [1]\n");
  EXPECT_EQ(section.text("a").value(), "text");
  EXPECT_EQ(section.integer("b").value(), -7);
  EXPECT_DOUBLE_EQ(section.number("c", 0, 1).value(), 0.25);
  EXPECT_TRUE(section.node("d")->IsSequence());
  EXPECT_TRUE(section.has("a"));
  EXPECT_FALSE(section.has("z"));
  EXPECT_TRUE(section.checkAllKnown().ok());
}

TEST(YamlSectionTest, ErrorsBeginWithThePlace) {
  YamlSection section = sectionOf("a: [1]\nb: 7x\nc: 2\n");
  EXPECT_THAT(section.text("z").status().message(), HasSubstr("file.yaml:1:1: key z is missing"));
  EXPECT_THAT(section.text("a").status().message(), HasSubstr("file.yaml:1:4: a must be a single"));
  EXPECT_THAT(section.integer("b").status().message(), HasSubstr("file.yaml:2:4: b is \"7x\""));
  EXPECT_THAT(section.number("c", 0, 1).status().message(),
              HasSubstr("file.yaml:3:4: c is \"2\"; legal: a number above 0 and at most 1"));
  EXPECT_EQ(section.placeOf("c"), "file.yaml:3:4");
}

TEST(YamlSectionTest, KeysThatNobodyAskedForAreNamed) {
  YamlSection section = sectionOf("a: 1\nb: 2\n");
  EXPECT_TRUE(section.integer("a").ok());
  EXPECT_THAT(section.checkAllKnown().message(),
              HasSubstr("file.yaml:2:1: unknown key b; legal keys: a"));
  YamlSection announced = sectionOf("a: 1\nb: 2\n");
  for (const char* key : {"a", "c"}) announced.expect(key);
  EXPECT_THAT(announced.checkAllKnown().message(), HasSubstr("unknown key b; legal keys: a, c"));
  YamlSection twice = sectionOf("a: 1\na: 2\n");
  EXPECT_TRUE(twice.integer("a").ok());
  EXPECT_THAT(twice.checkAllKnown().message(), HasSubstr("a appears twice"));
}

}  // namespace
}  // namespace vta
