// Files of TLS. What is no certificate makes connections fail with messages that do not name it.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace vta::remote {

/// The text of a file with certificates in PEM form. Errors: those of readTextFile;
/// kInvalidArgument when none is in it.
Result<std::string> readCertificates(const std::filesystem::path& path);

/// Ok when `text`, that of the file `path`, has a private key in PEM form that needs no password.
/// Error: kInvalidArgument.
Status checkPrivateKey(const std::string& text, const std::filesystem::path& path);

}  // namespace vta::remote
