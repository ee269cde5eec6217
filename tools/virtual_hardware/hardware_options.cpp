#include "tools/virtual_hardware/hardware_options.h"

#include <fmt/format.h>

#include <system_error>

#include "tools/common/command_line.h"
#include "tools/common/names/choices.h"

namespace vta::tools {

std::vector<CoreChoice> usualCores() {
  return {{"model", "the simulators"}, {"rtl", "the Verilated RTL"}};
}

void addHardwareOptions(CLI::App& app, HardwareOptions& options, const std::string& noun,
                        const std::string& page, uint64_t most_memory_mib) {
  addHardware(app, options.hw_file);
  std::vector<std::string> names;
  std::string meanings;
  for (const CoreChoice& core : options.cores) {
    names.push_back(core.name);
    meanings += fmt::format("{}{}: {}", meanings.empty() ? "" : "; ", core.name, core.meaning);
  }
  app.add_option("--core", options.core, meanings)->check(OneOf(names))->capture_default_str();
  app.add_option("--memory-mib", options.memory_mib,
                 fmt::format("Memory of the {} for the accelerator, in MiB", noun))
      ->check(wholeNumber(1, most_memory_mib))
      ->capture_default_str();
  const std::string fault_help = fmt::format(
      "What goes wrong, as KIND@LAUNCH, KIND@FIRST-LAST or KIND@*; {} lists the kinds", page);
  addRepeatable(app, "--fault", options.faults, fault_help.c_str());
  app.add_option("command", options.command,
                 fmt::format("Behind --: a command to run with the {}", noun));
}

Result<HwConfig> configurationOf(const HardwareOptions& options) {
  return options.hw_file.empty() ? HwConfig::makeDefault() : loadHwConfig(options.hw_file);
}

std::filesystem::path libraryFolder() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path().parent_path() / "lib";
}

}  // namespace vta::tools
