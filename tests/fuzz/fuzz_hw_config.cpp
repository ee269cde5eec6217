// Hardware configurations: any text gives an error or a configuration that survives its own YAML.
#include <cstdlib>
#include <string_view>

#include "isa/config/hw_config.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto hw = vta::parseHwConfig(text, "fuzz.yaml");
  if (!hw.ok()) return hw.status().message().empty() ? std::abort(), 0 : 0;
  const auto again = vta::parseHwConfig(hw->toYaml(), "again.yaml");
  if (!again.ok() || again->fingerprint() != hw->fingerprint() || hw->summary().empty()) {
    std::abort();
  }
  return 0;
}
