#include "driver/generate/json/token_number.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace vta::driver {

Result<int64_t> tokenNumber(const std::string& text, const nlohmann::json& field) {
  // So that two of them are a key of 64 bits.
  constexpr int64_t kMostTokens = int64_t{1} << 31;
  const int64_t number = field.is_number_integer() ? field.get<int64_t>() : -1;
  if (number >= 0 && number < kMostTokens) return number;
  return invalidArgument(
      fmt::format("token '{}' has {}; numbers of tokens are whole, from 0 to {}", text,
                  field.is_number() ? "the number " + field.dump()
                                    : std::string("no number, but ") + field.type_name(),
                  kMostTokens - 1));
}

}  // namespace vta::driver
