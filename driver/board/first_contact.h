// When a device tests itself before it is used.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "driver/device_registry.h"

namespace vta::driver {

/// The option self-test of devices with a core behind registers.
enum class FirstContact : uint8_t {
  kTestNew,     // when the core's last launch did not end well: none since it was programmed, or a
                // fault
  kTestAlways,  // whenever the device is opened
  kTestNever,
};

/// "new", "always" or "never"; "new" when it is not among the options. Errors: another word.
Result<FirstContact> parseFirstContact(std::string_view device, const DeviceOptions& options);

}  // namespace vta::driver
