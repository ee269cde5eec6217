#include "tools/common/command_line.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <memory>
#include <sstream>

#include "base/closest_name.h"
#include "module/module_info.h"
#include "tools/common/commit.h"
#include "tools/common/config_folder.h"
#include "tools/common/docs/command_docs.h"
#include "tools/common/error_json.h"
#include "tools/common/names/choices.h"
#include "tools/common/print.h"
#include "tools/common/terminal.h"

namespace vta::tools {

namespace {

/// Descriptions in lines that a terminal of 100 columns shows.
class WrappedHelp final : public CLI::Formatter {
 public:
  WrappedHelp() { column_width(kNameColumns); }

  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapLine(option->get_description(), kDescriptionColumns, 0);
  }

  /// Names are in the description of an option whose type says what it takes.
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string text = CLI::Formatter::make_option_opts(option);
    return text.starts_with(" TEXT:") ? text : withoutNames(text);
  }

 private:
  static constexpr size_t kNameColumns = 32;
  static constexpr size_t kDescriptionColumns = 68;
};

/// For the first option that `app` does not have.
std::string suggestionFor(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  for (const std::string& argument : app.remaining()) {
    if (!argument.starts_with("--")) continue;
    // Without the dashes, which say nothing about how alike two names are.
    const std::string name = closestName(argument.substr(2, argument.find('=') - 2), names);
    return name.empty() ? "" : "; did you mean --" + name + "?";
  }
  return "";
}

/// --man and --completion, which print what is made of the options of `app` and end the program.
void addDocuments(CLI::App& app, const char* tool) {
  app.add_flag_callback(
      "--man",
      [&app, tool] {
        printText(manPage(toolText(app), tool, sdkVersion()));
        throw CLI::Success();
      },
      "Print the manual page, for man -l -, and exit");
  app.add_option_function<std::string>(
         "--completion",
         [&app, tool](const std::string& shell) {
           printText(completion(toolText(app), tool, shell));
           throw CLI::Success();
         },
         "Print the script that completes this tool's options in a shell, and exit")
      ->type_name("SHELL")
      ->check(OneOf(completionShells()));
}

}  // namespace

bool parseCommandLine(CLI::App& app, const char* tool, int argc, char** argv, int& exit_code) {
  app.name(tool);
  app.formatter(std::make_shared<WrappedHelp>());
  addDocuments(app, tool);
  app.set_version_flag("--version", toolVersion(tool));
  try {  // CLI11 reports everything by exceptions
    app.parse(argc, argv);
    return true;
  } catch (const CLI::Success& success) {
    std::ostringstream help;
    exit_code = app.exit(success, help, help);
    printText(help.str());
  } catch (const CLI::ParseError& error) {
    exit_code = reportUsage(tool, error.what() + suggestionFor(app));
  }
  return false;
}

std::string toolVersion(std::string_view tool) {
  const std::string commit = sdkCommit().empty() ? "" : fmt::format(" ({})", sdkCommit());
  return fmt::format("{} {}{}", tool, sdkVersion(), commit);
}

void groupOptions(CLI::App& app, const std::string& group) {
  for (CLI::Option* option : app.get_options()) {
    const bool is_new = option->get_group() == "Options" && option != app.get_help_ptr();
    if (is_new && option->nonpositional()) option->group(group);
  }
}

int reportUsage(const char* tool, const std::string& problem) {
  noteError(problem);
  printError("{}: error: {}\nRun {} --help for the options.\n", tool, problem, tool);
  return kExitUsage;
}

void addHardware(CLI::App& app, std::string& file) {
  app.add_option(
         "--hw", file,
         "Accelerator configuration: a YAML file by its path, or the name of one that comes with "
         "the SDK; default: built in")
      ->type_name("FILE|NAME")
      ->transform(hardwareName());
}

void addExtensions(CLI::App& app, std::vector<std::string>& folders) {
  addRepeatable(
      app, "--extension", folders,
      "Folder of an ALU operation of your own, which the hardware then has; may be repeated")
      ->type_name("DIR");
}

CLI::Validator hardwareName() { return Renamed(resolveConfigName, configNames); }

void addPreprocess(CLI::App& app, std::string& preprocess) {
  app.add_option("--preprocess", preprocess,
                 "How images become inputs: imagenet, none or a YAML file")
      ->type_name("imagenet|none|FILE")
      ->check(Offered({"imagenet", "none"}));
}

CLI::Option* addRepeatable(CLI::App& app, const char* name, std::vector<std::string>& values,
                           const char* description) {
  CLI::Option* option = app.add_option(name, values, description);
  makeRepeatable(*option);
  return option;
}

void makeRepeatable(CLI::Option& option) {
  // CLI11 lets options with several values take every argument up to the next option.
  option.expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Validator wholeNumber(uint64_t low, uint64_t high) {
  const auto check = [low, high](const std::string& text) {
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && rest == end && value >= low && value <= high) return std::string();
    return fmt::format("{} is not a whole number from {} to {}", text, low, high);
  };
  return {check, "", ""};
}

CLI::Validator numberFrom(double low, double high) {
  const CLI::Range range(low, high);
  const auto check = [low, high](const std::string& text) {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= low && value <= high) {
      return std::string();
    }
    return fmt::format("{} is not a number from {} to {}", text, low, high);
  };
  return {check, range.get_description(), ""};
}

CLI::Validator seedRange() { return wholeNumber(0, std::numeric_limits<uint64_t>::max()); }

CLI::Validator countRange() { return wholeNumber(1, 1'000'000'000); }

}  // namespace vta::tools
