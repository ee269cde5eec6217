// Devices that count what is copied to and from their memory, for tests.
#pragma once

#include <memory>
#include <utility>

#include "driver/device.h"

namespace vta::driver {

/// A device whose memory cannot be mapped, as across a network, or can where `is_mapped`.
class RemoteDevice : public Device {
 public:
  explicit RemoteDevice(std::unique_ptr<Device> inner, bool is_mapped = false)
      : inner_(std::move(inner)), is_mapped_(is_mapped) {}
  const DeviceInfo& info() const override { return inner_->info(); }
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override {
    return inner_->allocate(size_bytes, alignment_bytes);
  }
  Status free(const DeviceBuffer& buffer) override {
    ++freed;
    return inner_->free(buffer);
  }
  Status write(uint64_t address, std::span<const std::byte> data) override {
    written_bytes += data.size();
    return inner_->write(address, data);
  }
  Status read(uint64_t address, std::span<std::byte> data) override {
    read_bytes += data.size();
    return inner_->read(address, data);
  }
  std::byte* map(const DeviceBuffer& buffer) override {
    return is_mapped_ ? inner_->map(buffer) : nullptr;
  }
  Status flush(uint64_t address, uint64_t size_bytes) override {
    return inner_->flush(address, size_bytes);
  }
  Status invalidate(uint64_t address, uint64_t size_bytes) override {
    return inner_->invalidate(address, size_bytes);
  }
  Status submit(const Launch& launch) override { return inner_->submit(launch); }
  Result<LaunchResult> wait(std::chrono::milliseconds timeout) override {
    return inner_->wait(timeout);
  }
  Status reset() override { return inner_->reset(); }

  int freed = 0;
  uint64_t written_bytes = 0;
  uint64_t read_bytes = 0;

 private:
  std::unique_ptr<Device> inner_;
  bool is_mapped_;
};

}  // namespace vta::driver
