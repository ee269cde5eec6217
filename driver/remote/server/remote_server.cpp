#include "driver/remote/server/remote_server.h"

#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <array>
#include <tuple>
#include <utility>

#include "base/files.h"
#include "driver/remote/protocol/pem_file.h"
#include "driver/remote/protocol/secret_file.h"
#include "driver/remote/protocol/version.h"
#include "driver/remote/server/connections/connection_gate.h"
#include "driver/remote/server/remote_service.h"

namespace vta::remote {
namespace {

Result<std::shared_ptr<grpc::ServerCredentials>> credentialsOf(const ServerOptions& options) {
  if (options.tls_certificate.empty()) return grpc::InsecureServerCredentials();
  const bool demands_certificates = !options.tls_client_ca.empty();
  grpc::SslServerCredentialsOptions ssl(
      demands_certificates ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                           : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  grpc::SslServerCredentialsOptions::PemKeyCertPair pair;
  VTA_ASSIGN_OR_RETURN(pair.cert_chain, readCertificates(options.tls_certificate));
  VTA_ASSIGN_OR_RETURN(pair.private_key, readSecretFile(options.tls_key));
  VTA_RETURN_IF_ERROR(checkPrivateKey(pair.private_key, options.tls_key));
  ssl.pem_key_cert_pairs.push_back(std::move(pair));
  if (demands_certificates) {
    VTA_ASSIGN_OR_RETURN(ssl.pem_root_certs, readCertificates(options.tls_client_ca));
  }
  return grpc::SslServerCredentials(ssl);
}

void setLimits(grpc::ServerBuilder& builder, const Limits& limits) {
  // Clients that have vanished without a word are noticed.
  const std::pair<const char*, int> settings[] = {
      {GRPC_ARG_KEEPALIVE_TIME_MS, 20'000},
      {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000},
      {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000},
      {GRPC_ARG_MAX_CONNECTION_IDLE_MS, 60'000},
      {GRPC_ARG_MAX_CONCURRENT_STREAMS, static_cast<int>(limits.sessions) + 1},
      {GRPC_ARG_MAX_METADATA_SIZE, 16 << 10},
      {GRPC_ARG_ALLOW_REUSEPORT, 0}};
  for (const auto& [key, value] : settings) builder.AddChannelArgument(key, value);
  builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
  // Each session takes a thread, and what is refused takes one for a moment.
  constexpr int kSpareThreads = 16;
  grpc::ResourceQuota quota("vta-server");
  quota.SetMaxThreads(static_cast<int>(limits.sessions) + kSpareThreads);
  builder.SetResourceQuota(quota);
}

/// gRPC looks at a certificate and its key where it listens itself, which the gate does for it.
Status checkPair(const std::shared_ptr<grpc::ServerCredentials>& credentials) {
  v1::Remote::Service service;  // knows no call
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", credentials, &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  if (server != nullptr) server->Shutdown(std::chrono::system_clock::now());
  if (server != nullptr && port != 0) return {};
  return ioError(
      "--tls-cert and --tls-key: the certificate and its key are not a pair in PEM form");
}

class GrpcServer final : public RemoteServer {
 public:
  GrpcServer(const ServerOptions& options, std::vector<std::unique_ptr<SharedDevice>> devices)
      : service_(options.limits, std::move(devices)) {}

  ~GrpcServer() override {
    if (gate_ != nullptr) gate_->stop();
    service_.endSessions();
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
  }

  Status start(const ServerOptions& options) {
    // What goes wrong in a connection is the client's to know; the server's metrics count it.
    gpr_set_log_function([](gpr_log_func_args*) {});
    if (!options.token_file.empty()) {
      VTA_ASSIGN_OR_RETURN(TokenTable tokens, TokenTable::load(options.token_file));
      service_.setTokens(std::move(tokens));
    }
    service_.setModuleProgram(options.module_program);
    if (options.programming) service_.setProgramming(*options.programming);
    VTA_ASSIGN_OR_RETURN(const auto credentials, credentialsOf(options));
    if (options.metrics) VTA_RETURN_IF_ERROR(service_.metrics().expose(*options.metrics));
    if (!options.tls_certificate.empty()) VTA_RETURN_IF_ERROR(checkPair(credentials));
    VTA_RETURN_IF_ERROR(openGate(options));
    grpc::ServerBuilder builder;
    setLimits(builder, options.limits);
    using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
    connections_ = builder.experimental().AddExternalConnectionAcceptor(Type::FROM_FD, credentials);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) {
      return ioError(fmt::format("the server for {} does not start", gate_->address().text()));
    }
    return gate_->start([this](int descriptor) {
      grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
      connection.fd = descriptor;
      connections_->HandleNewConnection(&connection);
    });
  }

  HostPort address() const override { return gate_->address(); }

 private:
  Status openGate(const ServerOptions& options) {
    GateOptions gate;
    gate.listen = options.listen;
    gate.most_connections = options.limits.mostConnections();
    gate.login = options.limits.login;
    gate.log = options.log;
    gate.refused = [this](const std::string& reason) { service_.metrics().refused(reason); };
    VTA_ASSIGN_OR_RETURN(gate_, ConnectionGate::open(gate));
    service_.setGate(*gate_);
    return {};
  }

  RemoteService service_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections_;
  std::unique_ptr<ConnectionGate> gate_;  // its thread uses what stands above
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

Status checkExposure(const ServerOptions& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return invalidArgument("--tls-cert and --tls-key need each other");
  }
  const bool has_tls = !options.tls_certificate.empty();
  if (!has_tls && !options.tls_client_ca.empty()) {
    return invalidArgument("--tls-client-ca needs --tls-cert and --tls-key");
  }
  const bool knows_clients = !options.token_file.empty() || !options.tls_client_ca.empty();
  if (!options.listen.isLoopback() && (!has_tls || !knows_clients)) {
    const std::string remedy =
        fmt::format("{}{}", has_tls ? "" : "--tls-cert and --tls-key",
                    knows_clients ? "" : (has_tls ? "--tokens FILE" : ", and --tokens FILE"));
    const std::tuple<bool, const char*, const char*> powers[] = {
        {!options.module_program.empty(), "--modules", "run any program on this machine"},
        {options.programming.has_value(), "--flash", "load any logic into this machine's FPGA"}};
    for (const auto& [is_given, option, power] : powers) {
      if (!is_given) continue;
      return invalidArgument(fmt::format(
          "{} at {}: everybody who reaches this address could {}, which --insecure does "
          "not allow; add {}",
          option, options.listen.text(), power, remedy));
    }
    if (!options.is_insecure) {
      return invalidArgument(fmt::format(
          "--listen {}: everybody who reaches this address could use the board; add {}, or "
          "--insecure if the network is trusted",
          options.listen.text(), remedy));
    }
  }
  if (options.is_insecure) return {};
  if (options.metrics && !options.metrics->isLoopback()) {
    return invalidArgument(fmt::format(
        "--metrics {}: everybody who reaches this address could read the names of clients; take a "
        "loopback address, or add --insecure if the network is trusted",
        options.metrics->text()));
  }
  return {};
}

Result<std::unique_ptr<RemoteServer>> RemoteServer::start(
    const ServerOptions& options, std::vector<std::unique_ptr<SharedDevice>> devices) {
  VTA_RETURN_IF_ERROR(checkExposure(options));
  auto server = std::make_unique<GrpcServer>(options, std::move(devices));
  VTA_RETURN_IF_ERROR(server->start(options));
  return std::unique_ptr<RemoteServer>(std::move(server));
}

}  // namespace vta::remote
