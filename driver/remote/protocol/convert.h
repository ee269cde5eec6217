// Between the messages of the protocol and the types of the driver. Messages come from the network:
// whatever is in them gives a value or an error.
#pragma once

#include "base/status.h"
#include "driver/device.h"
#include "driver/remote/protocol/remote.pb.h"

namespace vta::remote {

v1::Error errorMessage(const Status& status);
/// Never ok: an error without a known code is kInternal.
Status statusOf(const v1::Error& error);

v1::Launch launchMessage(const driver::Launch& launch);
driver::Launch launchOf(const v1::Launch& message);

v1::LaunchResult resultMessage(const driver::LaunchResult& result);
/// Errors: kIoError for a message that no server sends.
Result<driver::LaunchResult> resultOf(const v1::LaunchResult& message);

}  // namespace vta::remote
