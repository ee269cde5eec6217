// The conformance suite's devices behind XRT.
#include "driver/device_registry.h"
#include "tests/driver/conformance/harness.h"
#include "tests/driver/xrt/test_card.h"

namespace vta::driver::conformance {
namespace {

constexpr int kCards = 4;

/// A device on the next card: some tests have two at once, and a card has one user.
Result<std::unique_ptr<Device>> openNext(const DeviceOptions& /*options*/, const HwConfig& hw,
                                         const DeviceProgress& /*progress*/) {
  static const test::TestCard card("cards=" + std::to_string(kCards));
  static int next = 0;
  for (int tries = 1;; ++tries) {
    auto device = createDevice(card.spec("", next++ % kCards), hw);
    if (device.ok() || tries == kCards) return device;
  }
}

}  // namespace

std::vector<DeviceUnderTest> devicesUnderTest() {
  registerDevice({.name = "card",
                  .description = "the next virtual card",
                  .options = {},
                  .aliases = {},
                  .create = openNext});
  return {{"card",
           {{Feature::kFixedAddresses, "XRT decides where buffers lie"},
            {Feature::kFaultReports, "the core's registers have no reason in words"},
            {Feature::kCheckedMode, "hardware cannot know what is initialised or a race"},
            {Feature::kTestGeometries, "the container has the default configuration"}},
           defaultConfig,
           "xrt:"}};
}

}  // namespace vta::driver::conformance
