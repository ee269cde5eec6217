// The command line of vta-flash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "driver/device_registry.h"
#include "driver/flash/board/program_board.h"

namespace vta::tools {

inline constexpr const char* kFlashTool = "vta-flash";

/// What is asked of the tool; one of these at a time.
enum class FlashAction : uint8_t { kFlash, kInfo, kList, kPackage, kConvert, kTest };

struct FlashOptions {
  FlashAction action = FlashAction::kFlash;
  std::string bitstream;
  std::string description;  // empty: the file beside the bitstream, if it is there
  flash::FlashRequest request;
  std::string root = "/";
  std::string package_dir;
  std::string convert_file;
  std::string device = "zynq";
  std::optional<driver::DeviceSpec> server;  // of `device`, where a server has it
  std::string hw_file;                       // of the self test; empty: what the registers say
  bool json = false;
};

/// Reads the command line; false when the tool is to end with `exit_code`.
bool parseFlashOptions(int argc, char** argv, FlashOptions& options, int& exit_code);

}  // namespace vta::tools
