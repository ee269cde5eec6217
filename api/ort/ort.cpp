#include "api/ort/ort.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace vta::ort {
namespace {

/// N of version "1.N.P"; 0 when the text has another form.
uint32_t minorOf(const char* version) {
  uint32_t minor = 0;
  const char* dot = std::strchr(version, '.');
  if (dot != nullptr) std::from_chars(dot + 1, version + std::strlen(version), minor);
  return minor;
}

OrtErrorCode codeOf(vta_status status) {
  switch (status) {
    case VTA_INVALID_ARGUMENT:
      return ORT_INVALID_ARGUMENT;
    case VTA_NOT_FOUND:
      return ORT_NO_SUCHFILE;
    case VTA_UNSUPPORTED:
      return ORT_NOT_IMPLEMENTED;
    default:
      return ORT_EP_FAIL;
  }
}

}  // namespace

Ort::Ort(const OrtApiBase& base) {
  const char* runtime = base.GetVersionString();
  const uint32_t minor = minorOf(runtime);
  version_ = std::min<uint32_t>(minor, ORT_API_VERSION);
  api_ = minor >= kOldestMinor ? base.GetApi(version_) : nullptr;
  if (api_ == nullptr) {
    throw api::Error(
        VTA_UNSUPPORTED,
        fmt::format("libvta_ort.so needs ONNX Runtime 1.{} or later, and this one is {}; update it",
                    kOldestMinor, runtime));
  }
}

void Ort::check(OrtStatus* status) const {
  if (status == nullptr) return;
  const std::string message = api_->GetErrorMessage(status);
  api_->ReleaseStatus(status);
  throw api::Error(VTA_INTERNAL, message);
}

OrtStatus* Ort::status(vta_status code, const char* message) const noexcept {
  return api_->CreateStatus(codeOf(code), fmt::format("{}: {}", kProviderName, message).c_str());
}

void Ort::warn(const OrtLogger* logger, const std::string& text) const {
  OrtStatus* status = api_->Logger_LogMessage(logger, ORT_LOGGING_LEVEL_WARNING,
                                              fmt::format("{}: {}", kProviderName, text).c_str(),
                                              ORT_FILE, __LINE__, __func__);
  // A line that cannot be logged is no reason to stop.
  if (status != nullptr) api_->ReleaseStatus(status);
}

}  // namespace vta::ort
