#include "driver/flash/board/physical_window.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdlib>

namespace vta::flash {
namespace {

uint64_t numberOf(const Result<std::string>& attribute) {
  return attribute.ok() ? std::strtoull(attribute->c_str(), nullptr, 0) : 0;
}

}  // namespace

Result<std::unique_ptr<PhysicalWindow>> PhysicalWindow::map(const System& system,
                                                            const std::string& file,
                                                            uint64_t offset_bytes,
                                                            uint64_t size_bytes) {
  const std::filesystem::path path = system.at(file);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_SYNC | O_CLOEXEC);
  if (descriptor < 0) return accessError("open", path, errno);
  void* const memory = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                              static_cast<off_t>(offset_bytes));
  const int error = errno;
  ::close(descriptor);
  if (memory == MAP_FAILED) return accessError("map", path, error);
  return std::unique_ptr<PhysicalWindow>(
      new PhysicalWindow(static_cast<volatile uint32_t*>(memory), size_bytes, file));
}

Result<std::unique_ptr<PhysicalWindow>> PhysicalWindow::openMemory(const System& system,
                                                                   uint64_t address,
                                                                   uint64_t size_bytes) {
  return map(system, "/dev/mem", address, size_bytes);
}

Result<std::unique_ptr<PhysicalWindow>> PhysicalWindow::openUio(const System& system,
                                                                uint64_t address) {
  for (const std::string& name : system.list("/sys/class/uio")) {
    const std::string range = "/sys/class/uio/" + name + "/maps/map0/";
    const Result<std::string> found = system.readAttribute(range + "addr");
    if (!found.ok() || numberOf(found) != address) continue;
    const uint64_t size_bytes = numberOf(system.readAttribute(range + "size"));
    return map(system, "/dev/" + name, 0, size_bytes != 0 ? size_bytes : 4096);
  }
  return notFound(fmt::format(
      "no UIO device for the registers at 0x{:x}; load the device-tree overlay (--via overlay or "
      "dfx), or give --dev-mem to use /dev/mem",
      address));
}

PhysicalWindow::~PhysicalWindow() { ::munmap(const_cast<uint32_t*>(words_), size_bytes_); }

uint32_t PhysicalWindow::read(uint64_t offset_bytes) const {
  assert(offset_bytes % 4 == 0 && offset_bytes < size_bytes_);
  return words_[offset_bytes / 4];
}

void PhysicalWindow::write(uint64_t offset_bytes, uint32_t value) {
  assert(offset_bytes % 4 == 0 && offset_bytes < size_bytes_);
  words_[offset_bytes / 4] = value;
}

}  // namespace vta::flash
