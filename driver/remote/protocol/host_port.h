// "host:port" as users write it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace vta::remote {

struct HostPort {
  std::string host;  // without the brackets of an IPv6 address
  uint16_t port = 0;

  /// "host:port", "[::1]:port".
  std::string text() const;

  /// Whether only this machine reaches it.
  bool isLoopback() const;
};

/// Reads "host:port" or "[IPv6]:port". Errors: kInvalidArgument with the form.
Result<HostPort> parseHostPort(std::string_view text);

}  // namespace vta::remote
