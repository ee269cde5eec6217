// FakeGpu: a GPU whose memory is the host's. Tests say what its programs do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "driver/gpu/gpu_memory.h"

namespace vta::driver::test {

/// Memory of the host.
class HostBuffer final : public GpuBuffer {
 public:
  explicit HostBuffer(uint64_t size_bytes) : bytes_(size_bytes) {}
  Status write(uint64_t offset_bytes, std::span<const std::byte> data) override {
    std::memcpy(bytes_.data() + offset_bytes, data.data(), data.size());
    return {};
  }
  Status read(uint64_t offset_bytes, std::span<std::byte> data) override {
    std::memcpy(data.data(), bytes_.data() + offset_bytes, data.size());
    return {};
  }
  std::span<std::byte> bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Those who derive from it implement load().
class FakeGpu : public GpuMemory {
 protected:
  explicit FakeGpu(const GpuDeviceInfo& info) : GpuMemory(info) {}

  Result<std::unique_ptr<GpuBuffer>> createBuffer(uint64_t size_bytes) override {
    return std::unique_ptr<GpuBuffer>(new HostBuffer(size_bytes));
  }
  std::vector<std::string> takeKernelNotes() override { return {}; }
  Status checkIdle() override { return {}; }
};

}  // namespace vta::driver::test
