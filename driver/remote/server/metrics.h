// Metrics: numbers of a server for Prometheus.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "driver/remote/protocol/host_port.h"

namespace vta::remote {

/// All methods may be called on any thread. docs/remote.md lists the metrics.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// Serves them at http://address/metrics. Errors: kIoError when it cannot listen there.
  Status expose(const HostPort& address);

  void sessionBegan(const std::string& device);
  void sessionEnded(const std::string& device);
  /// `reason`: "token", "version", "hardware", "sessions", ...
  void refused(const std::string& reason);

  struct LaunchDone {
    const std::string& device;
    const std::string& client;
    double wait_seconds = 0;  // for the turn
    double seconds = 0;       // of the device
    bool is_fault = false;
  };
  void launchDone(const LaunchDone& launch);
  void launchFailed(const std::string& device, const std::string& client);

  /// A run of a whole module that ended, and one that did not.
  void moduleRan(const std::string& client, bool is_ok);

  /// A bitstream of a client that was loaded, or was not.
  void boardProgrammed(const std::string& client, bool is_ok);

  /// Bytes of buffers that came from and went to clients.
  void received(const std::string& device, uint64_t bytes);
  void sent(const std::string& device, uint64_t bytes);

  /// Bytes of all buffers on a device.
  void setMemory(const std::string& device, uint64_t bytes);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace vta::remote
