#include "driver/remote/client/message_stream.h"

#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/files.h"
#include "driver/remote/protocol/pem_file.h"
#include "driver/remote/protocol/remote.grpc.pb.h"
#include "driver/remote/protocol/secret_file.h"

namespace vta::remote {
namespace {

constexpr std::chrono::milliseconds kGoodbyeTime{2000};

/// What ends. Its tag points to it in kEventTags.
enum class Event : uint8_t { kStart, kSend, kReceive, kFinish };
constexpr size_t kEvents = 4;

Event kEventTags[kEvents] = {Event::kStart, Event::kSend, Event::kReceive, Event::kFinish};

void* tagOf(Event event) { return &kEventTags[static_cast<size_t>(event)]; }

/// The deadline on the clock that gRPC knows.
std::chrono::system_clock::time_point systemTime(std::chrono::steady_clock::time_point deadline) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::hours kLong{24 * 365};
  const auto left = std::min<Clock::duration>(
      deadline == std::chrono::steady_clock::time_point::max() ? kLong : deadline - Clock::now(),
      kLong);
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::system_clock::duration>(left);
}

Result<std::string> tokenOf(const RemoteOptions& options) {
  if (options.token_file.empty()) return std::string();
  if (!options.use_tls && !options.address.isLoopback() && !options.is_insecure) {
    return invalidArgument(fmt::format(
        "a token would travel to {} unencrypted, and anybody on the way could use it; add tls or "
        "ca=FILE, or insecure if the network is trusted",
        options.address.host));
  }
  VTA_ASSIGN_OR_RETURN(std::string token, readSecretFile(options.token_file));
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  std::erase_if(token, is_blank);
  const bool is_text = std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
  if (token.empty() || !is_text) {
    return invalidArgument(options.token_file +
                           ": holds no token; write the one that the server's "
                           "token file has for this client");
  }
  return token;
}

Result<std::shared_ptr<grpc::ChannelCredentials>> credentialsOf(const RemoteOptions& options) {
  if (!options.use_tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions ssl;
  if (!options.ca.empty()) {
    VTA_ASSIGN_OR_RETURN(ssl.pem_root_certs, readCertificates(options.ca));
  }
  if (!options.certificate.empty()) {
    VTA_ASSIGN_OR_RETURN(ssl.pem_cert_chain, readCertificates(options.certificate));
    VTA_ASSIGN_OR_RETURN(ssl.pem_private_key, readTextFile(options.key));
    VTA_RETURN_IF_ERROR(checkPrivateKey(ssl.pem_private_key, options.key));
  }
  return grpc::SslCredentials(ssl);
}

grpc::ChannelArguments argumentsOf(const RemoteOptions& options) {
  constexpr int kKeepaliveMs = 20'000;
  constexpr int kKeepaliveTimeoutMs = 10'000;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);  // the user has chosen the server
  // A server that has vanished without a word is noticed.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
                   static_cast<int>(options.connect_timeout.count()));
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (!options.server_name.empty()) arguments.SetSslTargetNameOverride(options.server_name);
  return arguments;
}

/// What is wrong with a server that does not know a call, which all of them have or a newer one
/// has.
constexpr const char* kNoServer = "; this is no vta-server, or one of another version";
constexpr const char* kOldServer =
    "; the server is older than this client and takes no bitstreams: update it";

/// What the user can do about the end of a stream.
std::string remedyFor(grpc::StatusCode code, const RemoteOptions& options,
                      const char* unknown_call) {
  switch (code) {
    case grpc::StatusCode::UNAVAILABLE:
      return options.use_tls ? "; is vta-server running there, with a certificate for this name?"
                             : "; is vta-server running there, and without TLS?";
    case grpc::StatusCode::UNAUTHENTICATED:
      return "; give the token with token=FILE";
    case grpc::StatusCode::UNIMPLEMENTED:
      return unknown_call;
    case grpc::StatusCode::CANCELLED:
      return "; the server stops, or nothing was asked of it for too long (--idle-limit)";
    default:
      return "";
  }
}

template <typename Request, typename Reply>
class GrpcStream final : public MessageStream<Request, Reply> {
 public:
  using Time = typename MessageStream<Request, Reply>::Time;
  using Call = grpc::ClientAsyncReaderWriter<Request, Reply>;
  /// Begins the call of the service that the stream is.
  using Begin = std::unique_ptr<Call> (*)(v1::Remote::Stub& stub, grpc::ClientContext* context,
                                          grpc::CompletionQueue* queue, void* tag);

  GrpcStream(RemoteOptions options, const char* unknown_call)
      : options_(std::move(options)), unknown_call_(unknown_call) {}

