// RemoteService: the protocol's service, one session for each stream. Includes gRPC.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "driver/remote/protocol/remote.grpc.pb.h"
#include "driver/remote/server/board_programmer.h"
#include "driver/remote/server/client_account.h"
#include "driver/remote/server/connections/connection_gate.h"
#include "driver/remote/server/metrics.h"
#include "driver/remote/server/server_session.h"
#include "driver/remote/server/shared_device.h"
#include "driver/remote/server/tokens.h"

namespace vta::remote {

class RemoteService final : public v1::Remote::Service {
 public:
  using Stream = grpc::ServerReaderWriter<v1::Reply, v1::Request>;
  using FlashStream = grpc::ServerReaderWriter<v1::FlashReply, v1::FlashRequest>;
  using ModuleStream = grpc::ServerReaderWriter<v1::ModuleReply, v1::ModuleRequest>;

  RemoteService(const Limits& limits, std::vector<std::unique_ptr<SharedDevice>> devices);
  ~RemoteService() override;

  /// Before the server starts; without, every client is let in.
  void setTokens(TokenTable tokens) { tokens_ = std::move(tokens); }
  /// Before the server starts; without, it runs no modules.
  void setModuleProgram(std::string program) { module_program_ = std::move(program); }
  /// Before the server starts; without, it programs no FPGA.
  void setProgramming(ProgrammingOptions options) {
    programmer_.emplace(std::move(options), devices_);
  }
  /// Before the server starts; without, connections are not told of sessions. Outlives the calls.
  void setGate(ConnectionGate& gate) { gate_ = &gate; }
  Metrics& metrics() { return metrics_; }

  /// Ends all sessions, and lets no more in.
  void endSessions();

  grpc::Status Open(grpc::ServerContext* context, Stream* stream) override;
  grpc::Status RunModule(grpc::ServerContext* context, ModuleStream* stream) override;
  grpc::Status Flash(grpc::ServerContext* context, FlashStream* stream) override;

 private:
  using Time = std::chrono::steady_clock::time_point;
  /// A session that is open.
  struct OpenSession {
    grpc::ServerContext* context = nullptr;
    std::string origin;                // whose it is: a client with a token, or an address
    Time waiting_since = Time::max();  // for the client; max: the server works
  };

  grpc::Status refuse(grpc::StatusCode code, const char* reason, const std::string& message);
  std::string nameClient(const grpc::ServerContext& context, uint64_t number) const;
  std::shared_ptr<ClientAccount> accountOf(const std::string& client);
  std::string originOf(const grpc::ServerContext& context) const;
  Result<uint64_t> admit(grpc::ServerContext& context);
  grpc::Status inSession(grpc::ServerContext& context,
                         const std::function<grpc::Status(const SessionEnvironment&)>& work);
  template <typename Session, typename Reply, typename Request>
  grpc::Status serve(Session& session, uint64_t number,
                     grpc::ServerReaderWriter<Reply, Request>& stream);
  void setWaiting(uint64_t number, Time since);
  void watchIdle();

  const Limits limits_;
  const std::vector<std::unique_ptr<SharedDevice>> devices_;
  std::optional<TokenTable> tokens_;
  std::string module_program_;
  std::optional<BoardProgrammer> programmer_;
  ConnectionGate* gate_ = nullptr;
  Metrics metrics_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool is_ending_ = false;
  uint64_t last_number_ = 0;
  std::map<uint64_t, OpenSession> sessions_;
  std::map<std::string, std::weak_ptr<ClientAccount>> accounts_;

  std::thread idle_watch_;
};

}  // namespace vta::remote
