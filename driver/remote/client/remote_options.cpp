#include "driver/remote/client/remote_options.h"

#include <fmt/format.h>

#include <string_view>

namespace vta::remote {
namespace {

using driver::DeviceOptions;

std::string textOf(const DeviceOptions& options, std::string_view key) {
  const auto found = options.find(key);
  return found == options.end() ? std::string() : found->second;
}

/// Leaves `timeout` as it is where the option is not given.
Status readTimeout(const DeviceOptions& options, const char* key,
                   std::chrono::milliseconds& timeout) {
  constexpr uint64_t kMostMs = 3'600'000;
  const auto given = driver::numberOption(options, key, static_cast<uint64_t>(timeout.count()));
  if (given == 0 || given > kMostMs) {
    return invalidArgument(
        fmt::format("device 'remote': {} is from 1 to {} milliseconds", key, kMostMs));
  }
  timeout = std::chrono::milliseconds(given);
  return {};
}

}  // namespace

Result<RemoteOptions> parseRemoteOptions(const DeviceOptions& options) {
  const std::string address = textOf(options, "address");
  if (address.empty()) {
    return invalidArgument("device 'remote' needs an address: write tcp://host:port");
  }
  RemoteOptions parsed;
  VTA_ASSIGN_OR_RETURN(parsed.address, parseHostPort(address));
  parsed.board = textOf(options, "board");
  parsed.ca = textOf(options, "ca");
  parsed.certificate = textOf(options, "cert");
  parsed.key = textOf(options, "key");
  parsed.server_name = textOf(options, "server-name");
  parsed.token_file = textOf(options, "token");
  parsed.use_tls = options.contains("tls") || !parsed.ca.empty() || !parsed.certificate.empty();
  parsed.is_insecure = options.contains("insecure");
  VTA_RETURN_IF_ERROR(readTimeout(options, "connect-timeout", parsed.connect_timeout));
  VTA_RETURN_IF_ERROR(readTimeout(options, "answer-timeout", parsed.answer_timeout));
  if (parsed.certificate.empty() != parsed.key.empty()) {
    return invalidArgument("device 'remote': cert and key need each other");
  }
  if (!parsed.server_name.empty() && !parsed.use_tls) {
    return invalidArgument("device 'remote': server-name needs tls or ca=FILE");
  }
  return parsed;
}

}  // namespace vta::remote
