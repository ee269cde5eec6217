#include "driver/remote/protocol/pem_file.h"

#include <fmt/format.h>

#include "base/files.h"

namespace vta::remote {

Result<std::string> readCertificates(const std::filesystem::path& path) {
  constexpr uint64_t kMostBytes = 16 << 20;
  VTA_ASSIGN_OR_RETURN(std::string text, readTextFile(path, kMostBytes));
  if (text.find("-----BEGIN CERTIFICATE-----") != std::string::npos) return text;
  return invalidArgument(
      fmt::format("{}: holds no certificate in PEM form, which begins with '-----BEGIN "
                  "CERTIFICATE-----'; 'openssl x509 -in {} -inform DER' makes one of a DER file",
                  path.string(), path.string()));
}

Status checkPrivateKey(const std::string& text, const std::filesystem::path& path) {
  const bool is_encrypted = text.find("ENCRYPTED") != std::string::npos;
  if (text.find("PRIVATE KEY-----") != std::string::npos && !is_encrypted) return {};
  return invalidArgument(
      fmt::format("{}: holds no {} in PEM form, which begins with '-----BEGIN PRIVATE KEY-----'",
                  path.string(), is_encrypted ? "key without a password" : "private key"));
}

}  // namespace vta::remote
