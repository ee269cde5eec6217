// What vta-flash prints.
#pragma once

#include <string>

#include "driver/flash/board/installed.h"
#include "driver/flash/board/program_board.h"
#include "driver/flash/format/bitstream_file.h"
#include "driver/self_test.h"

namespace vta::tools {

std::string infoText(const flash::BitstreamFile& file, bool json);
std::string flashText(const flash::FlashReport& report, bool json);
/// `hw` is what was tested.
std::string testText(const HwConfig& hw, const driver::SelfTestReport& report, bool json);
std::string listText(const flash::Installed& installed, bool json);

}  // namespace vta::tools
