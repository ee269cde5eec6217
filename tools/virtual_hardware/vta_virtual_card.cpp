// vta-virtual-card: a card that XRT finds without hardware (docs/xrt.md).
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary_folder.h"
#include "sim/card/card_container.h"
#include "sim/card/card_settings.h"
#include "tools/common/command_line.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/print.h"
#include "tools/common/terminal.h"
#include "tools/virtual_hardware/child_command.h"

namespace vta::tools {
namespace {

constexpr const char* kTool = "vta-virtual-card";
constexpr const char* kExamples = R"(
Examples:
  vta-virtual-card -- vta-run resnet8.vta.so --device xrt:0,xclbin={}
      runs the command with a virtual card; {} is a container for it
  vta-virtual-card --core rtl --hw pynq-z1 --container vta.xclbin
      writes the container, and prints the variables that show XRT the card
  vta-virtual-card --fault arithmetic@* -- vta-run resnet8.vta.so --verify --device xrt:0,xclbin={}
      the same with a wrong multiplier

Exit codes: that of the command; 1 the card failed, 2 wrong usage.)";

struct Options {
  std::string hw_file;
  std::string container;
  std::string core = "model";
  std::string control = "user_managed";
  std::vector<std::string> faults;
  std::vector<std::string> command;
  uint64_t memory_mib = 256;
};

/// The folder whose lib folder has the library that XRT loads.
std::filesystem::path xrtFolder() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path().parent_path() / "lib" / "virtual_card";
}

std::string settingsOf(const Options& options) {
  std::string settings = "core=" + options.core;
  for (const std::string& fault : options.faults) settings += ",fault=" + fault;
  return settings;
}

/// What a process needs for its XRT to find the card.
std::map<std::string, std::string> variables(const Options& options) {
  return {{"XILINX_XRT", xrtFolder().string()},
          {"XCL_EMULATION_MODE", "sw_emu"},
          {sim::kCardVariable, settingsOf(options)}};
}

Status writeContainer(const Options& options, const std::filesystem::path& path) {
  const auto hw = options.hw_file.empty() ? HwConfig::makeDefault() : loadHwConfig(options.hw_file);
  VTA_RETURN_IF_ERROR(hw.status());
  sim::CardContainer container;
  container.hw_yaml = hw->toYaml();
  if (options.control == "ap_ctrl_chain") container.control = sim::KernelControl::kApCtrlChain;
  container.banks[0].size_bytes = options.memory_mib << 20;
  return sim::writeCardContainer(path, container);
}

Result<int> runCard(const Options& options) {
  VTA_RETURN_IF_ERROR(sim::parseCardSettings(settingsOf(options)).status());
  if (options.container.empty() && options.command.empty()) {
    return invalidArgument("neither a command behind -- nor --container: nothing to do");
  }
  std::optional<TemporaryFolder> folder;
  std::filesystem::path container = options.container;
  if (options.container.empty()) {
    VTA_ASSIGN_OR_RETURN(TemporaryFolder made, TemporaryFolder::create("vta-card"));
    folder.emplace(std::move(made));
    container = folder->path() / "vta.xclbin";
  }
  VTA_RETURN_IF_ERROR(writeContainer(options, container));
  if (options.command.empty()) {
    for (const auto& [name, value] : variables(options)) print("export {}={}\n", name, value);
    return int{kExitOk};
  }
  const auto command = withPlace(options.command, container.string());
  VTA_ASSIGN_OR_RETURN(const pid_t process, startCommand(command, variables(options)));
  return waitForCommand(process, command);
}

int runMain(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Presents the accelerator as a kernel on a card that XRT 2.13 finds in software emulation, "
      "backed by the Verilated RTL or the simulators, with faults on demand.",
      kTool);
  app.footer(kExamples);
  addHardware(app, options.hw_file);
  app.add_option("--core", options.core, "model: the simulators; rtl: the Verilated RTL")
      ->check(CLI::IsMember({"model", "rtl"}))
      ->capture_default_str();
  app.add_option("--control", options.control,
                 "user_managed: a kernel for --device xrt; ap_ctrl_chain: one that XRT starts, for "
                 "host programs with xrt::kernel")
      ->check(CLI::IsMember({"user_managed", "ap_ctrl_chain"}))
      ->capture_default_str();
  app.add_option("--container", options.container,
                 "Where the container goes; a temporary file without");
  app.add_option("--memory-mib", options.memory_mib, "Memory of the card, in MiB")
      ->check(wholeNumber(1, 65536))
      ->capture_default_str();
  addRepeatable(app, "--fault", options.faults,
                "What goes wrong, as KIND@LAUNCH, KIND@FIRST-LAST or KIND@*; docs/xrt.md lists "
                "the kinds");
  app.add_option("command", options.command, "Behind --: a command to run with the card");
  int exit_code = kExitOk;
  if (!parseCommandLine(app, kTool, argc, argv, exit_code)) return exit_code;
  const Result<int> result = runCard(options);
  return result.ok() ? *result : reportError(kTool, result.status());
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  return vta::tools::runTool(vta::tools::kTool, argc, argv, vta::tools::runMain);
}
