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
#include "tools/common/names/choices.h"
#include "tools/common/print.h"
#include "tools/common/terminal.h"
#include "tools/virtual_hardware/child_command.h"
#include "tools/virtual_hardware/hardware_options.h"

namespace vta::tools {
namespace {

constexpr const char* kTool = "vta-virtual-card";
constexpr const char* kExamples = R"(
Examples:
  vta-virtual-card -- vta-run resnet8.vta.so --device xrt:0,xclbin={}
      runs the command with a virtual card; {} is a container for it
  vta-virtual-card --core rtl --hw zynq-7020 --container vta.xclbin
      writes the container, and prints the variables that show XRT the card
  vta-virtual-card --fault arithmetic@* -- vta-run resnet8.vta.so --verify --device xrt:0,xclbin={}
      the same with a wrong multiplier

Exit codes: that of the command; 1 the card failed, 2 wrong usage.)";

struct Options {
  HardwareOptions hardware = {.memory_mib = 256};
  std::string container;
  std::string control = "user_managed";
};

std::string settingsOf(const Options& options) {
  std::string settings = "core=" + options.hardware.core;
  for (const std::string& fault : options.hardware.faults) settings += ",fault=" + fault;
  return settings;
}

/// What a process needs for its XRT to find the card.
std::map<std::string, std::string> variables(const Options& options) {
  // XRT looks for drivers in the lib folder of this folder.
  return {{"XILINX_XRT", (libraryFolder() / "virtual_card").string()},
          {"XCL_EMULATION_MODE", "sw_emu"},
          {sim::kCardVariable, settingsOf(options)}};
}

Status writeContainer(const Options& options, const std::filesystem::path& path) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, configurationOf(options.hardware));
  sim::CardContainer container;
  container.hw_yaml = hw.toYaml();
  if (options.control == "ap_ctrl_chain") container.control = sim::KernelControl::kApCtrlChain;
  container.banks[0].size_bytes = options.hardware.memory_mib << 20;
  return sim::writeCardContainer(path, container);
}

Result<int> runCard(const Options& options) {
  VTA_RETURN_IF_ERROR(sim::parseCardSettings(settingsOf(options)).status());
  if (options.container.empty() && options.hardware.command.empty()) {
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
  if (options.hardware.command.empty()) {
    for (const auto& [name, value] : variables(options)) print("export {}={}\n", name, value);
    return int{kExitOk};
  }
  const auto command = withPlace(options.hardware.command, container.string());
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
  addHardwareOptions(app, options.hardware, "card", "docs/xrt.md", 65536);
  app.add_option("--control", options.control,
                 "user_managed: a kernel for --device xrt; ap_ctrl_chain: one that XRT starts, for "
                 "host programs with xrt::kernel")
      ->check(OneOf({"user_managed", "ap_ctrl_chain"}))
      ->capture_default_str();
  app.add_option("--container", options.container,
                 "Where the container goes; a temporary file without");
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
