// What a user may say about virtual cards.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "sim/board/board_faults.h"

namespace vta::sim {

/// The variable of the environment with the settings.
inline constexpr const char* kCardVariable = "VTA_VIRTUAL_CARD";

/// Of all cards of this process.
struct CardSettings {
  bool use_rtl = false;            ///< instead of the models
  uint32_t cards = 1;              ///< that XRT finds
  std::vector<BoardFault> faults;  ///< of each card
};

/// Reads settings behind commas: "core=rtl", "cards=2", "fault=stuck@1", which may come again.
/// Errors: kInvalidArgument, with what is legal.
Result<CardSettings> parseCardSettings(std::string_view text);

}  // namespace vta::sim
