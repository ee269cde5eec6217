// The command line of vta-flash.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vta::tools {

inline constexpr const char* kFlashTool = "vta-flash";

/// What is asked of the tool; one of these at a time.
enum class FlashAction : uint8_t { kFlash, kInfo, kList, kPackage, kConvert, kTest };

struct FlashOptions {
  FlashAction action = FlashAction::kFlash;
  std::string bitstream;
  std::string description;  // empty: the file beside the bitstream, if it is there
  std::string via = "auto";
  std::string die;  // empty: what the machine says
  std::string root = "/";
  std::string card;  // of XRT
  std::string package_dir;
  std::string convert_file;
  std::string device = "zynq";  // of the self test
  std::string hw_file;          // of the self test; empty: what the registers say
  std::vector<std::string> jtag_options;
  bool use_memory = false;
  bool slower_clock = false;
  bool json = false;
};

/// Reads the command line; false when the tool is to end with `exit_code`.
bool parseFlashOptions(int argc, char** argv, FlashOptions& options, int& exit_code);

}  // namespace vta::tools
