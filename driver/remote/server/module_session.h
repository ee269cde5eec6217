// ModuleSession: a client's module on a server, in a process of its own.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/process/child.h"
#include "base/status.h"
#include "driver/remote/protocol/frame_channel.h"
#include "driver/remote/protocol/remote.pb.h"
#include "driver/remote/server/server_session.h"

namespace vta::remote {

/// A module is native code, so this process never loads it: it starts another program for each
/// session (driver/remote/worker), hands the client's requests on, and serves that process as it
/// would serve a client of the device. A process that takes too long is killed. The session ends
/// when it is destroyed, and its process with it.
class ModuleSession {
 public:
  /// Hands a reply to the client; false when it is gone.
  using Send = std::function<bool(const v1::ModuleReply&)>;

  /// `program` is that of the processes; empty: the server runs no modules.
  ModuleSession(const SessionEnvironment& environment, std::string program);
  ModuleSession(const ModuleSession&) = delete;
  ModuleSession& operator=(const ModuleSession&) = delete;

  /// Carries out a request and sends what it has to. Errors: the session cannot go on; the client
  /// does not speak the protocol or is gone, or the module's process has ended or was killed.
  Status handle(const v1::ModuleRequest& request, const Send& send);

 private:
  using Time = std::chrono::steady_clock::time_point;

  Status open(const v1::ModuleHello& hello, const Send& send);
  Status startProcess();
  Status handOn(const v1::ModuleRequest& request);
  Status serveProcess(const Send& send, bool& is_ok);
  Result<std::optional<v1::ModuleReply>> nextReply();
  Status serveDevice(const std::string& bytes);
  Status explainEnd(const Status& problem);
  bool isOver() const;

  SessionEnvironment environment_;
  std::string program_;
  ServerSession device_session_;
  v1::Reply welcome_;           // for the process, which says Hello as a client would
  uint64_t missing_bytes_ = 0;  // of the module's file
  Time deadline_ = Time::max();
  std::optional<Child> process_;
  std::optional<FrameChannel> channel_;
};

}  // namespace vta::remote
