// A bitstream into a board, with all checks: the work of vta-flash, and of a server that programs
// its board for clients.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/flash/board/loaders.h"
#include "driver/flash/board/needs.h"
#include "driver/flash/board/system.h"
#include "driver/flash/format/bitstream_file.h"

namespace vta::flash {

/// What the user wants.
struct FlashRequest {
  std::string via = "auto";  // or viaName
  std::string die;           // empty: what the machine says
  std::string card;          // of XRT
  std::vector<std::string> jtag_options;
  bool use_memory = false;    // /dev/mem for what the kernel does not give
  bool slower_clock = false;  // where the PLL cannot make the one that is wanted
};

/// What was done.
struct FlashReport {
  Via via = Via::kManager;
  std::string die;  // that was found; empty: not looked for
  std::string die_source;
  std::string firmware;
  std::vector<NeedReport> needs;
  std::optional<HardwareIdentity> identity;
  std::string identity_source;
  std::vector<std::string> warnings;
};

/// Whether the way goes into an FPGA of this machine, which a driver may use.
bool isOnBoard(Via via);

/// All checks that need nothing of a driver which has the board: description, way, die. The report
/// says what was found. Nothing is changed.
Result<FlashReport> checkFlash(const FlashRequest& request, const System& system,
                               const BitstreamFile& file);

/// Sets clocks, loads, sets port widths and reads back; `report` is what checkFlash gave. On a
/// board no driver may have it (checkUnused). After an error, a board that `system` told of changes
/// of may be anything.
Result<FlashReport> programBoard(const FlashRequest& request, const System& system,
                                 const BitstreamFile& file, FlashReport report);

}  // namespace vta::flash
