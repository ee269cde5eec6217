// What a user may say about a card.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "driver/board/first_contact.h"

namespace vta::driver {

struct CardOptions {
  uint32_t card = 0;      // as XRT counts them
  std::string container;  // the .xclbin file
  std::string ip;         // "vta_top:vta_top_1"; empty: the one whose name begins with vta
  std::string memory;     // "DDR[0]"; empty: the first one that the core reaches
  FirstContact first_contact = FirstContact::kTestNew;
  std::chrono::milliseconds lock_timeout{0};  // to wait for another process
  /// How long a launch that a dead process left behind may go on.
  std::chrono::milliseconds busy_timeout{10'000};
};

}  // namespace vta::driver
