// What vta-flash prints.
#pragma once

#include <string>

#include "driver/flash/board/installed.h"
#include "driver/self_test.h"
#include "tools/vta_flash/flash_tool.h"

namespace vta::tools {

std::string infoText(const LoadedFile& file, bool json);
std::string flashText(const FlashReport& report, bool json);
/// `hw` is what was tested.
std::string testText(const HwConfig& hw, const driver::SelfTestReport& report, bool json);
std::string listText(const flash::Installed& installed, bool json);

}  // namespace vta::tools
