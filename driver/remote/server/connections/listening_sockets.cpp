#include "driver/remote/server/connections/listening_sockets.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace vta::remote {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Status cannotListen(const HostPort& address, const std::string& reason) {
  return ioError(fmt::format("cannot listen at {}: {}", address.text(), reason));
}

Result<Addresses> resolve(const HostPort& address) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) return cannotListen(address, gai_strerror(error));
  return Addresses(found, freeaddrinfo);
}

void setPort(addrinfo& address, uint16_t port) {
  if (address.ai_family == AF_INET) {
    reinterpret_cast<sockaddr_in*>(address.ai_addr)->sin_port = htons(port);
  } else if (address.ai_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(address.ai_addr)->sin6_port = htons(port);
  }
}

uint16_t portOf(const Descriptor& socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

/// Not open where it failed, with errno.
Descriptor listenAt(const addrinfo& address) {
  Descriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1, off = 0;
  const bool listens =
      socket.isOpen() &&
      setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      // "[::]" stands for IPv4, too.
      (address.ai_family != AF_INET6 ||
       setsockopt(socket.number(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0) &&
      bind(socket.number(), address.ai_addr, address.ai_addrlen) == 0 &&
      listen(socket.number(), SOMAXCONN) == 0;
  if (!listens) {
    const int error = errno;
    socket.close();
    errno = error;
  }
  return socket;
}

}  // namespace

Result<std::vector<Descriptor>> listenAt(HostPort& address) {
  VTA_ASSIGN_OR_RETURN(const Addresses found, resolve(address));
  std::vector<Descriptor> sockets;
  int error = 0;
  for (addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
    setPort(*each, address.port);
    Descriptor socket = listenAt(*each);
    if (!socket.isOpen()) {
      error = errno;
      // A name may stand for an address of a family that this machine does not have.
      if (error == EAFNOSUPPORT || error == EADDRNOTAVAIL) continue;
      return cannotListen(address, fmt::format("{}; is the port in use?", std::strerror(error)));
    }
    if (address.port == 0) address.port = portOf(socket);
    sockets.push_back(std::move(socket));
  }
  if (sockets.empty()) {
    return cannotListen(address,
                        fmt::format("{}; is the address this machine's?", std::strerror(error)));
  }
  return sockets;
}

}  // namespace vta::remote
