// Status and Result: how every library of the SDK reports a failure to its caller.
//
// Libraries return these values; they never print and never exit. A user's mistake gets a message
// with the offending name, the legal range and a remedy; a broken invariant is an assertion
// instead.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace vta {

enum class StatusCode : uint8_t {
  kOk,
  kInvalidArgument,    // the caller's input is wrong: configuration, model, option, shape
  kNotFound,           // a file, name or symbol does not exist
  kUnsupported,        // legal, but this implementation or device cannot do it
  kResourceExhausted,  // no space left on device, in memory or in a buffer
  kDeviceFault,        // the device stopped: illegal instruction, bounds, bus error, deadlock
  kDeadlineExceeded,   // a wait timed out
  kIoError,            // reading or writing failed
  kInternal,           // a broken invariant that could be reported instead of asserted
};

/// Name of `code` as printed in logs, for example "invalid argument".
std::string_view statusCodeName(StatusCode code);

/// Outcome of an operation without a value: ok, or a code and a message for the user.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {
    assert(code != StatusCode::kOk && "an error needs an error code");
  }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  /// The same error with `context` and ": " put before its message. Ok stays ok.
  Status withContext(std::string_view context) const {
    if (ok()) return *this;
    return Status(code_, std::string(context) + ": " + message_);
  }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

/// A value or the Status that explains why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT: implicit by design
  Result(Status status) : status_(std::move(status)) {  // NOLINT: implicit by design
    assert(!status_.ok() && "a Result without a value needs an error");
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  T& value() & {
    assert(ok());
    return *value_;
  }
  const T& value() const& {
    assert(ok());
    return *value_;
  }
  T&& value() && {
    assert(ok());
    return *std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::optional<T> value_;
  Status status_;
};

inline Status invalidArgument(std::string message) {
  return {StatusCode::kInvalidArgument, std::move(message)};
}
inline Status notFound(std::string message) { return {StatusCode::kNotFound, std::move(message)}; }
inline Status unsupported(std::string message) {
  return {StatusCode::kUnsupported, std::move(message)};
}
inline Status ioError(std::string message) { return {StatusCode::kIoError, std::move(message)}; }
inline Status internalError(std::string message) {
  return {StatusCode::kInternal, std::move(message)};
}

// The two macros below exist because C++20 has no expression that returns from the caller on error.
#define VTA_RETURN_IF_ERROR(expr)                                                  \
  do {                                                                             \
    if (::vta::Status vta_status_ = (expr); !vta_status_.ok()) return vta_status_; \
  } while (false)

#define VTA_CONCAT_IMPL(a, b) a##b
#define VTA_CONCAT(a, b) VTA_CONCAT_IMPL(a, b)
#define VTA_ASSIGN_OR_RETURN(lhs, expr)                                                           \
  auto VTA_CONCAT(vta_result_, __LINE__) = (expr);                                                \
  if (!VTA_CONCAT(vta_result_, __LINE__).ok()) return VTA_CONCAT(vta_result_, __LINE__).status(); \
  lhs = *std::move(VTA_CONCAT(vta_result_, __LINE__))

}  // namespace vta
