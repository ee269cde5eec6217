// The number of a token in a tokenizer.json.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/status.h"

namespace vta::driver {

/// Errors: what is no whole number from 0 to 2^31 - 1; they name the token.
Result<int64_t> tokenNumber(const std::string& text, const nlohmann::json& field);

}  // namespace vta::driver
