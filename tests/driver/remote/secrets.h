// Certificates and token files for tests, in a folder that is removed at the end.
#pragma once

#include <string>

#include "base/temporary_folder.h"

namespace vta::remote::test {

class Secrets {
 public:
  Secrets();

  /// A file that only its owner may read.
  std::string write(const std::string& name, const std::string& text) const;

  /// Makes NAME.pem and NAME.key, a certificate that vouches for itself, for localhost and
  /// 127.0.0.1. Errors are exceptions.
  void certify(const std::string& name) const;

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace vta::remote::test
