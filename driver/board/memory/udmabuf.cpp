#include "driver/board/memory/dma_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "driver/board/attributes.h"
#include "driver/board/device_file.h"

namespace vta::driver {
namespace {

// Directions as the kernel's DMA API numbers them.
constexpr int kToDevice = 1;
constexpr int kFromDevice = 2;

constexpr const char* kUdmabufClass = "class/u-dma-buf";
constexpr const char* kNoMemory =
    "make contiguous memory with 'modprobe u-dma-buf udmabuf0=67108864', or take that of XRT's "
    "driver with the option zocl";

/// Half of a piece that one write to sync_for_device covers: the attribute has 32 bits for a size.
constexpr uint64_t kPieceBytes = uint64_t{1} << 30;

Result<std::string> findMemory(const BoardOptions& options) {
  const std::filesystem::path folder = options.sys(kUdmabufClass);
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

Status needsAttribute(const std::string& name, const Status& status) {
  return ioError(fmt::format("u-dma-buf memory '{}': {}", name, status.message()));
}

Result<Descriptor> openAttribute(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor >= 0) return Descriptor(descriptor);
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

/// Through attributes of u-dma-buf: one write of a number with offset, size, direction and command.
class AttributeMaintenance final : public CacheMaintenance {
 public:
  static Result<std::unique_ptr<CacheMaintenance>> open(const std::filesystem::path& folder,
                                                        const std::string& name) {
    auto maintenance = std::unique_ptr<AttributeMaintenance>(new AttributeMaintenance(name));
    VTA_ASSIGN_OR_RETURN(maintenance->to_device_, openAttribute(folder / "sync_for_device"));
    VTA_ASSIGN_OR_RETURN(maintenance->to_cpu_, openAttribute(folder / "sync_for_cpu"));
    return std::unique_ptr<CacheMaintenance>(std::move(maintenance));
  }

  Status flush(uint64_t offset, uint64_t size_bytes) override {
    return synchronise(to_device_, offset, size_bytes, kToDevice);
  }
  Status invalidate(uint64_t offset, uint64_t size_bytes) override {
    return synchronise(to_cpu_, offset, size_bytes, kFromDevice);
  }

 private:
  explicit AttributeMaintenance(std::string name) : name_(std::move(name)) {}
  Status synchronise(const Descriptor& attribute, uint64_t offset, uint64_t size_bytes,
                     int direction) const {
    const uint64_t end = offset + size_bytes;
    for (uint64_t at = offset; at < end; at += kPieceBytes) {
      const uint64_t piece_bytes = std::min(kPieceBytes, end - at);
      const std::string command =
          fmt::format("{:#x}", at << 32 | piece_bytes | static_cast<uint64_t>(direction) << 2 | 1);
      const auto written = ::pwrite(attribute.number(), command.data(), command.size(), 0);
      if (written == static_cast<ssize_t>(command.size())) continue;
      return ioError(fmt::format("cache maintenance of u-dma-buf memory '{}' failed: {}", name_,
                                 std::strerror(errno)));
    }
    return {};
  }

  std::string name_;
  Descriptor to_device_;
  Descriptor to_cpu_;
};

/// Null for memory that is coherent, as the options and the device tree have to agree on.
Result<std::unique_ptr<CacheMaintenance>> openMaintenance(const BoardOptions& options,
                                                          const std::string& name) {
  const std::filesystem::path folder = options.sys(kUdmabufClass) / name;
  const auto is_coherent = readNumberAttribute(folder / "dma_coherent");
  const bool says_coherent = is_coherent.ok() && *is_coherent == 1;
  if (options.coherent && !says_coherent) {
    return invalidArgument(
        fmt::format("u-dma-buf memory '{}' is not coherent: add 'dma-coherent' to its device-tree "
                    "node, or leave out the option coherent",
                    name));
  }
  if (!options.coherent && says_coherent) {
    return invalidArgument(
        fmt::format("u-dma-buf memory '{}' has 'dma-coherent' in the device tree; give the option "
                    "coherent if the core is on a coherent port (ACP, HPC), else remove it from "
                    "the device tree: the port would read stale data",
                    name));
  }
  if (says_coherent) return std::unique_ptr<CacheMaintenance>();
  return AttributeMaintenance::open(folder, name);
}

}  // namespace

Result<DmaMemory> openUdmabuf(const BoardOptions& options, int address_bits) {
  VTA_ASSIGN_OR_RETURN(const std::string name, findMemory(options));
  const std::filesystem::path folder = options.sys(kUdmabufClass) / name;
  const auto address = readNumberAttribute(folder / "phys_addr");
  if (!address.ok()) return needsAttribute(name, address.status());
  const auto size = readNumberAttribute(folder / "size");
  if (!size.ok()) return needsAttribute(name, size.status());
  if (*address == 0 || *size == 0) {
    return ioError(
        fmt::format("u-dma-buf memory '{}' has {} bytes at address {:#x}: the kernel "
                    "did not give it any; boot with a larger cma=",
                    name, *size, *address));
  }
  VTA_RETURN_IF_ERROR(checkReach(name, *address, *size, address_bits,
                                 "have it placed lower with 'dma-mask' of u-dma-buf"));
  const std::filesystem::path path = options.dev(name);
  VTA_ASSIGN_OR_RETURN(const Descriptor file, openDeviceFile(path, "u-dma-buf"));
  VTA_ASSIGN_OR_RETURN(Mapping mapping, mapFile(file, path, *size));
  VTA_ASSIGN_OR_RETURN(auto maintenance, openMaintenance(options, name));
  return DmaMemory(name, *address, std::move(mapping), std::move(maintenance),
                   "have u-dma-buf made with a larger size, and the kernel booted with a larger "
                   "cma=");
}

}  // namespace vta::driver
