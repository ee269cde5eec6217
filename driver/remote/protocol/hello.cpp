#include "driver/remote/protocol/hello.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/remote/protocol/version.h"

namespace vta::remote {

v1::Hello helloMessage(const std::string& device, const std::string& hw) {
  v1::Hello hello;
  hello.set_lowest_version(kLowestVersion);
  hello.set_highest_version(kHighestVersion);
  hello.set_sdk(std::string(kSdk));
  hello.set_device(device);
  hello.set_hw(hw);
  return hello;
}

Result<uint32_t> agreeOnVersion(const v1::Hello& hello) {
  const uint32_t version = std::min(hello.highest_version(), kHighestVersion);
  if (version >= hello.lowest_version() && version >= kLowestVersion) return version;
  const bool is_old_server = hello.lowest_version() > kHighestVersion;
  return unsupported(fmt::format(
      "client and server do not speak the same protocol: the client ({}) speaks versions {} to {}, "
      "the server ({}) {} to {}; update the {}",
      hello.sdk().substr(0, 64), hello.lowest_version(), hello.highest_version(), kSdk,
      kLowestVersion, kHighestVersion, is_old_server ? "server" : "client"));
}

Status unknownRequest() {
  return unsupported(
      fmt::format("the server ({}) does not know this request; it is older than the client", kSdk));
}

}  // namespace vta::remote
