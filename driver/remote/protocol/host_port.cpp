#include "driver/remote/protocol/host_port.h"

#include <fmt/format.h>

#include <charconv>

namespace vta::remote {

std::string HostPort::text() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
}

bool HostPort::isLoopback() const {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Result<HostPort> parseHostPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  HostPort parsed;
  bool is_good = colon != std::string_view::npos && colon > 0;
  if (is_good) {
    const std::string_view port = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), parsed.port);
    is_good = !port.empty() && error == std::errc() && end == port.data() + port.size();
    std::string_view host = text.substr(0, colon);
    const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
    if (is_bracketed) host = host.substr(1, host.size() - 2);
    is_good = is_good && !host.empty() && (is_bracketed || host.find(':') == host.npos) &&
              host.find_first_of("/[], \t") == host.npos;
    parsed.host = host;
  }
  if (is_good) return parsed;
  return invalidArgument(fmt::format(
      "'{}' is no address: write host:port or [IPv6]:port, with a port up to 65535", text));
}

}  // namespace vta::remote
