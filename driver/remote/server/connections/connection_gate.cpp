#include "driver/remote/server/connections/connection_gate.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "driver/remote/server/connections/listening_sockets.h"

namespace vta::remote {
namespace {

using Clock = std::chrono::steady_clock;

/// What a connection that came first may count on when others press in.
constexpr std::chrono::milliseconds kLeastStay{1000};
/// For the devices, the sessions' processes and what else a server has open.
constexpr uint64_t kOtherDescriptors = 64;

/// gRPC writes the brackets of an IPv6 address as in a URL.
std::string plainPeer(std::string peer) {
  for (const auto& [code, sign] : {std::pair{"%5B", "["}, {"%5D", "]"}, {"%25", "%"}}) {
    for (size_t at = 0; (at = peer.find(code, at)) != std::string::npos;) peer.replace(at, 3, sign);
  }
  return peer;
}

std::string peerText(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &ipv4.sin_addr, text, sizeof text);
    return fmt::format("ipv4:{}:{}", text, ntohs(ipv4.sin_port));
  }
  const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(address);
  if (IN6_IS_ADDR_V4MAPPED(&ipv6.sin6_addr)) {
    inet_ntop(AF_INET, &ipv6.sin6_addr.s6_addr[12], text, sizeof text);
    return fmt::format("ipv4:{}:{}", text, ntohs(ipv6.sin6_port));
  }
  inet_ntop(AF_INET6, &ipv6.sin6_addr, text, sizeof text);
  const std::string scope = ipv6.sin6_scope_id == 0 ? "" : fmt::format("%{}", ipv6.sin6_scope_id);
  return fmt::format("ipv6:[{}{}]:{}", text, scope, ntohs(ipv6.sin6_port));
}

/// What is said of connections that were turned away, once in a while.
class TurnedAway {
 public:
  TurnedAway(std::string reason, std::string text)
      : reason_(std::move(reason)), text_(std::move(text)) {}

  void count(const std::string& peer, const GateOptions& options) {
    ++count_;
    last_ = hostOfPeer(peer);
    if (options.refused) options.refused(reason_);
    say(options);
  }
  void say(const GateOptions& options) {
    const Clock::time_point now = Clock::now();
    if (count_ == 0 || now < silent_until_) return;
    if (options.log) {
      options.log(fmt::format("{} {}, the last one from {}: {}", count_,
                              count_ == 1 ? "connection" : "connections", last_, text_));
    }
    count_ = 0;
    silent_until_ = now + options.quiet;
  }

 private:
  std::string reason_, text_, last_;
  uint64_t count_ = 0;
  Clock::time_point silent_until_ = Clock::time_point::min();
};

/// A connection that somebody else uses: a second descriptor tells when it has been shut down, and
/// can shut it down.
struct Connection {
  Descriptor socket;
  std::string peer;
  Clock::time_point since;
};

class Gate final : public ConnectionGate {
 public:
  Gate(GateOptions options, std::vector<Descriptor> listeners)
      : options_(std::move(options)),
        listeners_(std::move(listeners)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        spare_(openSpare()),
        full_("connections",
              fmt::format("closed, as {} are open (--max-connections)", options_.most_connections)),
        silent_("login", fmt::format("closed, as they had no session for {} s (--login-limit)",
                                     std::chrono::duration<double>(options_.login).count())),
        no_descriptor_("descriptors",
                       "closed, as this process has no descriptor left (ulimit -n)") {}
  ~Gate() override { stop(); }

  HostPort address() const override { return options_.listen; }

  Status start(Handler handler) override {
    handler_ = std::move(handler);
    if (!wake_.isOpen()) return ioError("cannot open a descriptor for the server's thread");
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
      return {StatusCode::kResourceExhausted,
              fmt::format("cannot start the server's thread: {}", error.what())};
    }
    return {};
  }

