#include "base/status.h"

namespace vta {

std::string_view statusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kInvalidArgument:
      return "invalid argument";
    case StatusCode::kNotFound:
      return "not found";
    case StatusCode::kUnsupported:
      return "unsupported";
    case StatusCode::kResourceExhausted:
      return "resource exhausted";
    case StatusCode::kDeviceFault:
      return "device fault";
    case StatusCode::kDeadlineExceeded:
      return "deadline exceeded";
    case StatusCode::kIoError:
      return "input/output error";
    case StatusCode::kInternal:
      return "internal error";
  }
  return "unknown";
}

}  // namespace vta
