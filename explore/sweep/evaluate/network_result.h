// What a network takes on one accelerator, as text for the cache and between processes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "explore/sweep/network/network_timer.h"

namespace vta::sweep {

/// One line of JSON.
std::string encodeTime(const NetworkTime& time);
/// Errors: kInvalidArgument for texts that encodeTime did not write.
Result<NetworkTime> decodeTime(std::string_view text);

std::string encodeLayers(const std::vector<LayerTime>& layers);
Result<std::vector<LayerTime>> decodeLayers(std::string_view text);

}  // namespace vta::sweep
