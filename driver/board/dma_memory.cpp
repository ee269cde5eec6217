#include "driver/board/dma_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "driver/board/attributes.h"
#include "driver/board/device_file.h"
#include "driver/board/range_allocator.h"

namespace vta::driver {
namespace {

// Directions as the kernel's DMA API numbers them.
constexpr int kToDevice = 1;
constexpr int kFromDevice = 2;

constexpr const char* kClass = "class/u-dma-buf";
constexpr const char* kNoMemory =
    "make contiguous memory with 'modprobe u-dma-buf udmabuf0=67108864'";

/// Half of a piece that one write to sync_for_device covers: the attribute has 32 bits for a size.
constexpr uint64_t kPieceBytes = uint64_t{1} << 30;

Result<std::string> findMemory(const BoardOptions& options) {
  const std::filesystem::path folder = options.sys(kClass);
  if (!isFolder(folder)) {
    return notFound(fmt::format("there is no {}: the module u-dma-buf is not loaded; {}",
                                folder.string(), kNoMemory));
  }
  const std::vector<std::string> names = namesIn(folder);
  if (names.empty()) {
    return notFound(
        fmt::format("u-dma-buf has no memory: {} is empty; {}", folder.string(), kNoMemory));
  }
  if (options.udmabuf.empty()) return names[0];
  if (std::ranges::find(names, options.udmabuf) != names.end()) return options.udmabuf;
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  return notFound(
      fmt::format("u-dma-buf has no memory '{}'; there is: {}", options.udmabuf, known));
}

Status checkReach(const std::string& name, uint64_t address, uint64_t size_bytes,
                  int address_bits) {
  const uint64_t last = address + size_bytes - 1;
  if (last >= address && (address_bits >= 64 || last >> address_bits == 0)) return {};
  return invalidArgument(
      fmt::format("{} lies at {:#x} to {:#x}, the core's addresses have {} bits; have it placed "
                  "lower with 'dma-mask' of u-dma-buf, or take a bitstream with wider addresses",
                  name, address, last, address_bits));
}

Status needsAttribute(const std::string& name, const Status& status) {
  return ioError(fmt::format("u-dma-buf memory '{}': {}", name, status.message()));
}

Result<OpenFile> openAttribute(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor >= 0) return OpenFile(descriptor);
  if (errno == EACCES || errno == EPERM) {
    return ioError(fmt::format(
        "no permission to write {}, which cache maintenance needs; have udev run 'chgrp vta' and "
        "'chmod g+w' on it (docs/board-setup.md), or run as root",
        path.string()));
  }
  return notFound(
      fmt::format("{} cannot be opened: {}; cache maintenance needs it, install a "
                  "newer u-dma-buf",
                  path.string(), std::strerror(errno)));
}

}  // namespace

Result<DmaMemory> DmaMemory::open(const BoardOptions& options, int address_bits) {
  if (options.memory_address) return openReserved(options, address_bits);
  DmaMemory memory;
  VTA_ASSIGN_OR_RETURN(memory.name_, findMemory(options));
  const std::filesystem::path folder = options.sys(kClass) / memory.name_;
  const auto address = readNumberAttribute(folder / "phys_addr");
  if (!address.ok()) return needsAttribute(memory.name_, address.status());
  const auto size = readNumberAttribute(folder / "size");
  if (!size.ok()) return needsAttribute(memory.name_, size.status());
  if (*address == 0 || *size == 0) {
    return ioError(
        fmt::format("u-dma-buf memory '{}' has {} bytes at address {:#x}: the kernel "
                    "did not give it any; boot with a larger cma=",
                    memory.name_, *size, *address));
  }
  VTA_RETURN_IF_ERROR(checkReach(memory.name_, *address, *size, address_bits));
  memory.address_ = *address;
  const std::filesystem::path path = options.dev(memory.name_);
  VTA_ASSIGN_OR_RETURN(const OpenFile file, openDeviceFile(path, "u-dma-buf"));
  VTA_ASSIGN_OR_RETURN(memory.mapping_, mapFile(file, path, *size));
  VTA_RETURN_IF_ERROR(memory.openMaintenance(options));
  return memory;
}

Result<DmaMemory> DmaMemory::openReserved(const BoardOptions& options, int address_bits) {
  DmaMemory memory;
  memory.name_ = "reserved memory";
  memory.address_ = *options.memory_address;
  VTA_RETURN_IF_ERROR(
      checkReach(memory.name_, memory.address_, options.memory_bytes, address_bits));
  const std::filesystem::path path = options.dev("mem");
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_SYNC);
  if (descriptor < 0) {
    return ioError(fmt::format("{} cannot be opened: {}; it takes root, u-dma-buf does not",
                               path.string(), std::strerror(errno)));
  }
  const OpenFile file(descriptor);
  VTA_ASSIGN_OR_RETURN(memory.mapping_, mapFile(file, path, options.memory_bytes, memory.address_));
  return memory;
}

Status DmaMemory::openMaintenance(const BoardOptions& options) {
  const std::filesystem::path folder = options.sys(kClass) / name_;
  const auto is_coherent = readNumberAttribute(folder / "dma_coherent");
  const bool says_coherent = is_coherent.ok() && *is_coherent == 1;
  if (options.coherent && !says_coherent) {
    return invalidArgument(
        fmt::format("u-dma-buf memory '{}' is not coherent: add 'dma-coherent' to its device-tree "
                    "node, or leave out the option coherent",
                    name_));
  }
  if (!options.coherent && says_coherent) {
    return invalidArgument(
        fmt::format("u-dma-buf memory '{}' has 'dma-coherent' in the device tree; give the option "
                    "coherent if the core is on a coherent port (ACP, HPC), else remove it from "
                    "the device tree: the port would read stale data",
                    name_));
  }
  if (says_coherent) return {};
  VTA_ASSIGN_OR_RETURN(to_device_, openAttribute(folder / "sync_for_device"));
  VTA_ASSIGN_OR_RETURN(to_cpu_, openAttribute(folder / "sync_for_cpu"));
  return {};
}

Status DmaMemory::flush(uint64_t offset, uint64_t size_bytes) {
  return synchronise(to_device_, offset, size_bytes, kToDevice);
}

Status DmaMemory::invalidate(uint64_t offset, uint64_t size_bytes) {
  return synchronise(to_cpu_, offset, size_bytes, kFromDevice);
}

// One write of a number with offset, size, direction and the command.
Status DmaMemory::synchronise(const OpenFile& attribute, uint64_t offset, uint64_t size_bytes,
                              int direction) {
  if (!attribute.isOpen() || size_bytes == 0) return {};
  constexpr uint64_t kLineBytes = RangeAllocator::kLineBytes;
  const uint64_t end = (offset + size_bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
  for (uint64_t at = offset / kLineBytes * kLineBytes; at < end; at += kPieceBytes) {
    const uint64_t piece_bytes = std::min(kPieceBytes, end - at);
    const std::string command =
        fmt::format("{:#x}", at << 32 | piece_bytes | static_cast<uint64_t>(direction) << 2 | 1);
    const auto written = ::pwrite(attribute.get(), command.data(), command.size(), 0);
    if (written == static_cast<ssize_t>(command.size())) continue;
    return ioError(fmt::format("cache maintenance of u-dma-buf memory '{}' failed: {}", name_,
                               std::strerror(errno)));
  }
  return {};
}

}  // namespace vta::driver
