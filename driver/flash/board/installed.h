// What a board has of ours, and what its logic says that it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/flash/board/system.h"

namespace vta::flash {

struct InstalledFile {
  std::string file;  // "/lib/firmware/vta-....bin"
  uint64_t size_bytes = 0;
  std::string content;  // "xc7z020 (IDCODE ...)", or what is wrong with it
};

struct Installed {
  std::string manager;        // name of the FPGA manager; empty without one
  std::string manager_state;  // "operating"
  std::vector<std::string> overlays;
  std::vector<InstalledFile> firmware;
  std::vector<std::string> uio;  // "uio0: vta at 0x43c00000"
};

Installed listInstalled(const System& system);

}  // namespace vta::flash
