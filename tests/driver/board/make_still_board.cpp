// Files that stand for a board whose launches have ended before they begin, for
// scripts/benchmarking/board_start.py.
//
// make_still_board MODULE FOLDER: makes them in FOLDER for the configuration of MODULE, whose host
// code may be for another processor, and prints the device for --device.
#include <fmt/format.h>

#include <cstdio>

#include "base/files.h"
#include "module/module_file.h"
#include "tests/driver/board/still_board.h"

namespace vta {
namespace {

constexpr uint64_t kMemoryBytes = 64 << 20;

Status run(const char* path, const char* folder) {
  VTA_ASSIGN_OR_RETURN(const auto file, readFile(path));
  VTA_ASSIGN_OR_RETURN(const ModuleView module, viewModule(file));
  const HwConfig* hw = module.info.hw();
  if (hw == nullptr) return invalidArgument("the module has no programs for the VTA");
  VTA_ASSIGN_OR_RETURN(const std::string device, test::makeStillBoard(*hw, folder, kMemoryBytes));
  fmt::print("{}\n", device);
  return {};
}

}  // namespace
}  // namespace vta

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "make_still_board: MODULE FOLDER\n");
    return 2;
  }
  const vta::Status status = vta::run(argv[1], argv[2]);
  if (status.ok()) return 0;
  fmt::print(stderr, "make_still_board: {}\n", status.message());
  return 1;
}
