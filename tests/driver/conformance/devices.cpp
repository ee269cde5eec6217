// The devices of this machine, and what they lack.
#include "tests/driver/conformance/harness.h"

namespace vta::driver::conformance {

std::vector<DeviceUnderTest> devicesUnderTest() {
  const char* const not_checked = "hardware cannot know what is initialised or a race";
  return {
      {"functional",
       {{Feature::kCheckedMode, "checked mode is an option of this device"}},
       manyConfigs},
      {"functional:checked", {}, manyConfigs},
      {"cycle",
       {{Feature::kCheckedMode, "the cycle simulator checks what the hardware checks"}},
       manyConfigs},
      {"rtl",
       {{Feature::kCheckedMode, not_checked},
        {Feature::kTestGeometries, "built with assertions only: rtl:checked has this test"}},
       defaultConfig},
      {"rtl:checked", {{Feature::kCheckedMode, not_checked}}, builtConfigs},
  };
}

}  // namespace vta::driver::conformance
