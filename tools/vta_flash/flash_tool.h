// The work of vta-flash with files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/flash/board/program_board.h"
#include "driver/flash/format/bitstream_file.h"
#include "tools/vta_flash/options.h"

namespace vta::tools {

/// Reads the bitstream, and the description beside it or that of the options. Errors begin with the
/// file's name.
Result<flash::BitstreamFile> loadFile(const FlashOptions& options);

/// Checks, loads, sets and reads back: on this machine, or on that of options.server.
Result<flash::FlashReport> flashFile(const FlashOptions& options, const flash::BitstreamFile& file);

/// Writes .bit.bin, .hwh, .dtso, shell.json and accel.json. Returns their names. Error: there is no
/// description.
Result<std::vector<std::string>> writePackage(const std::filesystem::path& folder,
                                              const flash::BitstreamFile& file);

}  // namespace vta::tools
