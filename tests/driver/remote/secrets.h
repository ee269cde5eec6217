// Certificates and token files for tests, in a folder that is removed at the end.
#pragma once

#include <filesystem>
#include <string>

namespace vta::remote::test {

class Secrets {
 public:
  Secrets();
  ~Secrets();
  Secrets(const Secrets&) = delete;
  Secrets& operator=(const Secrets&) = delete;

  /// A file that only its owner may read.
  std::string write(const std::string& name, const std::string& text) const;

  /// Makes NAME.pem and NAME.key, a certificate that vouches for itself, for localhost and
  /// 127.0.0.1. Errors are exceptions.
  void certify(const std::string& name) const;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace vta::remote::test
