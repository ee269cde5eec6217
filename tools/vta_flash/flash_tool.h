// The work of vta-flash.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/flash/board/found_device.h"
#include "driver/flash/board/loaders.h"
#include "driver/flash/board/needs.h"
#include "driver/flash/board/system.h"
#include "driver/flash/format/bitstream.h"
#include "driver/flash/format/description.h"
#include "tools/vta_flash/options.h"

namespace vta::tools {

/// A bitstream from a file, with its description if there is one.
struct LoadedFile {
  std::filesystem::path path;
  std::vector<std::byte> data;
  flash::Bitstream bitstream;
  std::optional<flash::BoardDescription> description;
};

/// Reads both. Errors begin with the file's name.
Result<LoadedFile> loadFile(const FlashOptions& options);

/// What was done, for the report.
struct FlashReport {
  std::optional<flash::FoundDevice> device;
  flash::Via via = flash::Via::kManager;
  std::string firmware;
  std::vector<flash::NeedReport> needs;
  std::optional<HardwareIdentity> identity;
  std::string identity_source;
  std::vector<std::string> warnings;
};

/// Checks, loads, sets and reads back.
Result<FlashReport> flashFile(const FlashOptions& options, const flash::System& system,
                              const LoadedFile& file);

/// Writes .bit.bin, .hwh, .dtso, shell.json and accel.json. Returns their names. Error: there is no
/// description.
Result<std::vector<std::string>> writePackage(const std::filesystem::path& folder,
                                              const LoadedFile& file);

}  // namespace vta::tools