  void stop() override {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.number(), &one, sizeof one);
    if (thread_.joinable()) thread_.join();
    listeners_.clear();
  }

  void sessionBegan(const std::string& peer) override {
    const std::lock_guard lock(mutex_);
    ++sessions_[plainPeer(peer)];
  }
  void sessionEnded(const std::string& peer) override {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(plainPeer(peer));
    if (found == sessions_.end()) return;
    if (--found->second == 0) sessions_.erase(found);
    last_session_[plainPeer(peer)] = Clock::now();
  }

 private:
  static Descriptor openSpare() { return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

  void run() {
    while (!isEnding()) {
      waitForEvents();
      forgetClosed();
      closeSilent();
      for (const Descriptor& listener : listeners_) acceptAll(listener);
      for (TurnedAway* away : {&full_, &silent_, &no_descriptor_}) away->say(options_);
    }
  }

  bool isEnding() {
    const std::lock_guard lock(mutex_);
    return is_ending_;
  }

  /// Until somebody comes or goes, or time has passed in which a connection may have been silent
  /// for too long.
  void waitForEvents() {
    polled_.clear();
    polled_.push_back({wake_.number(), POLLIN, 0});
    for (const Descriptor& listener : listeners_) polled_.push_back({listener.number(), POLLIN, 0});
    for (const Connection& connection : connections_) {
      polled_.push_back({connection.socket.number(), 0, 0});  // asks for its end only
    }
    constexpr std::chrono::milliseconds kMostWait{1000};
    const auto wait = std::min(kMostWait, options_.login / 4 + std::chrono::milliseconds(1));
    if (poll(polled_.data(), polled_.size(), static_cast<int>(wait.count())) < 0) polled_.clear();
  }

  void forgetClosed() {
    const size_t first = 1 + listeners_.size();
    if (polled_.size() < first + connections_.size()) return;  // interrupted
    size_t kept = 0;
    for (size_t i = 0; i < connections_.size(); ++i) {
      if ((polled_[first + i].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
        continue;
      }
      if (kept != i) connections_[kept] = std::move(connections_[i]);
      ++kept;
    }
    connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(kept),
                       connections_.end());
  }

  /// Since when the connection has had no session; the future if it has one.
  Clock::time_point silentSince(const Connection& connection) {
    const std::lock_guard lock(mutex_);
    if (sessions_.contains(connection.peer)) return Clock::time_point::max();
    const auto last = last_session_.find(connection.peer);
    return last == last_session_.end() ? connection.since
                                       : std::max(last->second, connection.since);
  }

  void closeSilent() {
    const Clock::time_point now = Clock::now();
    for (const Connection& connection : connections_) {
      const Clock::time_point since = silentSince(connection);
      if (since < now && now - since >= options_.login) close(connection, silent_);
    }
    const std::lock_guard lock(mutex_);
    std::erase_if(last_session_, [&](const auto& entry) {
      return now - entry.second >= options_.login;  // closed above, if it is still there
    });
  }

  /// Its user sees the end and gives it up; forgetClosed then forgets it.
  void close(const Connection& connection, TurnedAway& why) {
    if (::shutdown(connection.socket.number(), SHUT_RDWR) == 0) {
      why.count(connection.peer, options_);
    }
  }

  void acceptAll(const Descriptor& listener) {
    constexpr int kMostAtOnce = 64;
    for (int i = 0; i < kMostAtOnce; ++i) {
      sockaddr_storage address = {};
      socklen_t size = sizeof address;
      Descriptor socket(accept4(listener.number(), reinterpret_cast<sockaddr*>(&address), &size,
                                SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.isOpen()) {
        admit(std::move(socket), peerText(address));
        continue;
      }
      if (errno == EMFILE || errno == ENFILE) {
        if (!turnAwayWithSpare(listener)) return;
        continue;
      }
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      // Memory of the system, for example: it may be better in a moment.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return;
    }
  }

  /// Nobody waits in vain where there is no descriptor: the spare one serves to close connections.
  bool turnAwayWithSpare(const Descriptor& listener) {
    spare_.close();
    sockaddr_storage address = {};
    socklen_t size = sizeof address;
    Descriptor socket(
        accept4(listener.number(), reinterpret_cast<sockaddr*>(&address), &size, SOCK_CLOEXEC));
    const bool came = socket.isOpen();
    if (came) no_descriptor_.count(peerText(address), options_);
    socket.close();
    spare_ = openSpare();
    if (!came) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return came;
  }

  void admit(Descriptor socket, const std::string& peer) {
    if (connections_.size() >= options_.most_connections) {
      full_.count(peer, options_);
      makeRoom();
      return;
    }
    Descriptor second(fcntl(socket.number(), F_DUPFD_CLOEXEC, 0));
    if (!second.isOpen()) {
      no_descriptor_.count(peer, options_);
      return;
    }
    const int on = 1;
    setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections_.push_back({std::move(second), peer, Clock::now()});
    handler_(socket.release());
  }

  /// For the next one that comes: the oldest connection without a session goes.
  void makeRoom() {
    const Clock::time_point now = Clock::now();
    const Connection* oldest = nullptr;
    Clock::time_point oldest_since = now - kLeastStay;
    for (const Connection& connection : connections_) {
      const Clock::time_point since = silentSince(connection);
      if (since >= oldest_since) continue;
      oldest = &connection;
      oldest_since = since;
    }
    if (oldest != nullptr) ::shutdown(oldest->socket.number(), SHUT_RDWR);
  }

  const GateOptions options_;
  std::vector<Descriptor> listeners_;
  Descriptor wake_, spare_;
  Handler handler_;
  std::vector<pollfd> polled_;
  std::vector<Connection> connections_;
  TurnedAway full_, silent_, no_descriptor_;
  std::thread thread_;

  std::mutex mutex_;  // of what follows
  bool is_ending_ = false;
  std::map<std::string, uint32_t> sessions_;               // open ones, by peer
  std::map<std::string, Clock::time_point> last_session_;  // when it ended, by peer
};

/// As many connections as the process may have descriptors for, two each.
Status limitToDescriptors(GateOptions& options) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  const uint64_t there = limit.rlim_cur;
  const uint64_t connections = there < kOtherDescriptors + 2 ? 0 : (there - kOtherDescriptors) / 2;
  if (connections >= options.most_connections) return {};
  if (connections == 0) {
    return {StatusCode::kResourceExhausted,
            fmt::format("this process may open {} files, and a server needs {}; raise ulimit -n",
                        there, kOtherDescriptors + 2)};
  }
  if (options.log) {
    options.log(
        fmt::format("at most {} connections instead of {} (--max-connections), because this "
                    "process may open {} files; ulimit -n {} allows all",
                    connections, options.most_connections, there,
                    kOtherDescriptors + 2 * uint64_t{options.most_connections}));
  }
  options.most_connections = static_cast<uint32_t>(connections);
  return {};
}

}  // namespace

Result<std::unique_ptr<ConnectionGate>> ConnectionGate::open(const GateOptions& given) {
  GateOptions options = given;
  VTA_RETURN_IF_ERROR(limitToDescriptors(options));
  VTA_ASSIGN_OR_RETURN(std::vector<Descriptor> listeners, listenAt(options.listen));
  return std::unique_ptr<ConnectionGate>(
      std::make_unique<Gate>(std::move(options), std::move(listeners)));
}

std::string hostOfPeer(const std::string& peer) {
  const std::string plain = plainPeer(peer);
  return plain.substr(0, plain.rfind(':'));
}

}  // namespace vta::remote
