// DeviceStream: the connection of one remote device.
#pragma once

#include <chrono>
#include <memory>

#include "base/status.h"
#include "driver/remote/client/remote_options.h"
#include "driver/remote/protocol/remote.pb.h"

namespace vta::remote {

/// Messages to a server and back, in order. Used by one thread at a time. After an error every call
/// returns that error.
class DeviceStream {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Connects. Errors: files that cannot be read; kIoError, with the reason and a remedy, when
  /// there is no server, or one that refuses the client.
  static Result<std::unique_ptr<DeviceStream>> open(const RemoteOptions& options);

  /// Tells the server that the session is over.
  virtual ~DeviceStream() = default;

  virtual Status send(const v1::Request& request) = 0;

  /// False when nothing has come by the deadline; the message may be received later.
  virtual Result<bool> receive(v1::Reply& reply, Time deadline) = 0;
};

}  // namespace vta::remote
