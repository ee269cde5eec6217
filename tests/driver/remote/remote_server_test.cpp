// Servers and clients over the loopback: who is let in, what goes wrong on the way.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "base/descriptor.h"
#include "driver/check_programs.h"
#include "driver/loader.h"
#include "driver/remote/client/remote_flash.h"
#include "driver/remote/protocol/remote.grpc.pb.h"
#include "driver/remote/protocol/version.h"
#include "driver/self_test.h"
#include "sim/random/rng.h"
#include "tests/driver/remote/loopback.h"
#include "tests/driver/remote/secrets.h"

namespace vta::remote {
namespace {

using test::Loopback;
using test::Secrets;
using testing::HasSubstr;

constexpr const char* kToken = "0123456789abcdef0123";

/// What opening a device says; empty when it works.
std::string messageOf(const Result<std::unique_ptr<driver::Device>>& device) {
  return device.ok() ? "" : device.status().message();
}

bool works(const Loopback& server, const std::string& more = "") {
  const auto device = server.open(more);
  return device.ok() && driver::selfTest(**device).passed();
}

/// A program with its buffers on a device.
class LoadedCopy {
 public:
  explicit LoadedCopy(driver::Device& device)
      : program_(driver::copyProgram(device.info().hw, 64)),
        addresses_{device.allocate(1024, 64)->address, device.allocate(1024, 64)->address},
        loaded_(driver::LoadedProgram::load(device, program_, addresses_)) {}
  Status run() { return loaded_.ok() ? loaded_->run().status() : loaded_.status(); }

