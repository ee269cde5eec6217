// ConnectionGate: how many connections a server has at a time, and for how long without a session.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "driver/remote/protocol/host_port.h"

namespace vta::remote {

struct GateOptions {
  HostPort listen;
  uint32_t most_connections = 64;
  std::chrono::milliseconds login{10'000};  // for a connection without a session
  /// Told in a line of text what the gate does to connections, not more often than once in `quiet`
  /// for each kind; may be null. Called on the gate's thread.
  std::function<void(const std::string& line)> log;
  std::chrono::milliseconds quiet{10'000};
  /// Told of every connection that is refused or closed: "connections", "descriptors", "login"; may
  /// be null. Called on the gate's thread.
  std::function<void(const std::string& reason)> refused;
};

/// Listens, and hands connections on until there are as many as there may be. Then the oldest one
/// that has had no session for a second makes room, or the new one is closed at once; likewise
/// where the process has no descriptor left. What a connection is used for the gate does not know:
/// whoever gets it shuts it down at its end, and says when it has sessions.
class ConnectionGate {
 public:
  /// Takes over a connected socket. Called on the gate's thread.
  using Handler = std::function<void(int descriptor)>;

  /// Listens from now on; nothing is accepted yet. Two descriptors for each connection have to be
  /// there: where the limit of the process is lower, so is most_connections, and the log says it.
  /// Errors: kIoError when the address cannot be listened at; kResourceExhausted when the process
  /// may open too few files.
  static Result<std::unique_ptr<ConnectionGate>> open(const GateOptions& options);
  virtual ~ConnectionGate() = default;

  /// Where it listens.
  virtual HostPort address() const = 0;

  /// Accepts, on a thread of its own, until stop(). Error: the thread cannot be started.
  virtual Status start(Handler handler) = 0;
  /// Accepts no more; connections stay. Also when it is destroyed.
  virtual void stop() = 0;

  /// A session of the connection from `peer`, as gRPC writes it ("ipv4:127.0.0.1:4711"), has begun
  /// or ended. Any thread.
  virtual void sessionBegan(const std::string& peer) = 0;
  virtual void sessionEnded(const std::string& peer) = 0;
};

/// The address of a peer without its port: "ipv4:127.0.0.1", "ipv6:[::1]".
std::string hostOfPeer(const std::string& peer);

}  // namespace vta::remote
