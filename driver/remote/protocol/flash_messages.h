// Between the messages about bitstreams and what vta-flash works with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "driver/flash/board/program_board.h"
#include "driver/flash/format/bitstream_file.h"
#include "driver/remote/protocol/remote.pb.h"

namespace vta::remote {

/// All of FlashHello but `session`. The ways that a server has need no more of `request`.
v1::FlashHello flashHello(const flash::FlashRequest& request, const flash::BitstreamFile& file);

flash::FlashRequest flashRequestOf(const v1::FlashHello& hello);

v1::FlashReport reportMessage(const flash::FlashReport& report);
/// Errors: kIoError for a message that no server sends.
Result<flash::FlashReport> reportOf(const v1::FlashReport& message);

}  // namespace vta::remote
