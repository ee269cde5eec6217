#include "tools/common/docs/command_docs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/common/names/choices.h"

namespace vta::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class CommandDocsTest : public ::testing::Test {
 protected:
  CommandDocsTest() : app_("Does a thing: with files.", "vta-thing") {
    app_.add_option("model", text_, "What to read")->type_name("FILE")->required();
    app_.add_option("-o,--output", text_, "Where it's\nwritten [a file]")->type_name("FILE");
    app_.add_option("--host", text_, "Where")->check(OneOf({"cpu", "gpu"}))->group("Places");
    app_.add_option("--top", number_, "How many")->group("Places");
    app_.add_flag("--json", flag_, "Print JSON");
    app_.add_option("--hw", text_, "Which")->type_name("FILE|NAME")->check(Offered([] {
      return std::vector<std::string>{"default", "wide"};
    }));
    app_.add_option("--sim", text_, "Where")
        ->type_name("[=NAME]")
        ->check(Offered({"cycle", "rtl"}));
    app_.add_flag("--profile{1}", number_, "Print rows")->check(Offered({"brief", "full"}));
    app_.add_flag("--hidden", flag_, "Not shown")->group("");
    app_.footer("\nExamples:\n  vta-thing a.onnx -o b\n.dotted");
  }

  CLI::App app_;
  std::string text_;
  int number_ = 0;
  bool flag_ = false;
};

TEST_F(CommandDocsTest, OptionsAreThoseOfTheHelp) {
  const std::vector<OptionText> options = optionTexts(app_);
  ASSERT_EQ(options.size(), 9u);  // with --help, without the hidden one
  EXPECT_THAT(options[0].names, ElementsAre("-h", "--help"));
  EXPECT_EQ(options[0].value, "");
  EXPECT_TRUE(options[1].names.empty());
  EXPECT_EQ(options[1].value, "FILE");
  EXPECT_THAT(options[2].names, ElementsAre("-o", "--output"));
  EXPECT_TRUE(options[2].takes_files);
  EXPECT_EQ(options[2].description, "Where it's written [a file]");
  EXPECT_THAT(options[3].choices, ElementsAre("cpu", "gpu"));
  EXPECT_EQ(options[3].group, "Places");
  EXPECT_FALSE(options[4].takes_files);
  EXPECT_EQ(options[5].value, "");
  EXPECT_EQ(options[6].value, "FILE|NAME");
  EXPECT_TRUE(options[6].takes_files);
  EXPECT_THAT(options[6].choices, ElementsAre("default", "wide"));
  EXPECT_EQ(options[7].value, "NAME");
  EXPECT_TRUE(options[7].is_value_optional);
  EXPECT_EQ(options[8].value, "brief|full");
  EXPECT_TRUE(options[8].is_value_optional);
}

TEST_F(CommandDocsTest, ManPages) {
  const std::string page = manPage(toolText(app_), "vta-thing", "1.2.3");
  EXPECT_THAT(page, HasSubstr(".TH VTA-THING 1 \"\" \"vta 1.2.3\""));
  EXPECT_THAT(page, HasSubstr("vta\\-thing \\- Does a thing\n"));
  EXPECT_THAT(
      page,
      HasSubstr(
          ".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nWhere it's written [a file]\n"));
  EXPECT_THAT(page, HasSubstr(".SS Places\n"));
  EXPECT_THAT(page, HasSubstr("One of: cpu gpu"));
  EXPECT_THAT(page, HasSubstr("\n\\&.dotted\n"));
  EXPECT_THAT(page, Not(HasSubstr("hidden")));
}

TEST_F(CommandDocsTest, Completion) {
  const std::string bash = completion(toolText(app_), "vta-thing", "bash");
  EXPECT_THAT(bash, HasSubstr("complete -o filenames -F _vta_thing vta-thing"));
  EXPECT_THAT(bash, HasSubstr("--host) mapfile -t COMPREPLY < <(compgen -W 'cpu gpu'"));
  EXPECT_THAT(bash, HasSubstr("--hw) mapfile -t COMPREPLY < <(compgen -f -W 'default wide'"));
  const std::string zsh = completion(toolText(app_), "vta-thing", "zsh");
  EXPECT_THAT(zsh, HasSubstr("'*--output=[Where it'\\''s written \\[a file\\]]:FILE:_files'"));
  EXPECT_THAT(zsh, HasSubstr("'*--json[Print JSON]'"));
  EXPECT_THAT(zsh, HasSubstr("'*--sim=-[Where]::NAME:(cycle rtl)'"));
  EXPECT_THAT(zsh, HasSubstr(R"x(:{_alternative "names\:name\:(default wide)" )x"
                             R"x("files\:file\:_files"}')x"));
  const std::string fish = completion(toolText(app_), "vta-thing", "fish");
  EXPECT_THAT(
      fish,
      HasSubstr("complete -c vta-thing -s o -l output -r -d 'Where it'\\''s written [a file]'"));
  EXPECT_THAT(fish, HasSubstr("-l host -r -f -a 'cpu gpu'"));
  EXPECT_THAT(fish, HasSubstr("-l hw -r -a 'default wide'"));
  for (const std::string& shell : completionShells()) {
    EXPECT_THAT(completion(toolText(app_), "vta-thing", shell), Not(HasSubstr("hidden"))) << shell;
  }
}

}  // namespace
}  // namespace vta::tools
