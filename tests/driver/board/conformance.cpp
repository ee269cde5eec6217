// The conformance suite on a virtual board: our core, and the four blocks of VTA 0.0.2.
#include <memory>
#include <string>

#include "driver/device_registry.h"
#include "tests/driver/board/board_process.h"
#include "tests/driver/conformance/harness.h"

namespace vta::driver::conformance {
namespace {

/// A device on a board of its own, which goes with the next device.
Result<std::unique_ptr<Device>> openOnNewBoard(const DeviceOptions& options, const HwConfig& hw,
                                               const DeviceProgress& /*progress*/) {
  static std::unique_ptr<test::BoardProcess> board;
  board.reset();
  sim::VirtualBoardOptions board_options;
  board_options.memory_bytes = uint64_t{16} << 20;
  board_options.has_four_blocks = options.contains("four-block");
  board = std::make_unique<test::BoardProcess>(board_options, hw);
  return createDevice(board->spec(board_options.has_four_blocks ? ",map=four-block" : ""), hw);
}

std::vector<HwConfig> publishedConfig() {
  return {loadHwConfig(VTA_SOURCE_DIR "/configs/hw/vta-0.0.2.yaml").value()};
}

}  // namespace

std::vector<DeviceUnderTest> devicesUnderTest() {
  registerDevice({.name = "board",
                  .description = "the zynq device on a new virtual board",
                  .options = {{"four-block"}},
                  .aliases = {},
                  .create = openOnNewBoard});
  const std::string kernel = "the kernel decides where contiguous memory lies";
  const std::string hardware = "hardware cannot know what is initialised or a race";
  const std::string blocks = "the blocks of VTA 0.0.2 check nothing: a bad program never ends";
  return {{"board",
           {{Feature::kFixedAddresses, kernel},
            {Feature::kFaultReports, "the core's registers have no reason in words"},
            {Feature::kCheckedMode, hardware}},
           manyConfigs,
           "zynq:"},
          {"board:four-block",
           {{Feature::kFixedAddresses, kernel},
            {Feature::kFaults, blocks},
            {Feature::kFaultReports, blocks},
            {Feature::kCheckedMode, hardware},
            {Feature::kTestGeometries, "the blocks run programs for vta-0.0.2"},
            {Feature::kDefaultConfiguration, "the blocks run programs for vta-0.0.2"}},
           publishedConfig,
           "zynq:"}};
}

}  // namespace vta::driver::conformance
