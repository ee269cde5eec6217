#include "driver/remote/server/connections/connection_gate.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"

namespace vta::remote {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::chrono::milliseconds kLong{60'000};

/// A gate whose connections this test has, as a server would.
class GateTest : public testing::Test {
 protected:
  GateTest() {
    options_.listen = {"127.0.0.1", 0};
    options_.login = kLong;
    options_.log = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(line);
    };
    options_.refused = [this](const std::string& reason) {
      const std::lock_guard lock(mutex_);
      refused_.push_back(reason);
    };
  }
  ~GateTest() override { gate_.reset(); }

  void open() {
    auto gate = ConnectionGate::open(options_);
    ASSERT_TRUE(gate.ok()) << gate.status().message();
    gate_ = *std::move(gate);
    const Status started = gate_->start([this](int descriptor) {
      const std::lock_guard lock(mutex_);
      served_.emplace_back(descriptor);
    });
    ASSERT_TRUE(started.ok()) << started.message();
  }

  static Descriptor newSocket() { return Descriptor(socket(AF_INET, SOCK_STREAM, 0)); }
  void connectTo(const Descriptor& client) const {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(gate_->address().port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* any = reinterpret_cast<const sockaddr*>(&address);
    ASSERT_EQ(::connect(client.number(), any, sizeof address), 0);
  }
  Descriptor connect() const {
    Descriptor client = newSocket();
    connectTo(client);
    return client;
  }
  /// Whether the other side ends the connection, in time that is enough for anything.
  static bool isClosed(const Descriptor& client, int wait_ms = 10'000) {
    pollfd polled = {client.number(), POLLIN, 0};
    return poll(&polled, 1, wait_ms) == 1;
  }
  bool waitForServed(size_t count) {
    for (int i = 0; i < 1000; ++i) {
      {
        const std::lock_guard lock(mutex_);
        if (served_.size() >= count) return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  static std::string peerOf(const Descriptor& client) {
    sockaddr_in address = {};
    socklen_t size = sizeof address;
    getsockname(client.number(), reinterpret_cast<sockaddr*>(&address), &size);
    return "ipv4:127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  std::vector<std::string> refused() {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

  GateOptions options_;
  std::mutex mutex_;
  std::vector<Descriptor> served_;
  std::vector<std::string> lines_, refused_;
  std::unique_ptr<ConnectionGate> gate_;
};

TEST_F(GateTest, MoreThanTheMostAreClosedAndNamedOnce) {
  options_.most_connections = 3;
  open();
  std::vector<Descriptor> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(connect());
  ASSERT_TRUE(waitForServed(3));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(isClosed(connect()));
  EXPECT_THAT(refused(), ElementsAre("connections", "connections"));
  ASSERT_THAT(lines(), SizeIs(1));
  EXPECT_THAT(lines()[0], HasSubstr("1 connection, the last one from ipv4:127.0.0.1: closed, as 3 "
                                    "are open (--max-connections)"));
  for (const Descriptor& client : clients) EXPECT_FALSE(isClosed(client, 0));
}

TEST_F(GateTest, AConnectionThatEndsMakesRoom) {
  options_.most_connections = 1;
  open();
  const Descriptor first = connect();
  ASSERT_TRUE(waitForServed(1));
  ::shutdown(served_[0].number(), SHUT_RDWR);  // as its user does at its end
  served_[0].close();
  EXPECT_TRUE(isClosed(first));
  // The gate may take a moment to see it.
  std::vector<Descriptor> others;
  bool is_in = false;
  for (int i = 0; i < 100 && !is_in; ++i) {
    others.push_back(connect());
    is_in = !isClosed(others.back(), 50);
  }
  EXPECT_TRUE(is_in);
}

TEST_F(GateTest, TheOldestWithoutASessionMakesRoom) {
  options_.most_connections = 2;
  open();
  const Descriptor first = connect();
  ASSERT_TRUE(waitForServed(1));
  gate_->sessionBegan(peerOf(first));
  const Descriptor second = connect();
  ASSERT_TRUE(waitForServed(2));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_TRUE(isClosed(connect()));  // it comes too early, but
  EXPECT_TRUE(isClosed(second));
  EXPECT_FALSE(isClosed(first, 0));
}

TEST_F(GateTest, ConnectionsWithoutASessionAreClosed) {
  options_.login = std::chrono::milliseconds(200);
  open();
  const Descriptor silent = connect();
  const Descriptor busy = connect();
  ASSERT_TRUE(waitForServed(2));
  gate_->sessionBegan(peerOf(busy));
  EXPECT_TRUE(isClosed(silent));
  EXPECT_THAT(refused(), ElementsAre("login"));
  ASSERT_THAT(lines(), SizeIs(1));
  EXPECT_THAT(lines()[0], HasSubstr("no session for 0.2 s (--login-limit)"));
  EXPECT_FALSE(isClosed(busy, 300));
  gate_->sessionEnded(peerOf(busy));
  EXPECT_TRUE(isClosed(busy));
}

/// The limit of descriptors of this process, as long as it lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t limit) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit lower = before_;
    lower.rlim_cur = limit;
    setrlimit(RLIMIT_NOFILE, &lower);
  }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

TEST_F(GateTest, WhereThereIsNoDescriptorConnectionsAreClosed) {
  open();
  std::vector<Descriptor> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(newSocket());
  {
    Descriptor next = newSocket();
    const rlim_t used = static_cast<rlim_t>(next.number());
    next.close();
    const DescriptorLimit limit(used);
    for (const Descriptor& client : clients) {
      connectTo(client);
      EXPECT_TRUE(isClosed(client));
    }
    EXPECT_THAT(refused(), SizeIs(3));
    EXPECT_THAT(refused(), Each("descriptors"));
    ASSERT_THAT(lines(), SizeIs(1));
    EXPECT_THAT(lines()[0], HasSubstr("no descriptor left (ulimit -n)"));
  }
  const Descriptor later = connect();
  EXPECT_TRUE(waitForServed(1));
}

TEST_F(GateTest, AsManyConnectionsAsThereAreDescriptors) {
  const DescriptorLimit limit(70);
  open();
  ASSERT_THAT(lines(), SizeIs(1));
  EXPECT_THAT(lines()[0], HasSubstr("at most 3 connections instead of 64 (--max-connections)"));
  EXPECT_THAT(lines()[0], HasSubstr("ulimit -n 192 allows all"));
}

TEST_F(GateTest, TooFewDescriptorsAreAnError) {
  const DescriptorLimit limit(60);
  const auto gate = ConnectionGate::open(options_);
  ASSERT_FALSE(gate.ok());
  EXPECT_EQ(gate.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(gate.status().message(), HasSubstr("raise ulimit -n"));
}

TEST_F(GateTest, AddressesThatCannotBeListenedAt) {
  const auto messageOf = [&](const HostPort& address) {
    options_.listen = address;
    return ConnectionGate::open(options_).status().message();
  };
  EXPECT_THAT(messageOf({"192.0.2.1", 0}), HasSubstr("is the address this machine's?"));
  EXPECT_THAT(messageOf({"no.such.host.invalid", 0}), HasSubstr("cannot listen at no.such.host"));
  options_.listen = {"127.0.0.1", 0};
  open();
  EXPECT_THAT(messageOf(gate_->address()), HasSubstr("is the port in use?"));
}

TEST(HostOfPeer, HasNoPort) {
  EXPECT_EQ(hostOfPeer("ipv4:127.0.0.1:4711"), "ipv4:127.0.0.1");
  EXPECT_EQ(hostOfPeer("ipv6:%5B::1%5D:4711"), "ipv6:[::1]");
}

}  // namespace
}  // namespace vta::remote
