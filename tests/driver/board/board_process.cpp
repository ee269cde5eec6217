#include "tests/driver/board/board_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "driver/device_registry.h"
#include "sim/board/protocol.h"

namespace vta::driver::test {
namespace {

/// The child: tells through `ready` when it listens, and serves until it is killed.
[[noreturn]] void serve(const HwConfig& hw, const sim::VirtualBoardOptions& options, int ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto board = sim::VirtualBoard::create(hw, options);
  if (!board.ok()) {
    std::fprintf(stderr, "virtual board: %s\n", board.status().message().c_str());
    std::_Exit(1);
  }
  int never[2];
  if (pipe(never) != 0 || ::write(ready, "1", 1) != 1) std::_Exit(1);
  const Status status = (*board)->serve(never[0]);
  std::_Exit(status.ok() ? 0 : 1);
}

/// As setenv, which never frees the values of before: here they are one for each board.
void nameBoard(const std::filesystem::path& folder) {
  static char variable[PATH_MAX];
  std::snprintf(variable, sizeof(variable), "%s=%s", sim::kBoardVariable, folder.c_str());
  putenv(variable);
}

/// Tests count launches, so none comes before theirs.
const char* noSelfTestUnless(const std::string& options) {
  return options.find("self-test") == std::string::npos ? ",self-test=never" : "";
}

}  // namespace

BoardProcess::BoardProcess(sim::VirtualBoardOptions options, const HwConfig& hw)
    : folder_(*TemporaryFolder::create("vta-board-test")) {
  std::filesystem::permissions(folder(), static_cast<std::filesystem::perms>(0755));
  options.folder = folder();
  int ready[2];
  if (pipe(ready) != 0) throw std::runtime_error("no pipe");
  process_ = fork();
  if (process_ == 0) serve(hw, options, ready[1]);
  close(ready[1]);
  char byte = 0;
  const bool is_up = ::read(ready[0], &byte, 1) == 1;
  close(ready[0]);
  if (!is_up) throw std::runtime_error("the virtual board does not start");
  nameBoard(folder());
}

BoardProcess::~BoardProcess() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

std::string BoardProcess::spec(const std::string& more) const {
  return "zynq:root=" + folder().string() + more + noSelfTestUnless(more);
}

Result<std::unique_ptr<Device>> BoardProcess::open(const std::string& more,
                                                   const HwConfig& hw) const {
  return createDevice(spec(more), hw);
}

void BoardProcess::write(const std::string& path, const std::string& text) const {
  std::filesystem::create_directories((folder() / path).parent_path());
  std::ofstream(folder() / path) << text;
}

sim::VirtualBoardOptions withFault(const std::string& fault) {
  sim::VirtualBoardOptions options;
  options.memory_bytes = uint64_t{4} << 20;
  const auto parsed = sim::parseBoardFault(fault);
  if (!parsed.ok()) throw std::runtime_error(parsed.status().message());
  options.faults = {*parsed};
  return options;
}

}  // namespace vta::driver::test
