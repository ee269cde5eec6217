#include "driver/remote/server/remote_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "driver/remote/server/flash_session.h"
#include "driver/remote/server/module_session.h"

namespace vta::remote {
namespace {

grpc::StatusCode grpcCode(StatusCode code) {
  switch (code) {
    case StatusCode::kInvalidArgument:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case StatusCode::kUnsupported:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case StatusCode::kResourceExhausted:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case StatusCode::kDeadlineExceeded:
      return grpc::StatusCode::DEADLINE_EXCEEDED;
    default:
      return grpc::StatusCode::INTERNAL;
  }
}

/// The token of "authorization: Bearer TOKEN"; empty without one.
std::string_view bearerToken(const grpc::ServerContext& context) {
  constexpr std::string_view kScheme = "Bearer ";
  const auto found = context.client_metadata().find("authorization");
  if (found == context.client_metadata().end()) return "";
  const std::string_view value(found->second.data(), found->second.size());
  return value.starts_with(kScheme) ? value.substr(kScheme.size()) : "";
}

}  // namespace

RemoteService::RemoteService(const Limits& limits,
                             std::vector<std::unique_ptr<SharedDevice>> devices)
    : limits_(limits), devices_(std::move(devices)), idle_watch_([this] { watchIdle(); }) {}

RemoteService::~RemoteService() {
  endSessions();
  idle_watch_.join();
}

void RemoteService::endSessions() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    for (auto& [number, session] : sessions_) session.context->TryCancel();
  }
  changed_.notify_all();
}

grpc::Status RemoteService::refuse(grpc::StatusCode code, const char* reason,
                                   const std::string& message) {
  metrics_.refused(reason);
  return {code, message};
}

/// Who the client is.
std::string RemoteService::nameClient(const grpc::ServerContext& context, uint64_t number) const {
  return tokens_ ? tokens_->clientOf(bearerToken(context)) : fmt::format("session-{}", number);
}

std::shared_ptr<ClientAccount> RemoteService::accountOf(const std::string& client) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<ClientAccount>& known = accounts_[client];
  std::shared_ptr<ClientAccount> account = known.lock();
  if (account == nullptr) {
    account = std::make_shared<ClientAccount>(client, limits_.memory_bytes);
    known = account;
  }
  return account;
}

/// Whom a session counts for: clients without tokens are known by where they are.
std::string RemoteService::originOf(const grpc::ServerContext& context) const {
  return tokens_ ? tokens_->clientOf(bearerToken(context)) : hostOfPeer(context.peer());
}

/// Counts a new session; its number. Error: there are enough.
Result<uint64_t> RemoteService::admit(grpc::ServerContext& context) {
  const std::string origin = originOf(context);
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= limits_.sessions) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("the server has {} sessions already (--max-sessions); try again when "
                              "one has ended",
                              limits_.sessions));
  }
  const auto own = std::ranges::count_if(
      sessions_, [&](const auto& session) { return session.second.origin == origin; });
  if (own >= static_cast<std::ptrdiff_t>(limits_.sessionsOfOne())) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("this client has {} sessions already (--max-client-sessions); end "
                              "one first",
                              own));
  }
  const uint64_t number = ++last_number_;
  sessions_[number].context = &context;
  sessions_[number].origin = origin;
  if (is_ending_) context.TryCancel();
  return number;
}

/// Lets a client in or refuses it, and counts it as long as `work` lasts.
grpc::Status RemoteService::inSession(
    grpc::ServerContext& context,
    const std::function<grpc::Status(const SessionEnvironment&)>& work) {
  if (tokens_ && tokens_->clientOf(bearerToken(context)).empty()) {
    return refuse(grpc::StatusCode::UNAUTHENTICATED, "token",
                  bearerToken(context).empty() ? "the server demands a token"
                                               : "the server does not know this token");
  }
  const Result<uint64_t> admitted = admit(context);
  if (!admitted.ok()) {
    return refuse(grpc::StatusCode::RESOURCE_EXHAUSTED, "sessions", admitted.status().message());
  }
  const uint64_t number = *admitted;
  const std::string peer = context.peer();
  if (gate_ != nullptr) gate_->sessionBegan(peer);
  const std::string client = nameClient(context, number);
  const std::shared_ptr<ClientAccount> account = accountOf(client);
  const grpc::Status status = work({.devices = devices_,
                                    .client = *account,
                                    .metrics = metrics_,
                                    .limits = limits_,
                                    .number = number,
                                    .is_gone = [&context] { return context.IsCancelled(); }});
  if (gate_ != nullptr) gate_->sessionEnded(peer);
  const std::lock_guard lock(mutex_);
  sessions_.erase(number);
  if (!tokens_) {
    accounts_.erase(client);
    for (const auto& device : devices_) device->queue().forget(client);
  }
  return status;
}

grpc::Status RemoteService::Open(grpc::ServerContext* context, Stream* stream) {
  return inSession(*context, [&](const SessionEnvironment& environment) {
    ServerSession session(environment);
    return serve(session, environment.number, *stream);
  });
}

grpc::Status RemoteService::RunModule(grpc::ServerContext* context, ModuleStream* stream) {
  return inSession(*context, [&](const SessionEnvironment& environment) {
    ModuleSession session(environment, module_program_);
    return serve(session, environment.number, *stream);
  });
}

grpc::Status RemoteService::Flash(grpc::ServerContext* context, FlashStream* stream) {
  return inSession(*context, [&](const SessionEnvironment& environment) {
    FlashSession session(environment, programmer_ ? &*programmer_ : nullptr);
    return serve(session, environment.number, *stream);
  });
}

/// Hands the requests of a client to its session, until one of them ends.
template <typename Session, typename Reply, typename Request>
grpc::Status RemoteService::serve(Session& session, uint64_t number,
                                  grpc::ServerReaderWriter<Reply, Request>& stream) {
  const auto send = [&stream](const Reply& reply) { return stream.Write(reply); };
  Request request;
  while (true) {
    setWaiting(number, std::chrono::steady_clock::now());
    const bool came = stream.Read(&request);
    setWaiting(number, Time::max());
    if (!came) return grpc::Status::OK;
    const Status status = session.handle(request, send);
    if (!status.ok()) return {grpcCode(status.code()), status.message()};
  }
}

void RemoteService::setWaiting(uint64_t number, Time since) {
  const std::lock_guard lock(mutex_);
  sessions_[number].waiting_since = since;
}

/// Ends sessions whose clients have been silent for too long.
void RemoteService::watchIdle() {
  constexpr std::chrono::milliseconds kMostPeriod{1000};
  const auto period = std::min(kMostPeriod, limits_.idle / 4 + std::chrono::milliseconds(1));
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    changed_.wait_for(lock, period);
    const Time now = std::chrono::steady_clock::now();
    for (auto& [number, session] : sessions_) {
      if (session.waiting_since >= now || now - session.waiting_since < limits_.idle) continue;
      session.context->TryCancel();
    }
  }
}

}  // namespace vta::remote
