// What host functions report through their context (module/host_abi.h), as errors for users.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace vta {

/// "index 10 is outside of -4 to 3"
std::string badIndexText(int64_t index, int64_t extent);

/// The error for what a host function has reported. `where` may be null. Where it ends in a full
/// stop it is a whole sentence, and for a bad index the error says nothing else.
Status hostFailureStatus(uint32_t failure, const char* where, int64_t value, int64_t limit);

}  // namespace vta
