// The defaults of Device and the names of faults.
#include "driver/device.h"

#include <gmock/gmock.h>

#include <set>

namespace vta::driver {
namespace {

/// A device with nothing but what it must implement.
class BareDevice final : public Device {
 public:
  const DeviceInfo& info() const override { return info_; }
  Result<DeviceBuffer> allocate(uint64_t, uint64_t) override { return error(); }
  Status free(const DeviceBuffer&) override { return error(); }
  Status write(uint64_t, std::span<const std::byte>) override { return error(); }
  Status read(uint64_t, std::span<std::byte>) override { return error(); }
  Status submit(const Launch&) override { return error(); }
  Result<LaunchResult> wait(std::chrono::milliseconds) override { return error(); }
  Status reset() override { return error(); }

 private:
  static Status error() { return internalError("not called"); }
  DeviceInfo info_{"bare", HwConfig::makeDefault(), {}, "bare"};
};

TEST(DeviceTest, DefaultsOfOptionalCapabilities) {
  BareDevice device;
  const auto buffer = device.allocateAt(0, 16);
  EXPECT_EQ(buffer.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(buffer.status().message(), testing::HasSubstr("'bare'"));
  EXPECT_EQ(device.map({}), nullptr);
  EXPECT_TRUE(device.flush(0, 16).ok());
  EXPECT_TRUE(device.invalidate(0, 16).ok());
}

}  // namespace
}  // namespace vta::driver