 private:
  Program program_;
  uint64_t addresses_[2];
  Result<driver::LoadedProgram> loaded_;
};

TEST(RemoteServerTest, ADeviceBehindItPassesTheSelfTest) {
  const Loopback server;
  EXPECT_TRUE(works(server));
  EXPECT_TRUE(works(server, ",board=board"));
}

/// What a device records of a small program.
std::shared_ptr<const Recording> recordingOn(driver::Device& device) {
  EXPECT_TRUE(device.setTracing(driver::Tracing::kAll).ok());
  const Program program = driver::copyProgram(device.info().hw, 64);
  const uint64_t addresses[] = {device.allocate(1024, 64)->address,
                                device.allocate(1024, 64)->address};
  auto loaded = driver::LoadedProgram::load(device, program, addresses);
  return loaded->execute().value().trace;
}

TEST(RemoteServerTest, RecordingsAreThoseOfTheDevice) {
  const Loopback server("cycle");
  const auto remote = server.open().value();
  const auto local = driver::createDevice("cycle", HwConfig::makeDefault()).value();
  const auto sent = recordingOn(*remote), wanted = recordingOn(*local);
  ASSERT_TRUE(sent != nullptr && wanted != nullptr);
  EXPECT_EQ(sent->cycles, wanted->cycles);
  EXPECT_EQ(sent->instructions, wanted->instructions);
  ASSERT_EQ(sent->bursts.size(), wanted->bursts.size());
  const auto works = [](const InstructionTimes& times) {
    return times.work_from != InstructionTimes::kNever;
  };
  EXPECT_TRUE(std::ranges::any_of(sent->instructions, works));
}

TEST(RemoteServerTest, LargeBuffersTravelInPieces) {
  const Loopback server;
  const auto device = server.open().value();
  std::vector<std::byte> sent(3 * kChunkBytes + 5);
  for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7 >> 3);
  const driver::DeviceBuffer buffer = device->allocate(sent.size(), 64).value();
  ASSERT_TRUE(device->write(buffer.address, sent).ok());
  std::vector<std::byte> received(sent.size());
  ASSERT_TRUE(device->read(buffer.address, received).ok());
  EXPECT_TRUE(sent == received);
}

TEST(RemoteServerTest, TokensDecideWhoComesIn) {
  const Secrets secrets;
  ServerOptions options;
  options.token_file = secrets.write("tokens", std::string("ann ") + kToken);
  const Loopback server("functional", options);
  EXPECT_THAT(messageOf(server.open()), HasSubstr("demands a token; give the token"));
  const std::string wrong = secrets.write("wrong", "0123456789abcdef0124\n");
  EXPECT_THAT(messageOf(server.open(",token=" + wrong)), HasSubstr("does not know this token"));
  const std::string right = secrets.write("right", std::string(kToken) + "\n");
  EXPECT_TRUE(works(server, ",token=" + right));
  std::filesystem::permissions(right, static_cast<std::filesystem::perms>(0644));
  EXPECT_THAT(messageOf(server.open(",token=" + right)), HasSubstr("chmod 600"));
  EXPECT_THAT(messageOf(server.open(",token=" + secrets.write("empty", ""))),
              HasSubstr("holds no token"));
}

TEST(RemoteServerTest, TokensDoNotTravelUnencryptedToOtherMachines) {
  const Secrets secrets;
  const std::string token = secrets.write("token", kToken);
  const auto device =
      driver::createDevice("tcp://192.0.2.1:7420,token=" + token, HwConfig::makeDefault());
  EXPECT_THAT(messageOf(device), HasSubstr("unencrypted"));
}

TEST(RemoteServerTest, TlsProvesTheServerAndTheClient) {
  const Secrets secrets;
  for (const char* const name : {"server", "client", "stranger"}) secrets.certify(name);
  ServerOptions options;
  options.tls_certificate = secrets.path("server.pem");
  options.tls_key = secrets.path("server.key");
  const auto pem = [&](const std::string& name) { return secrets.path(name + ".pem"); };
  {
    const Loopback server("functional", options);
    EXPECT_TRUE(works(server, ",ca=" + pem("server")));
    EXPECT_THAT(messageOf(server.open(",ca=" + pem("stranger"))), HasSubstr("certificate"));
    EXPECT_THAT(messageOf(server.open()), HasSubstr("without TLS?"));
    EXPECT_THAT(messageOf(server.open(",ca=" + secrets.write("ca", "no certificate"))),
                HasSubstr("ca: holds no certificate in PEM form"));
    EXPECT_THAT(messageOf(server.open(",ca=" + pem("server") + ",cert=" + pem("client") +
                                      ",key=" + pem("client"))),
                HasSubstr("client.pem: holds no private key in PEM form"));
  }
  options.tls_client_ca = pem("client");
  const Loopback server("functional", options);
  const auto as = [&](const std::string& name) {
    return ",ca=" + pem("server") + ",cert=" + pem(name) + ",key=" + secrets.path(name + ".key");
  };
  EXPECT_TRUE(works(server, as("client")));
  EXPECT_FALSE(works(server, as("stranger")));
  EXPECT_FALSE(works(server, ",ca=" + pem("server")));
}

TEST(RemoteServerTest, OthersThanThisMachineNeedTlsAndTokens) {
  ServerOptions options;
  options.listen = {"0.0.0.0", 0};
  EXPECT_THAT(checkExposure(options).message(), HasSubstr("add --tls-cert and --tls-key, and"));
  options.is_insecure = true;
  options.programming.emplace();
  EXPECT_THAT(checkExposure(options).message(), HasSubstr("--flash at 0.0.0.0:0"));
  EXPECT_THAT(checkExposure(options).message(), HasSubstr("which --insecure does not allow"));
  options.programming.reset();
  EXPECT_TRUE(checkExposure(options).ok());
  options.is_insecure = false;
  options.tls_certificate = options.tls_key = "file";
  EXPECT_THAT(checkExposure(options).message(), HasSubstr("add --tokens FILE, or --insecure"));
  options.token_file = "file";
  EXPECT_TRUE(checkExposure(options).ok());
  options.metrics = HostPort{"0.0.0.0", 9420};
  EXPECT_THAT(checkExposure(options).message(), HasSubstr("--metrics 0.0.0.0:9420"));
  options.is_insecure = true;
  EXPECT_TRUE(checkExposure(options).ok());
  options.tls_key = "";
  EXPECT_THAT(checkExposure(options).message(), HasSubstr("need each other"));
}

TEST(RemoteServerTest, WrongSetUpsAreErrorsOfTheStart) {
  const Secrets secrets;
  const auto start = [](const ServerOptions& options) {
    return RemoteServer::start(options, {}).status().message();
  };
  ServerOptions options;
  for (const char* const name : {"one", "other"}) secrets.certify(name);
  const std::string wrong = secrets.write("wrong", "neither");
  options.tls_certificate = wrong;
  options.tls_key = secrets.path("one.key");
  EXPECT_THAT(start(options), HasSubstr("wrong: holds no certificate in PEM form"));
  options.tls_certificate = secrets.path("one.pem");
  options.tls_key = wrong;
  EXPECT_THAT(start(options), HasSubstr("wrong: holds no private key in PEM form"));
  options.tls_key = secrets.write("locked", "-----BEGIN ENCRYPTED PRIVATE KEY-----");
  EXPECT_THAT(start(options), HasSubstr("locked: holds no key without a password"));
  options.tls_key = secrets.path("other.key");
  EXPECT_THAT(start(options), HasSubstr("not a pair in PEM form"));
  options.tls_key = secrets.path("none");
  EXPECT_THAT(start(options), HasSubstr("none"));
  const Loopback first;
  ServerOptions taken;
  taken.listen = first.address();
  EXPECT_THAT(start(taken), HasSubstr("is the port in use"));
  taken.listen = {"127.0.0.1", 0};
  taken.metrics = first.address();
  EXPECT_THAT(start(taken), HasSubstr("metrics cannot be served"));
}

TEST(RemoteServerTest, NoServerIsNamedSo) {
  Loopback server;
  const std::string spec = server.spec();
  server.stop();
  EXPECT_THAT(messageOf(driver::createDevice(spec, HwConfig::makeDefault())),
              HasSubstr("is vta-server running there"));
}

TEST(RemoteServerTest, AServerThatGoesEndsItsDevices) {
  Loopback server;
  const auto device = server.open().value();
  LoadedCopy program(*device);
  EXPECT_TRUE(program.run().ok());
  server.stop();
  const Status status = program.run();
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_FALSE(device->allocate(64, 64).ok());
}

TEST(RemoteServerTest, SessionsAreLimited) {
  ServerOptions options;
  options.limits.sessions = 2;
  const Loopback server("functional", options);
  auto first = server.open();
  const auto second = server.open();
  EXPECT_THAT(messageOf(server.open()), HasSubstr("2 sessions already (--max-sessions)"));
  first = invalidArgument("closed");
  EXPECT_EQ(messageOf(server.open()), "");
}

TEST(RemoteServerTest, IdleSessionsEnd) {
  ServerOptions options;
  options.limits.idle = std::chrono::milliseconds(100);
  const Loopback server("functional", options);
  const auto device = server.open().value();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_THAT(device->allocate(64, 64).status().message(), HasSubstr("--idle-limit"));
  EXPECT_EQ(messageOf(server.open()), "");
}

TEST(RemoteServerTest, SessionsOfOneClientAreLimited) {
  ServerOptions options;
  options.limits.sessions = 4;
  const Loopback server("functional", options);
  std::vector<Result<std::unique_ptr<driver::Device>>> devices;
  for (int i = 0; i < 3; ++i) devices.push_back(server.open());
  EXPECT_EQ(messageOf(devices.back()), "");
  EXPECT_THAT(messageOf(server.open()), HasSubstr("3 sessions already (--max-client-sessions)"));
  devices.pop_back();
  EXPECT_EQ(messageOf(server.open()), "");
}

/// A connection that says nothing.
Descriptor silentConnection(const HostPort& server) {
  Descriptor client(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  if (connect(client.number(), any, sizeof address) != 0) client.close();
  return client;
}

bool worksSoon(const Loopback& server) {
  for (int i = 0; i < 100; ++i) {
    if (works(server)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

TEST(RemoteServerTest, SilentConnectionsLockNobodyOut) {
  std::atomic<int> lines = 0;
  ServerOptions options;
  options.limits.connections = 6;
  options.limits.login = std::chrono::milliseconds(500);
  options.log = [&](const std::string&) { ++lines; };
  const Loopback server("functional", options);
  std::vector<Descriptor> silent;
  for (int i = 0; i < 30; ++i) silent.push_back(silentConnection(server.address()));
  EXPECT_TRUE(worksSoon(server));
  EXPECT_GE(lines, 1);
}

TEST(RemoteServerTest, ASessionKeepsItsConnection) {
  for (const char* const host : {"127.0.0.1", "::1", "localhost"}) {
    SCOPED_TRACE(host);
    ServerOptions options;
    options.listen = {host, 0};
    options.limits.login = std::chrono::milliseconds(100);
    std::unique_ptr<Loopback> server;
    try {
      server = std::make_unique<Loopback>("functional", options);
    } catch (const std::runtime_error&) {
      EXPECT_STREQ(host, "::1");  // a machine may have no IPv6
      continue;
    }
    const auto device = server->open().value();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_TRUE(device->allocate(64, 64).ok());
  }
}

/// A client in a process of its own, which runs launches until it is killed.
pid_t startClient(const std::string& spec) {
  const pid_t process = fork();
  if (process != 0) return process;
  execl(VTA_BINARY_DIR "/bin/remote_client_probe", "remote_client_probe", spec.c_str(), nullptr);
  std::_Exit(1);
}

TEST(RemoteServerTest, ClientsThatAreKilledLeaveNothing) {
  ServerOptions options;
  options.limits.sessions = 2;
  // Each client takes more than half of it.
  const Loopback server("functional:memory=64M", options);
  sim::Rng random(3);
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    const pid_t client = startClient(server.spec());
    ASSERT_GT(client, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(random.pick(200, 600)));
    kill(client, SIGKILL);
    waitpid(client, nullptr, 0);
    // Its memory is free once the server has seen its end.
    bool is_free = false;
    for (int wait = 0; wait < 100 && !is_free; ++wait) {
      const auto device = server.open();
      is_free = device.ok() && (*device)->allocate(uint64_t{60} << 20, 64).ok();
      if (!is_free) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_TRUE(is_free);
  }
  EXPECT_TRUE(works(server));
}

/// Sends one message of raw bytes as a request; how the stream ends.
grpc::Status sendBytes(const std::string& address, const std::string& bytes,
                       const std::string& call = "Open") {
  grpc::GenericStub stub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto step = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto stream = stub.PrepareCall(&context, "/vta.remote.v1.Remote/" + call, &queue);
  stream->StartCall(nullptr);
  step();
  const grpc::Slice slice(bytes);
  stream->Write(grpc::ByteBuffer(&slice, 1), nullptr);
  if (step()) {
    stream->WritesDone(nullptr);
    step();
  }
  grpc::ByteBuffer reply;
  do {
    stream->Read(&reply, nullptr);
  } while (step());
  grpc::Status status;
  stream->Finish(&status, nullptr);
  step();
  return status;
}

TEST(RemoteServerTest, MalformedMessagesEndTheirStreamOnly) {
  const Loopback server;
  sim::Rng random(5);
  for (int i = 0; i < 200; ++i) {
    std::string bytes;
    for (uint32_t size = random.pick(1, 60); size > 0; --size) {
      bytes.push_back(static_cast<char>(random.pick(0, 255)));
    }
    sendBytes(server.address().text(), bytes);
    sendBytes(server.address().text(), bytes, "RunModule");
    sendBytes(server.address().text(), bytes, "Flash");
  }
  EXPECT_TRUE(works(server));
}

TEST(RemoteServerTest, OversizedRequestsAreRefused) {
  const Loopback server;
  const grpc::Status status =
      sendBytes(server.address().text(), std::string(kMaxRequestBytes + 1, 'x'));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(works(server));
}

/// A server that knows no call.
class EmptyServer {
 public:
  EmptyServer() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
  }
  std::string spec() const { return "tcp://127.0.0.1:" + std::to_string(port_); }

 private:
  v1::Remote::Service service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST(RemoteServerTest, AnotherServiceIsNamedSo) {
  const EmptyServer server;
  const auto device = driver::createDevice(server.spec(), HwConfig::makeDefault());
  EXPECT_THAT(messageOf(device), HasSubstr("no vta-server, or one of another version"));
}

TEST(RemoteServerTest, AServerThatIsTooOldForBitstreamsHasToBeUpdated) {
  const EmptyServer server;
  const auto spec = driver::parseDeviceSpec(server.spec()).value();
  const auto report = flashRemotely(parseRemoteOptions(spec.options).value(), {}, {});
  EXPECT_THAT(report.status().message(),
              HasSubstr("the server is older than this client and takes no bitstreams: update it"));
}

/// Takes connections and never answers.
class SilentServer {
 public:
  SilentServer() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    const bool is_up = bind(socket_, any, size) == 0 && listen(socket_, 4) == 0 &&
                       getsockname(socket_, any, &size) == 0;
    port_ = is_up ? ntohs(address.sin_port) : 0;
  }
  ~SilentServer() { close(socket_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  int port() const { return port_; }

 private:
  int socket_;
  int port_ = 0;
};

TEST(RemoteServerTest, SilenceEnds) {
  const SilentServer server;
  const auto device = driver::createDevice(
      "tcp://127.0.0.1:" + std::to_string(server.port()) + ",connect-timeout=300",
      HwConfig::makeDefault());
  EXPECT_THAT(messageOf(device), HasSubstr("no answer within 300 ms"));
}

/// Welcomes a client, and then says nothing.
class MuteService final : public v1::Remote::Service {
 public:
  grpc::Status Open(grpc::ServerContext* context,
                    grpc::ServerReaderWriter<v1::Reply, v1::Request>* stream) override {
    v1::Request request;
    stream->Read(&request);
    v1::Reply reply;
    reply.mutable_welcome()->set_version(kHighestVersion);
    reply.mutable_welcome()->set_hw(HwConfig::makeDefault().toYaml());
    stream->Write(reply);
    while (!context->IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return grpc::Status::OK;
  }
};

TEST(RemoteServerTest, AMuteServerIsAnError) {
  MuteService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  const auto device = driver::createDevice(
      "tcp://127.0.0.1:" + std::to_string(port) + ",answer-timeout=300", HwConfig::makeDefault());
  ASSERT_TRUE(device.ok()) << device.status().message();
  EXPECT_THAT((*device)->allocate(64, 64).status().message(),
              HasSubstr("no answer for 300 ms; answer-timeout=MS waits longer"));
  EXPECT_FALSE((*device)->allocate(64, 64).ok());
}

TEST(RemoteServerTest, WrongOptionsAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"tcp://", "needs an address"},
      {"tcp:127.0.0.1:80", "write tcp://address"},
      {"tcp://host", "host:port"},
      {"tcp://host:1,cert=a.pem", "cert and key need each other"},
      {"tcp://host:1,server-name=x", "needs tls"},
      {"tcp://host:1,speed=9", "legal: "},
      {"tcp://host:1,connect-timeout=0", "from 1 to"},
      {"tcp://host:1,answer-timeout=0", "answer-timeout is from 1 to"},
      {"tcp://127.0.0.1:1,ca=/none.pem", "/none.pem"}};
  for (const auto& [spec, message] : cases) {
    EXPECT_THAT(messageOf(driver::createDevice(spec, HwConfig::makeDefault())), HasSubstr(message))
        << spec;
  }
}

}  // namespace
}  // namespace vta::remote
