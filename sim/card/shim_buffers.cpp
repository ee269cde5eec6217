// The functions of XRT's driver interface, on virtual cards: buffer objects.
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/integer_math.h"
#include "sim/card/shim.h"

namespace vta::sim {
namespace {

constexpr uint64_t kPageBytes = 4096;
/// Of a buffer's flags: the number of its bank.
constexpr unsigned kBankMask = 0xffff;

void keep(std::byte*) {}
void release(std::byte* memory) { std::free(memory); }

/// The part of a buffer that lies on the card.
std::byte* onCard(ShimDevice& device, const ShimBuffer& buffer) {
  return device.card->memory()->findRange(buffer.address)->at(buffer.address);
}

xclBufferHandle makeBuffer(ShimDevice& device, size_t size_bytes, unsigned flags, void* host) {
  CardMemory* const memory = device.card->memory();
  if (memory == nullptr) return NULLBO;
  const uint64_t whole_bytes = roundUp(size_bytes, kPageBytes);
  const auto address = memory->allocate(flags & kBankMask, whole_bytes);
  if (!address) return NULLBO;
  ShimBuffer buffer{*address, size_bytes, flags, {static_cast<std::byte*>(host), keep}};
  if (host == nullptr) {
    void* const own = std::aligned_alloc(kPageBytes, whole_bytes);
    buffer.host = {static_cast<std::byte*>(own), release};
    // What is in fresh memory is nobody's business: a driver that relies on zeros shall fail.
    constexpr int kGarbage = 0xa5;
    if (own != nullptr) std::memset(own, kGarbage, whole_bytes);
  }
  if (buffer.host == nullptr) {
    memory->free(*address);
    return NULLBO;
  }
  device.buffers.emplace(device.next_buffer, std::move(buffer));
  return device.next_buffer++;
}

}  // namespace
}  // namespace vta::sim

using vta::sim::shimDevice;
using vta::sim::shimMutex;

extern "C" {

xclBufferHandle xclAllocBO(xclDeviceHandle handle, size_t size, int, unsigned flags) {
  const std::scoped_lock lock(shimMutex());
  return vta::sim::makeBuffer(shimDevice(handle), size, flags, nullptr);
}

xclBufferHandle xclAllocUserPtrBO(xclDeviceHandle handle, void* host, size_t size, unsigned flags) {
  const std::scoped_lock lock(shimMutex());
  return vta::sim::makeBuffer(shimDevice(handle), size, flags, host);
}

void xclFreeBO(xclDeviceHandle handle, xclBufferHandle number) {
  const std::scoped_lock lock(shimMutex());
  auto& device = shimDevice(handle);
  const auto it = device.buffers.find(number);
  if (it == device.buffers.end()) return;
  device.card->memory()->free(it->second.address);
  device.buffers.erase(it);
}

void* xclMapBO(xclDeviceHandle handle, xclBufferHandle number, bool) {
  const std::scoped_lock lock(shimMutex());
  const auto it = shimDevice(handle).buffers.find(number);
  return it == shimDevice(handle).buffers.end() ? nullptr : it->second.host.get();
}

int xclUnmapBO(xclDeviceHandle, xclBufferHandle, void*) { return 0; }

int xclSyncBO(xclDeviceHandle handle, xclBufferHandle number, xclBOSyncDirection direction,
              size_t size, size_t offset) {
  const std::scoped_lock lock(shimMutex());
  auto& device = shimDevice(handle);
  const auto it = device.buffers.find(number);
  if (it == device.buffers.end()) return -ENOENT;
  const auto& buffer = it->second;
  if (offset > buffer.size_bytes || size > buffer.size_bytes - offset) return -EINVAL;
  std::byte* const card = vta::sim::onCard(device, buffer) + offset;
  std::byte* const host = buffer.host.get() + offset;
  if (direction == XCL_BO_SYNC_BO_TO_DEVICE) std::memcpy(card, host, size);
  if (direction == XCL_BO_SYNC_BO_FROM_DEVICE) std::memcpy(host, card, size);
  return 0;
}

int xclGetBOProperties(xclDeviceHandle handle, xclBufferHandle number,
                       xclBOProperties* properties) {
  const std::scoped_lock lock(shimMutex());
  const auto it = shimDevice(handle).buffers.find(number);
  if (it == shimDevice(handle).buffers.end()) return -ENOENT;
  *properties = {number, it->second.flags, it->second.size_bytes, it->second.address, 0};
  return 0;
}
}
