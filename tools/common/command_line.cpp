#include "tools/common/command_line.h"

#include <fmt/format.h>

#include <cstdio>

#include "module/module_info.h"
#include "tools/common/terminal.h"

namespace vta::tools {

bool parseCommandLine(CLI::App& app, const char* tool, int argc, char** argv, int& exit_code) {
  app.name(tool);
  app.set_version_flag("--version", fmt::format("{} {}", tool, sdkVersion()));
  try {  // CLI11 reports everything by exceptions
    app.parse(argc, argv);
    return true;
  } catch (const CLI::Success& success) {
    exit_code = app.exit(success);
  } catch (const CLI::ParseError& error) {
    exit_code = reportUsage(tool, error.what());
  }
  return false;
}

int reportUsage(const char* tool, const std::string& problem) {
  fmt::print(stderr, "{}: error: {}\nRun {} --help for the options.\n", tool, problem, tool);
  return kExitUsage;
}

void addHardware(CLI::App& app, std::string& file) {
  app.add_option("--hw", file, "Accelerator configuration (YAML); default: built in")
      ->type_name("FILE");
}

void addPreprocess(CLI::App& app, std::string& preprocess) {
  app.add_option("--preprocess", preprocess,
                 "How images become inputs: imagenet, none or a YAML file")
      ->type_name("imagenet|none|FILE");
}

CLI::Validator countRange() { return CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}); }

}  // namespace vta::tools
