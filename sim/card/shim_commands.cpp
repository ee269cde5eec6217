// The functions of XRT's driver interface, on virtual cards: kernels that XRT starts.
#include <cerrno>
#include <chrono>
#include <thread>

#include "sim/card/shim.h"

using vta::sim::shimDevice;
using vta::sim::shimMutex;

extern "C" {

int xclExecBuf(xclDeviceHandle handle, xclBufferHandle number) {
  const std::scoped_lock lock(shimMutex());
  auto& device = shimDevice(handle);
  const auto it = device.buffers.find(number);
  if (it == device.buffers.end()) return -ENOENT;
  return -device.commands->submit({it->second.host.get(), it->second.size_bytes});
}

// The number of commands that have completed; 0 when none did in time.
int xclExecWait(xclDeviceHandle handle, int timeout_ms) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  do {
    // Others get their turn between two slices.
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    const std::scoped_lock lock(shimMutex());
    if (shimDevice(handle).commands->advance()) return 1;
  } while (Clock::now() < end);
  return 0;
}
}
