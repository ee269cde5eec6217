// A device without mapped memory, for tests.
#pragma once

#include <memory>
#include <utility>

#include "driver/device.h"

namespace vta::driver {

/// A device whose memory cannot be mapped, as across a network.
class RemoteDevice : public Device {
 public:
  explicit RemoteDevice(std::unique_ptr<Device> inner) : inner_(std::move(inner)) {}
  const DeviceInfo& info() const override { return inner_->info(); }
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override {
    return inner_->allocate(size_bytes, alignment_bytes);
  }
  Status free(const DeviceBuffer& buffer) override {
    ++freed;
    return inner_->free(buffer);
  }
  Status write(uint64_t address, std::span<const std::byte> data) override {
    return inner_->write(address, data);
  }
  Status read(uint64_t address, std::span<std::byte> data) override {
    return inner_->read(address, data);
  }
  std::byte* map(const DeviceBuffer&) override { return nullptr; }
  Status submit(const Launch& launch) override { return inner_->submit(launch); }
  Result<LaunchResult> wait(std::chrono::milliseconds timeout) override {
    return inner_->wait(timeout);
  }
  Status reset() override { return inner_->reset(); }

  int freed = 0;

 private:
  std::unique_ptr<Device> inner_;
};

}  // namespace vta::driver
