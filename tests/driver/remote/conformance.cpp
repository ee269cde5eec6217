// The conformance suite's devices behind servers on the loopback.
#include "tests/driver/conformance/harness.h"
#include "tests/driver/remote/loopback.h"

namespace vta::driver::conformance {

std::vector<DeviceUnderTest> devicesUnderTest() {
  remote::test::registerLoopback();
  const char* const not_mapped = "memory behind a network cannot be mapped";
  return {
      {"loopback:behind=functional",
       {{Feature::kMappedMemory, not_mapped},
        {Feature::kCheckedMode, "checked mode is an option of the device behind the server"}},
       manyConfigs},
      {"loopback:behind=functional:checked", {{Feature::kMappedMemory, not_mapped}}, manyConfigs},
      {"loopback:behind=cycle",
       {{Feature::kMappedMemory, not_mapped},
        {Feature::kCheckedMode, "the cycle simulator checks what the hardware checks"}},
       defaultConfig},
  };
}

}  // namespace vta::driver::conformance
