#include "module/host/host_failure.h"

#include <fmt/format.h>

#include "module/host_abi.h"

namespace vta {

std::string badIndexText(int64_t index, int64_t extent) {
  if (extent == 0) return fmt::format("index {}, but there is nothing to select from", index);
  return fmt::format("index {} is outside of {} to {}", index, -extent, extent - 1);
}

Status hostFailureStatus(uint32_t failure, const char* where, int64_t value, int64_t limit) {
  const std::string place = where == nullptr ? "" : fmt::format("{}: ", where);
  switch (failure) {
    case VTA_HOST_NO_MEMORY:
      return {StatusCode::kResourceExhausted,
              fmt::format("{}there is not enough memory: its intermediate results take {} bytes",
                          place, value)};
    case VTA_HOST_BAD_INDEX:
      if (place.ends_with(".: ")) return invalidArgument(place.substr(0, place.size() - 3));
      return invalidArgument(place + badIndexText(value, limit));
    default:
      return internalError(fmt::format("{}host code reports failure {}", place, failure));
  }
}

}  // namespace vta
