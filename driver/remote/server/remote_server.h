// RemoteServer: devices, offered over the network.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/remote/protocol/host_port.h"
#include "driver/remote/server/board_programmer.h"
#include "driver/remote/server/server_session.h"
#include "driver/remote/server/shared_device.h"

namespace vta::remote {

struct ServerOptions {
  HostPort listen{"127.0.0.1", 0};  // port 0: any
  std::string tls_certificate;      // files; empty: no TLS
  std::string tls_key;
  std::string tls_client_ca;  // clients need a certificate of these authorities
  std::string token_file;     // empty: every client is let in
  bool is_insecure = false;   // others than this machine may come without TLS or tokens
  std::optional<HostPort> metrics;
  std::string module_program;  // that runs modules, vta-module-worker; empty: none are run
  std::optional<ProgrammingOptions> programming;  // none: clients' bitstreams are refused
  Limits limits;
  /// Told in lines of text of connections that are turned away; may be null. Any thread.
  std::function<void(const std::string& line)> log;
};

/// Ok when only whom the user wants can come, and modules and bitstreams come only from clients
/// that are known. Errors: kInvalidArgument, with the remedy.
Status checkExposure(const ServerOptions& options);

/// Runs until it is destroyed, on threads of its own. Sessions that are open then end.
class RemoteServer {
 public:
  /// Errors: those of checkExposure; files that cannot be read, or are not secret; kIoError when
  /// the port is taken, or the certificate is none; kResourceExhausted when the process may open
  /// too few files.
  static Result<std::unique_ptr<RemoteServer>> start(
      const ServerOptions& options, std::vector<std::unique_ptr<SharedDevice>> devices);

  virtual ~RemoteServer() = default;

  /// Where it listens.
  virtual HostPort address() const = 0;
};

}  // namespace vta::remote
