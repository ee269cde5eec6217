// A device that is wrong in one way, for tests of what looks for such ways.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "driver/device_registry.h"

namespace vta::driver::test {

/// The functional simulator behind a fault of the host's side.
class BrokenDevice final : public Device {
 public:
  enum class Fault : uint8_t {
    kIdentity,
    kStaleReads,    // a line of every read is as it was at the read before
    kShiftedReads,  // reads begin too far on
    kShortReads,    // only the begin of a read arrives
    kTimeout,
    kNoInterrupt,
  };

  explicit BrokenDevice(Fault fault)
      : fault_(fault), device_(createDevice("functional", HwConfig::makeDefault()).value()) {}

  const DeviceInfo& info() const override { return device_->info(); }
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override {
    return device_->allocate(size_bytes, alignment_bytes);
  }
  Status free(const DeviceBuffer& buffer) override { return device_->free(buffer); }
  Status write(uint64_t address, std::span<const std::byte> data) override {
    return device_->write(address, data);
  }
  Status read(uint64_t address, std::span<std::byte> data) override {
    VTA_RETURN_IF_ERROR(device_->read(address, data));
    const std::vector<std::byte> good(data.begin(), data.end());
    if (fault_ == Fault::kShiftedReads) std::rotate(data.begin(), data.begin() + 32, data.end());
    if (fault_ == Fault::kShortReads) {
      std::ranges::fill(data.subspan(data.size() / 2 + 3), std::byte{0});
    }
    if (fault_ == Fault::kStaleReads && last_.size() == data.size()) {
      std::copy_n(last_.begin() + 64, 64, data.begin() + 64);
    }
    last_ = good;
    return {};
  }
  Status submit(const Launch& launch) override { return device_->submit(launch); }
  Result<LaunchResult> wait(std::chrono::milliseconds timeout) override {
    if (fault_ != Fault::kTimeout) return device_->wait(timeout);
    return Status(StatusCode::kDeadlineExceeded, "it hangs");
  }
  Status identify() override {
    return fault_ == Fault::kIdentity ? unsupported("other hardware") : Status();
  }
  Status testInterrupt() override {
    if (fault_ != Fault::kNoInterrupt) return device_->testInterrupt();
    return {StatusCode::kDeadlineExceeded, "it did not come"};
  }
  Status reset() override { return device_->reset(); }

 private:
  Fault fault_;
  std::unique_ptr<Device> device_;
  std::vector<std::byte> last_;
};

}  // namespace vta::driver::test
