#include "driver/remote/server/remote_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vta::remote {
namespace {

grpc::StatusCode grpcCode(StatusCode code) {
  switch (code) {
    case StatusCode::kInvalidArgument:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case StatusCode::kUnsupported:
      return grpc::StatusCode::FAILED_PRECONDITION;
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

/// Who the client is; none when its token is wrong.
std::optional<std::string> RemoteService::nameClient(const grpc::ServerContext& context,
                                                     uint64_t number) const {
  if (!tokens_) return fmt::format("session-{}", number);
  std::string client = tokens_->clientOf(bearerToken(context));
  if (client.empty()) return std::nullopt;
  return client;
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

grpc::Status RemoteService::Open(grpc::ServerContext* context, Stream* stream) {
  uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++last_number_;
  }
  const std::optional<std::string> client = nameClient(*context, number);
  if (!client) {
    return refuse(grpc::StatusCode::UNAUTHENTICATED, "token",
                  bearerToken(*context).empty() ? "the server demands a token"
                                                : "the server does not know this token");
  }
  {
    const std::lock_guard lock(mutex_);
    if (is_ending_) return {grpc::StatusCode::UNAVAILABLE, "the server ends"};
    if (sessions_.size() < limits_.sessions) {
      sessions_[number].context = context;
    }
    if (!sessions_.contains(number)) number = 0;
  }
  if (number == 0) {
    return refuse(grpc::StatusCode::RESOURCE_EXHAUSTED, "sessions",
                  fmt::format("the server has {} sessions already (--max-sessions); try again when "
                              "one has ended",
                              limits_.sessions));
  }
  const grpc::Status status = serve(number, *client, *context, *stream);
  const std::lock_guard lock(mutex_);
  sessions_.erase(number);
  if (!tokens_) {
    accounts_.erase(*client);
    for (const auto& device : devices_) device->queue().forget(*client);
  }
  return status;
}

grpc::Status RemoteService::serve(uint64_t number, const std::string& client,
                                  grpc::ServerContext& context, Stream& stream) {
  const std::shared_ptr<ClientAccount> account = accountOf(client);
  ServerSession session({.devices = devices_,
                         .client = *account,
                         .metrics = metrics_,
                         .limits = limits_,
                         .number = number,
                         .is_gone = [&context] { return context.IsCancelled(); }});
  const auto send = [&stream](const v1::Reply& reply) { return stream.Write(reply); };
  v1::Request request;
  while (nextRequest(number, stream, request)) {
    const Status status = session.handle(request, send);
    if (!status.ok()) return {grpcCode(status.code()), status.message()};
  }
  return grpc::Status::OK;
}

/// Reads the next request; false when there is none.
bool RemoteService::nextRequest(uint64_t number, Stream& stream, v1::Request& request) {
  const auto setWaiting = [&](Time since) {
    const std::lock_guard lock(mutex_);
    sessions_[number].waiting_since = since;
  };
  setWaiting(std::chrono::steady_clock::now());
  const bool came = stream.Read(&request);
  setWaiting(Time::max());
  return came;
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
