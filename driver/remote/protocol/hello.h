// The first message of every session.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "driver/remote/protocol/remote.pb.h"

namespace vta::remote {

/// With the versions that this build speaks. `device` is its name on the server; `hw` is YAML,
/// empty where no configuration is wanted.
v1::Hello helloMessage(const std::string& device, const std::string& hw);

/// The version that both sides speak. Error kUnsupported: both ranges, and which side to update.
Result<uint32_t> agreeOnVersion(const v1::Hello& hello);

/// The error for a request that this server's protocol does not have.
Status unknownRequest();

}  // namespace vta::remote
