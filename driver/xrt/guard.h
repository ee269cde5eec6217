// XRT reports errors by exceptions; ours are Status values.
#pragma once

#include <exception>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/status.h"

namespace vta::driver {

/// An exception as a Status with XRT's words: kResourceExhausted where something is in use, else
/// `code`.
inline Status statusOf(const std::exception& error, StatusCode code) {
  const auto* const system = dynamic_cast<const std::system_error*>(&error);
  const bool is_in_use = system != nullptr && system->code() == std::errc::device_or_resource_busy;
  return {is_in_use ? StatusCode::kResourceExhausted : code, std::string("XRT: ") + error.what()};
}

/// What `call` returns; of an exception, its Status.
template <typename Call>
auto guarded(StatusCode code, Call&& call) {
  using Value = std::invoke_result_t<Call>;
  using Outcome = std::conditional_t<std::is_void_v<Value>, Status, Result<Value>>;
  try {
    if constexpr (std::is_void_v<Value>) {
      std::forward<Call>(call)();
      return Outcome();
    } else {
      return Outcome(std::forward<Call>(call)());
    }
  } catch (const std::exception& error) {
    return Outcome(statusOf(error, code));
  }
}

}  // namespace vta::driver
