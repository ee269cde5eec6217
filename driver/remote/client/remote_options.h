// How a client reaches a server.
#pragma once

#include <chrono>
#include <string>

#include "base/status.h"
#include "driver/device_registry.h"
#include "driver/remote/protocol/host_port.h"

namespace vta::remote {

struct RemoteOptions {
  HostPort address;
  std::string board;        // the device's name on the server; empty: the only one
  bool use_tls = false;     // with `ca`, or the system's authorities
  std::string ca;           // file with the authorities that vouch for the server
  std::string certificate;  // files for servers that demand one of clients
  std::string key;
  std::string server_name;  // in the server's certificate, if it is not the host
  std::string token_file;
  bool is_insecure = false;  // a token may travel unencrypted
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds answer_timeout{600'000};  // to a request; launches have their own
};

/// The options of "tcp://host:port,option". Errors: kInvalidArgument, with the option's name.
Result<RemoteOptions> parseRemoteOptions(const driver::DeviceOptions& options);

}  // namespace vta::remote
