#include "tests/driver/remote/secrets.h"

#include <fstream>
#include <stdexcept>

namespace vta::remote::test {

Secrets::Secrets() : folder_(*TemporaryFolder::create("vta-secrets")) {}

std::string Secrets::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_.path() / name) << text;
  using std::filesystem::perms;
  std::filesystem::permissions(folder_.path() / name, perms::owner_read | perms::owner_write);
  return path(name);
}

void Secrets::certify(const std::string& name) const {
  const std::string command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
      "-days 2 -subj /CN=localhost -addext "
      "subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout " +
      path(name + ".key") + " -out " + path(name + ".pem") + " >/dev/null 2>&1";
  if (system(command.c_str()) != 0) throw std::runtime_error("openssl failed: " + command);
}

}  // namespace vta::remote::test
