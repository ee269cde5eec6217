#include "driver/memory_device.h"

namespace vta::driver {

std::byte* MemoryDevice::map(const DeviceBuffer& /*buffer*/) { return nullptr; }

Status MemoryDevice::flush(uint64_t /*address*/, uint64_t /*size_bytes*/) { return {}; }

Status MemoryDevice::invalidate(uint64_t /*address*/, uint64_t /*size_bytes*/) { return {}; }

OwnedDeviceBuffer& OwnedDeviceBuffer::operator=(OwnedDeviceBuffer&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

OwnedDeviceBuffer::~OwnedDeviceBuffer() {
  // A memory that refuses to free has lost the buffer already; there is nobody left to tell.
  if (memory_ != nullptr) (void)memory_->free(buffer_);
}

}  // namespace vta::driver