  ~GrpcStream() override {
    const Time deadline = std::chrono::steady_clock::now() + kGoodbyeTime;
    if (stream_ != nullptr && !is_finished_) {
      if (failure_.ok()) {
        begin(Event::kSend);
        stream_->WritesDone(tagOf(Event::kSend));
        await(Event::kSend, deadline);
      }
      begin(Event::kFinish);
      stream_->Finish(&ended_, tagOf(Event::kFinish));
      if (!await(Event::kFinish, deadline)) context_.TryCancel();
    }
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  Status start(Begin begin_call) {
    // Failures come back as errors; the library's log would only repeat them.
    gpr_set_log_function([](gpr_log_func_args*) {});
    VTA_ASSIGN_OR_RETURN(const std::string token, tokenOf(options_));
    VTA_ASSIGN_OR_RETURN(const auto credentials, credentialsOf(options_));
    if (!token.empty()) context_.AddMetadata("authorization", "Bearer " + token);
    stub_ = v1::Remote::NewStub(
        grpc::CreateCustomChannel(options_.address.text(), credentials, argumentsOf(options_)));
    begin(Event::kStart);
    stream_ = begin_call(*stub_, &context_, &queue_, tagOf(Event::kStart));
    if (!await(Event::kStart, std::chrono::steady_clock::now() + options_.connect_timeout)) {
      context_.TryCancel();
      return fail(fmt::format("tcp://{}: no answer within {} ms", options_.address.text(),
                              options_.connect_timeout.count()));
    }
    return succeeded(Event::kStart) ? Status() : finish();
  }

  Status send(const Request& request) override {
    if (!failure_.ok()) return failure_;
    begin(Event::kSend);
    stream_->Write(request, tagOf(Event::kSend));
    if (!await(Event::kSend, patience())) return noAnswer("the server takes nothing");
    return succeeded(Event::kSend) ? Status() : finish();
  }

  Result<bool> receive(Reply& reply, Time deadline) override {
    if (!failure_.ok()) return failure_;
    if (!is_receiving_) {
      begin(Event::kReceive);
      stream_->Read(&received_, tagOf(Event::kReceive));
      is_receiving_ = true;
    }
    const bool is_patient = deadline == Time::max();
    if (!await(Event::kReceive, is_patient ? patience() : deadline)) {
      if (is_patient) return noAnswer("no answer");
      return false;
    }
    is_receiving_ = false;
    if (!succeeded(Event::kReceive)) return finish();
    reply.Swap(&received_);
    return true;
  }

 private:
  enum class State : uint8_t { kPending, kSucceeded, kFailed };
  State& state(Event event) { return states_[static_cast<size_t>(event)]; }
  void begin(Event event) { state(event) = State::kPending; }
  bool succeeded(Event event) { return state(event) == State::kSucceeded; }

  /// False when `event` has not ended by the deadline.
  bool await(Event event, Time deadline) {
    const auto until = systemTime(deadline);
    while (state(event) == State::kPending) {
      void* tag = nullptr;
      bool ok = false;
      if (queue_.AsyncNext(&tag, &ok, until) != grpc::CompletionQueue::GOT_EVENT) return false;
      const auto ended = *static_cast<const Event*>(tag);
      state(ended) = ok ? State::kSucceeded : State::kFailed;
    }
    return true;
  }

  /// The error of a stream that has ended.
  Status finish() {
    begin(Event::kFinish);
    stream_->Finish(&ended_, tagOf(Event::kFinish));
    is_finished_ = await(Event::kFinish, std::chrono::steady_clock::now() + kGoodbyeTime);
    if (!is_finished_) return fail(where() + ": the connection broke");
    const std::string reason =
        ended_.error_message().empty() ? "the server ended the session" : ended_.error_message();
    return fail(fmt::format("{}: {}{}", where(), reason,
                            remedyFor(ended_.error_code(), options_, unknown_call_)));
  }

  /// Until when a server may be silent that has something to do.
  Time patience() const { return std::chrono::steady_clock::now() + options_.answer_timeout; }

  Status noAnswer(const char* what) {
    context_.TryCancel();
    return fail(fmt::format("{}: {} for {} ms; answer-timeout=MS waits longer", where(), what,
                            options_.answer_timeout.count()));
  }

  std::string where() const { return "tcp://" + options_.address.text(); }

  Status fail(std::string message) {
    failure_ = ioError(std::move(message));
    return failure_;
  }

  RemoteOptions options_;
  const char* unknown_call_;  // what to say where the server does not know the call
  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  std::unique_ptr<v1::Remote::Stub> stub_;
  std::unique_ptr<Call> stream_;
  std::array<State, kEvents> states_{};
  Reply received_;             // of the Read that is going on
  bool is_receiving_ = false;  // a Read is going on
  bool is_finished_ = false;
  grpc::Status ended_;
  Status failure_;
};

template <typename Request, typename Reply>
Result<std::unique_ptr<MessageStream<Request, Reply>>> openStream(
    const RemoteOptions& options, typename GrpcStream<Request, Reply>::Begin begin_call,
    const char* unknown_call = kNoServer) {
  auto stream = std::make_unique<GrpcStream<Request, Reply>>(options, unknown_call);
  VTA_RETURN_IF_ERROR(stream->start(begin_call));
  return std::unique_ptr<MessageStream<Request, Reply>>(std::move(stream));
}

}  // namespace

Status unexpectedAnswer() {
  return ioError(
      "the server's answer is not one to this request; client and server differ in their versions");
}

Result<std::unique_ptr<DeviceStream>> openDeviceStream(const RemoteOptions& options) {
  return openStream<v1::Request, v1::Reply>(
      options,
      [](v1::Remote::Stub& stub, grpc::ClientContext* context, grpc::CompletionQueue* queue,
         void* tag) { return stub.AsyncOpen(context, queue, tag); });
}

Result<std::unique_ptr<ModuleStream>> openModuleStream(const RemoteOptions& options) {
  return openStream<v1::ModuleRequest, v1::ModuleReply>(
      options,
      [](v1::Remote::Stub& stub, grpc::ClientContext* context, grpc::CompletionQueue* queue,
         void* tag) { return stub.AsyncRunModule(context, queue, tag); });
}

Result<std::unique_ptr<FlashStream>> openFlashStream(const RemoteOptions& options) {
  return openStream<v1::FlashRequest, v1::FlashReply>(
      options,
      [](v1::Remote::Stub& stub, grpc::ClientContext* context, grpc::CompletionQueue* queue,
         void* tag) { return stub.AsyncFlash(context, queue, tag); },
      kOldServer);
}

}  // namespace vta::remote
