#include "driver/remote/server/module_session.h"

#include <fmt/format.h>

#include <array>
#include <thread>
#include <utility>

#include "driver/remote/protocol/convert.h"
#include "driver/remote/protocol/hello.h"
#include "driver/remote/protocol/version.h"

namespace vta::remote {
namespace {

using Clock = std::chrono::steady_clock;

Status clientGone() { return ioError("the client is gone"); }

v1::ModuleReply errorReply(v1::Error error) {
  v1::ModuleReply reply;
  *reply.mutable_error() = std::move(error);
  return reply;
}

double secondsOf(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// How a process ended that has closed its side of the channel, or what else is wrong with it.
std::string endOf(Child& process, const Status& problem) {
  constexpr std::chrono::milliseconds kLongestEnd{1000};
  const auto until = Clock::now() + kLongestEnd;
  auto end = process.end();
  while (!end && Clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    end = process.end();
  }
  process.kill();
  return end ? end->text() : problem.message();
}

/// Its own deadline and the client's end: what the device's session asks while it waits.
SessionEnvironment watched(SessionEnvironment environment, std::function<bool()> is_over) {
  environment.is_gone = std::move(is_over);
  return environment;
}

}  // namespace

ModuleSession::ModuleSession(const SessionEnvironment& environment, std::string program)
    : environment_(environment),
      program_(std::move(program)),
      device_session_(watched(environment, [this] { return isOver(); })) {}

bool ModuleSession::isOver() const {
  return Clock::now() >= deadline_ || (environment_.is_gone && environment_.is_gone());
}

Status ModuleSession::handle(const v1::ModuleRequest& request, const Send& send) {
  if (request.kind_case() == v1::ModuleRequest::KIND_NOT_SET) {
    return unknownRequest();
  }
  if (request.has_hello() == welcome_.has_welcome()) {
    return invalidArgument("a session begins with one ModuleHello, and has no other");
  }
  deadline_ = Clock::now() + environment_.limits.module_run;
  if (request.has_hello()) return open(request.hello(), send);
  if (request.has_module() != (missing_bytes_ > 0)) {
    return invalidArgument("a module comes once and whole, before its inputs");
  }
  if (request.module().size() > missing_bytes_) {
    return invalidArgument("the module is longer than was said");
  }
  missing_bytes_ -= request.module().size();
  const Status sent = handOn(request);
  if (!sent.ok()) return explainEnd(sent);
  const bool has_answer = request.has_run() || (request.has_module() && missing_bytes_ == 0);
  if (!has_answer) return {};
  bool is_ok = false;
  const Status served = serveProcess(send, is_ok);
  if (request.has_run()) environment_.metrics.moduleRan(environment_.client.name(), is_ok);
  return served;
}

Status ModuleSession::open(const v1::ModuleHello& hello, const Send& send) {
  if (program_.empty()) {
    environment_.metrics.refused("modules");
    return unsupported(
        "the server runs no modules: they are native code, and whoever started it did not give "
        "--modules; without --remote-module the host's part runs on the client");
  }
  const uint64_t most_bytes = environment_.limits.module_bytes;
  if (hello.module_bytes() == 0 || hello.module_bytes() > most_bytes) {
    return {StatusCode::kResourceExhausted,
            fmt::format("the module has {} bytes, and the server takes 1 to {} (--module-memory)",
                        hello.module_bytes(), most_bytes)};
  }
  v1::Request request;
  *request.mutable_hello() = hello.session();
  VTA_RETURN_IF_ERROR(device_session_.handle(request, [this](const v1::Reply& reply) {
    welcome_ = reply;
    return true;
  }));
  if (welcome_.has_error()) {
    return send(errorReply(std::exchange(welcome_, {}).error())) ? Status() : clientGone();
  }
  missing_bytes_ = hello.module_bytes();
  VTA_RETURN_IF_ERROR(startProcess());
  v1::ModuleRequest to_process;
  *to_process.mutable_hello() = hello;
  const Status sent = handOn(to_process);
  if (!sent.ok()) return explainEnd(sent);
  v1::ModuleReply reply;
  *reply.mutable_welcome() = welcome_.welcome();
  return send(reply) ? Status() : clientGone();
}

Status ModuleSession::startProcess() {
  const std::array<std::string, 2> command = {program_,
                                              std::to_string(environment_.limits.module_bytes)};
  ChildOptions options;
  options.has_input = true;
  options.error_file = "/dev/null";
  auto process = Child::start(command, options);
  if (!process.ok()) return process.status().withContext("the server cannot run modules");
  process_.emplace(*std::move(process));
  channel_.emplace(process_->output(), process_->input(), [this] { return isOver(); });
  return {};
}

Status ModuleSession::handOn(const v1::ModuleRequest& request) {
  return channel_->send(FrameKind::kModule, request.SerializeAsString());
}

/// Hands replies to the client until the last one of a request, and says whether that is no error.
Status ModuleSession::serveProcess(const Send& send, bool& is_ok) {
  while (true) {
    const auto reply = nextReply();
    if (!reply.ok()) return explainEnd(reply.status());
    if (!reply->has_value()) continue;
    if (!send(**reply)) return clientGone();
    if ((*reply)->has_output()) continue;
    is_ok = !(*reply)->has_error();
    return {};
  }
}

/// The process's next reply to the client; none when it wanted something of the device.
Result<std::optional<v1::ModuleReply>> ModuleSession::nextReply() {
  VTA_ASSIGN_OR_RETURN(const Frame frame, channel_->receive());
  if (isOver()) return Status(StatusCode::kDeadlineExceeded, "too long");
  if (frame.kind == FrameKind::kDevice) {
    VTA_RETURN_IF_ERROR(serveDevice(frame.bytes));
    return std::optional<v1::ModuleReply>();
  }
  v1::ModuleReply reply;
  if (!reply.ParseFromString(frame.bytes)) return ioError("a reply that is none");
  return std::optional(std::move(reply));
}

Status ModuleSession::serveDevice(const std::string& bytes) {
  v1::Request request;
  if (!request.ParseFromString(bytes)) return ioError("a request that is none");
  const auto send = [this](const v1::Reply& reply) {
    return channel_->send(FrameKind::kDevice, reply.SerializeAsString()).ok();
  };
  if (request.has_hello()) return send(welcome_) ? Status() : ioError("it is gone");
  return device_session_.handle(request, send);
}

/// What the client is told when its process cannot go on.
Status ModuleSession::explainEnd(const Status& problem) {
  if (environment_.is_gone && environment_.is_gone()) return clientGone();
  if (Clock::now() >= deadline_) {
    process_->kill();
    return {StatusCode::kDeadlineExceeded,
            fmt::format("the module took longer than the server's {:.1f} s for loading it and for "
                        "each run, waiting for the device included (--module-limit)",
                        secondsOf(environment_.limits.module_run))};
  }
  return {StatusCode::kIoError,
          fmt::format("the module's process on the server has ended ({}): its host code is wrong, "
                      "or it needs more memory than the {} bytes that --module-memory gives it",
                      endOf(*process_, problem), environment_.limits.module_bytes)};
}

}  // namespace vta::remote
