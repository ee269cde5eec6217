// Bitstreams for the FPGA of a server's machine.
#pragma once

#include "base/status.h"
#include "driver/flash/board/program_board.h"
#include "driver/flash/format/bitstream_file.h"
#include "driver/remote/client/remote_options.h"

namespace vta::remote {

/// Sends a bitstream with its description; the server checks and loads it as vta-flash does on its
/// own machine. Errors: those of openFlashStream; kIoError with the server's reason when that
/// programs nothing; those of checkFlash and programBoard there.
Result<flash::FlashReport> flashRemotely(const RemoteOptions& options,
                                         const flash::FlashRequest& request,
                                         const flash::BitstreamFile& file);

}  // namespace vta::remote
