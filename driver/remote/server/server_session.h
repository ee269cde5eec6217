// ServerSession: what one client does on one device, whatever carries the messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/remote/protocol/remote.pb.h"
#include "driver/remote/server/client_account.h"
#include "driver/remote/server/metrics.h"
#include "driver/remote/server/shared_device.h"

namespace vta::remote {

/// What clients may use.
struct Limits {
  uint64_t memory_bytes = uint64_t{512} << 20;   // of one client, over all its sessions
  std::chrono::milliseconds launch{60'000};      // time of a launch on the device
  std::chrono::milliseconds idle{600'000};       // between two requests of a session
  uint32_t sessions = 16;                        // of all clients
  uint32_t client_sessions = 0;                  // of one client; 0: three quarters of all
  uint32_t connections = 0;                      // of all clients; 0: sessions, and room for others
  std::chrono::milliseconds login{10'000};       // of a connection without a session
  uint64_t module_bytes = uint64_t{1} << 30;     // memory of a module's process, and of its file
  std::chrono::milliseconds module_run{60'000};  // of loading a module, and of each run of it

  uint32_t sessionsOfOne() const {
    constexpr uint32_t kQuarters = 4;
    return client_sessions == 0 ? sessions - sessions / kQuarters : client_sessions;
  }
  uint32_t mostConnections() const {
    constexpr uint32_t kOthers = 48;
    return connections == 0 ? sessions + kOthers : connections;
  }
};

/// What a session needs of its server. All of it outlives the session.
struct SessionEnvironment {
  std::span<const std::unique_ptr<SharedDevice>> devices;
  ClientAccount& client;
  Metrics& metrics;
  const Limits& limits;
  uint64_t number = 1;            // of this session: unique, not 0
  std::function<bool()> is_gone;  // the client has vanished; may be null
};

/// Everything in a request may be wrong. The session ends when it is destroyed: then its buffers
/// are free again.
class ServerSession {
 public:
  /// Hands a reply to the client; false when it is gone.
  using Send = std::function<bool(const v1::Reply&)>;

  explicit ServerSession(SessionEnvironment environment) : environment_(std::move(environment)) {}
  ~ServerSession();
  ServerSession(const ServerSession&) = delete;
  ServerSession& operator=(const ServerSession&) = delete;

  /// Carries out a request and sends what it has to. Errors: the session cannot go on, because the
  /// client does not speak the protocol or is gone. Errors of the work are replies.
  Status handle(const v1::Request& request, const Send& send);

 private:
  using Turn = FairQueue::Turn;

  /// A launch that has been found harmless, and when it may no longer be.
  struct CheckedLaunch {
    driver::Launch launch;
    ByteRange stream;
    std::vector<ByteRange> stores;
  };

  Result<v1::Reply> carryOut(const v1::Request& request, const Send& send);
  Result<v1::Reply> open(const v1::Hello& hello);
  Result<v1::Reply> allocate(const v1::Allocate& request);
  Status free(const v1::Buffer& request);
  Status write(const v1::Write& request);
  Result<v1::Reply> read(const v1::Read& request, const Send& send);
  Result<v1::Reply> launch(const v1::Launch& request);
  Result<driver::LaunchResult> runLaunch(const driver::Launch& launch);
  Result<const CheckedLaunch*> check(const driver::Launch& launch, driver::LaunchResult& refused);
  Status refuseLong(uint64_t least_cycles) const;
  void forgetLaunches(const ByteRange& changed);
  Result<Turn> takeTurn();
  Result<v1::Reply> setTracing(bool on);
  Result<v1::Reply> withCore(const std::function<Status(driver::Device&)>& work);

  SessionEnvironment environment_;
  SharedDevice* device_ = nullptr;  // after Hello
  uint32_t buffer_count_ = 0;
  Status earlier_error_;  // of a request that has no reply
  bool is_traced_ = false;
  std::vector<CheckedLaunch> checked_;
};

}  // namespace vta::remote
