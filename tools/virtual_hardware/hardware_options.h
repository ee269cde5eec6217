// Options that virtual boards and virtual cards have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "isa/config/hw_config.h"

namespace vta::tools {

/// What may stand behind the registers.
struct CoreChoice {
  std::string name;     // "rtl"
  std::string meaning;  // "the Verilated RTL"
};
/// What boards and cards have.
std::vector<CoreChoice> usualCores();

struct HardwareOptions {
  uint64_t memory_mib = 0;
  std::string core = "model";
  std::string hw_file{};  // empty: the default configuration
  std::vector<std::string> faults{};
  std::vector<std::string> command{};
  std::vector<CoreChoice> cores = usualCores();
};

/// Adds --hw, --core, --memory-mib, --fault and the command. `noun` is what the hardware is, a
/// board or a card; `page` of the documents lists its faults.
void addHardwareOptions(CLI::App& app, HardwareOptions& options, const std::string& noun,
                        const std::string& page, uint64_t most_memory_mib);

/// The configuration of the core. Errors: the file's.
Result<HwConfig> configurationOf(const HardwareOptions& options);

/// The folder of the libraries that lie beside the tools.
std::filesystem::path libraryFolder();

}  // namespace vta::tools
