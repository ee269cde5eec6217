// Decimals of YAML files. Alone, because not every C++ library reads them from text.
#include <fmt/format.h>

#include <charconv>
#include <string>

#include "base/yaml_section.h"

namespace vta {

Result<double> YamlSection::number(std::string_view key, double above, double max) {
  VTA_ASSIGN_OR_RETURN(const std::string digits, text(key));
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [ptr, ec] = std::from_chars(digits.data(), end, value);
  if (!digits.empty() && ec == std::errc() && ptr == end && value > above && value <= max) {
    return value;
  }
  return invalidArgument(fmt::format("{}: {} is \"{}\"; legal: a number above {} and at most {}",
                                     placeOf(key), key, digits, above, max));
}

}  // namespace vta
