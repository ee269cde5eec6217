// Memory from zocl, which PYNQ's images and Kria's Ubuntu have.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "driver/board/attributes.h"
#include "driver/board/device_file.h"
#include "driver/board/memory/dma_memory.h"
#include "driver/board/memory/zocl.h"

namespace vta::driver {
namespace {

constexpr const char* kDrmClass = "class/drm";

/// An ioctl that a signal has interrupted is made again.
int control(const Descriptor& file, unsigned long request, void* argument) {
  int result = 0;
  do {
    result = ioctl(file.number(), request, argument);
  } while (result != 0 && errno == EINTR);
  return result;
}

/// The kernel's name for the driver of a DRM device: "zocl-drm".
std::string driverOf(const std::filesystem::path& device) {
  constexpr std::string_view kKey = "DRIVER=";
  std::ifstream file(device / "device/uevent");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kKey)) return line.substr(kKey.size());
  }
  return "unknown";
}

/// "renderD128". Render nodes need no rights over the display, which zocl has none of.
Result<std::string> findNode(const BoardOptions& options) {
  const std::filesystem::path folder = options.sys(kDrmClass);
  std::string others;
  for (const std::string& name : namesIn(folder)) {
    if (!name.starts_with("renderD")) continue;
    const std::string driver = driverOf(folder / name);
    if (driver.starts_with("zocl")) return name;
    others += fmt::format("{}{} ({})", others.empty() ? "" : ", ", name, driver);
  }
  return notFound(fmt::format(
      "zocl is missing: {} has no render device of it, but {}; load it with 'modprobe zocl', with "
      "a "
      "node of compatible = \"xlnx,zocl\" in the device tree, or leave out the option zocl and use "
      "u-dma-buf",
      folder.string(), others.empty() ? "none at all" : others));
}

class ZoclMaintenance final : public CacheMaintenance {
 public:
  /// `file` holds the buffer: the kernel frees it when it is closed and not mapped any more.
  ZoclMaintenance(Descriptor file, uint32_t handle) : file_(std::move(file)), handle_(handle) {}

  Status flush(uint64_t offset, uint64_t size_bytes) override {
    return synchronise(zocl::Direction::kToDevice, offset, size_bytes);
  }
  Status invalidate(uint64_t offset, uint64_t size_bytes) override {
    return synchronise(zocl::Direction::kFromDevice, offset, size_bytes);
  }

 private:
  Status synchronise(zocl::Direction direction, uint64_t offset, uint64_t size_bytes) const {
    zocl::SyncBuffer sync = {handle_, direction, offset, size_bytes};
    if (control(file_, zocl::kSyncBuffer, &sync) == 0) return {};
    return ioError(
        fmt::format("cache maintenance of zocl's memory failed: {}", std::strerror(errno)));
  }

  Descriptor file_;
  uint32_t handle_;
};

Status noBuffer(const std::string& node, uint64_t size_bytes, int error) {
  if (error == ENOMEM) {
    return {StatusCode::kResourceExhausted,
            fmt::format("zocl has no {} bytes of contiguous memory; boot with a larger cma=, end "
                        "other users of it, or give a smaller zocl-size",
                        size_bytes)};
  }
  if (error == ENOTTY || error == EINVAL) {
    return unsupported(
        fmt::format("{} does not make buffers as zocl does ({}); update the kernel module zocl, or "
                    "use u-dma-buf",
                    node, std::strerror(error)));
  }
  return ioError(
      fmt::format("zocl makes no buffer of {} bytes: {}", size_bytes, std::strerror(error)));
}

/// A buffer, and where it lies.
struct Buffer {
  uint32_t handle = 0;
  uint64_t address = 0;
  uint64_t map_offset = 0;
};

Result<Buffer> makeBuffer(const Descriptor& file, const std::string& node, uint64_t size_bytes) {
  zocl::CreateBuffer create = {size_bytes, 0, zocl::kCacheable};
  if (control(file, zocl::kCreateBuffer, &create) != 0) return noBuffer(node, size_bytes, errno);
  zocl::BufferInfo info;
  zocl::MapBuffer map;
  info.handle = map.handle = create.handle;
  if (control(file, zocl::kBufferInfo, &info) != 0 || control(file, zocl::kMapBuffer, &map) != 0) {
    return noBuffer(node, size_bytes, errno);
  }
  return Buffer{create.handle, info.address, map.offset};
}

/// For a device that the device tree calls coherent, zocl's maintenance does nothing.
Status checkCoherence(const BoardOptions& options, const std::string& node) {
  const auto property = options.sys(kDrmClass) / node / "device/of_node/dma-coherent";
  std::error_code error;
  if (options.coherent || !std::filesystem::exists(property, error)) return {};
  return invalidArgument(
      "zocl has 'dma-coherent' in the device tree; give the option coherent if the core is on a "
      "coherent port (ACP, HPC), else remove it from the device tree: the port would read stale "
      "data");
}

}  // namespace

Result<DmaMemory> openZocl(const BoardOptions& options, int address_bits) {
  VTA_ASSIGN_OR_RETURN(const std::string node, findNode(options));
  VTA_RETURN_IF_ERROR(checkCoherence(options, node));
  const std::filesystem::path path = options.dev("dri") / node;
  VTA_ASSIGN_OR_RETURN(Descriptor file, openDeviceFile(path, "drm"));
  VTA_ASSIGN_OR_RETURN(const Buffer buffer, makeBuffer(file, path.string(), options.zocl_bytes));
  VTA_RETURN_IF_ERROR(checkReach("zocl's memory", buffer.address, options.zocl_bytes, address_bits,
                                 "have the kernel's CMA placed lower with cma=<size>@<address>"));
  VTA_ASSIGN_OR_RETURN(Mapping mapping, mapFile(file, path, options.zocl_bytes, buffer.map_offset));
  // A mapping keeps the buffer as well, so memory without maintenance needs the file no more.
  std::unique_ptr<CacheMaintenance> maintenance;
  if (!options.coherent) {
    maintenance = std::make_unique<ZoclMaintenance>(std::move(file), buffer.handle);
  }
  return DmaMemory("zocl's memory", buffer.address, std::move(mapping), std::move(maintenance),
                   "give a larger zocl-size, and boot with a larger cma=");
}

}  // namespace vta::driver
