// vta-virtual-board: a board that is a process, for drivers without hardware (docs/boards.md).
#include <fmt/format.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary_folder.h"
#include "sim/board/virtual_board.h"
#include "tools/common/command_line.h"
#include "tools/common/main/run_tool.h"
#include "tools/common/print.h"
#include "tools/common/terminal.h"
#include "tools/virtual_hardware/child_command.h"
#include "tools/virtual_hardware/hardware_options.h"

namespace vta::tools {
namespace {

constexpr const char* kTool = "vta-virtual-board";
constexpr const char* kExamples = R"(
Examples:
  vta-virtual-board -- vta-run resnet8.vta.so --device zynq:root={}
      runs the command with a virtual board; {} is the folder of its files
  vta-virtual-board --core rtl --hw zynq-7020 --folder /tmp/board
      serves a board until it is interrupted
  vta-virtual-board --fault stale-cpu@2 -- vta-run resnet8.vta.so --verify --device zynq:root={}
      the same with stale cache lines behind the second launch

Exit codes: that of the command; 1 the board failed, 2 wrong usage.)";

struct Options {
  HardwareOptions hardware = {.memory_mib = 64};
  std::string folder;
  std::string programmed_hw;  // empty: that of the board
  uint64_t seed = 1;
  bool is_coherent = false;
};

/// The library that gives a process the board's device files.
std::string preloadLibrary() { return (libraryFolder() / "libvta_virtual_board.so").string(); }

/// What a process needs to see the board.
std::map<std::string, std::string> variables(const std::filesystem::path& folder) {
  return {{sim::kBoardVariable, folder.string()}, {"LD_PRELOAD", preloadLibrary()}};
}

Result<int> serveCommand(sim::VirtualBoard& board, const std::vector<std::string>& command,
                         const std::filesystem::path& folder) {
  VTA_ASSIGN_OR_RETURN(const pid_t process,
                       startCommand(withPlace(command, folder.string()), variables(folder)));
  const int watch = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (watch < 0) return ioError("pidfd_open failed");
  const Status served = board.serve(watch);
  close(watch);
  Result<int> exit_code = waitForCommand(process, command);
  VTA_RETURN_IF_ERROR(served);
  return exit_code;
}

Result<int> serveUntilStopped(sim::VirtualBoard& board, const std::filesystem::path& folder) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int watch = signalfd(-1, &signals, SFD_CLOEXEC);
  print("export {}={} LD_PRELOAD={}\n", sim::kBoardVariable, folder.string(), preloadLibrary());
  flushOutput();
  const Status served = board.serve(watch);
  close(watch);
  VTA_RETURN_IF_ERROR(served);
  return int{kExitOk};
}

Result<int> runBoard(const Options& options) {
  VTA_ASSIGN_OR_RETURN(const HwConfig hw, configurationOf(options.hardware));
  std::optional<TemporaryFolder> own_folder;
  std::filesystem::path folder;
  if (!options.folder.empty()) {
    folder = std::filesystem::absolute(options.folder);
  } else {
    VTA_ASSIGN_OR_RETURN(TemporaryFolder made, TemporaryFolder::create("vta-board"));
    own_folder.emplace(std::move(made));
    folder = own_folder->path();
  }
  sim::VirtualBoardOptions board_options;
  board_options.folder = folder;
  board_options.use_rtl = options.hardware.core == "rtl";
  board_options.has_four_blocks = options.hardware.core == "four-block";
  board_options.is_coherent = options.is_coherent;
  board_options.memory_bytes = options.hardware.memory_mib << 20;
  board_options.clock_hz = static_cast<uint64_t>(hw.params().clock_hz);
  board_options.seed = options.seed;
  if (!options.programmed_hw.empty()) {
    VTA_ASSIGN_OR_RETURN(board_options.programmed_hw, loadHwConfig(options.programmed_hw));
  }
  for (const std::string& text : options.hardware.faults) {
    VTA_ASSIGN_OR_RETURN(const sim::BoardFault fault, sim::parseBoardFault(text));
    board_options.faults.push_back(fault);
  }
  VTA_ASSIGN_OR_RETURN(const auto board, sim::VirtualBoard::create(hw, board_options));
  if (options.hardware.command.empty()) return serveUntilStopped(*board, folder);
  return serveCommand(*board, options.hardware.command, folder);
}

int runMain(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Presents the accelerator as the files that a driver on a board opens, backed by the "
      "Verilated RTL or the simulators, with caches that are not coherent and faults on demand.",
      kTool);
  app.footer(kExamples);
  app.add_option("--folder", options.folder, "Where the files go; a temporary one without");
  options.hardware.cores.push_back(
      {"four-block", "the registers of published 0.0.2 bitstreams, before the simulators"});
  addHardwareOptions(app, options.hardware, "board", "docs/boards.md", 4095);
  app.add_option(
         "--programmed-hw", options.programmed_hw,
         "Configuration of the core that programming the FPGA loads, whatever the bitstream "
         "is (default: that of --hw)")
      ->type_name("FILE|NAME")
      ->transform(hardwareName());
  app.add_flag("--coherent", options.is_coherent, "The memory port sees the caches");
  app.add_option("--seed", options.seed, "Seed of what caches write back")->check(seedRange());
  int exit_code = kExitOk;
  if (!parseCommandLine(app, kTool, argc, argv, exit_code)) return exit_code;
  const Result<int> result = runBoard(options);
  return result.ok() ? *result : reportError(kTool, result.status());
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  return vta::tools::runTool(vta::tools::kTool, argc, argv, vta::tools::runMain);
}
