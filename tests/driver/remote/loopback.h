// Servers in this process, and their devices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/device.h"
#include "driver/device_registry.h"
#include "driver/remote/server/remote_server.h"

namespace vta::remote::test {

/// A server at a free port of the loopback with one device called "board". Errors are exceptions.
class Loopback {
 public:
  explicit Loopback(const std::string& behind = "functional", const ServerOptions& options = {},
                    const HwConfig& hw = HwConfig::makeDefault());

  /// "tcp://127.0.0.1:1234", with more options behind it: ",token=FILE".
  std::string spec(const std::string& more = "") const;
  HostPort address() const { return server_->address(); }

  Result<std::unique_ptr<driver::Device>> open(const std::string& more = "",
                                               const HwConfig& hw = HwConfig::makeDefault()) const {
    return driver::createDevice(spec(more), hw);
  }

  /// Ends the server.
  void stop() { server_.reset(); }

 private:
  std::unique_ptr<RemoteServer> server_;
};

/// Registers the device "loopback:behind=SPEC": the remote device of a server in this process.
void registerLoopback();

}  // namespace vta::remote::test
