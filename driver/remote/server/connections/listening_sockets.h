// Sockets that listen at an address.
#pragma once

#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "driver/remote/protocol/host_port.h"

namespace vta::remote {

/// One socket for each address that the host's name stands for, not blocking. Port 0 becomes a free
/// one, which `address` has afterwards. Error: kIoError with the reason.
Result<std::vector<Descriptor>> listenAt(HostPort& address);

}  // namespace vta::remote
