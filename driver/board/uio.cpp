#include "driver/board/uio.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "driver/board/attributes.h"
#include "driver/board/device_file.h"
#include "isa/registers/four_block.h"

namespace vta::driver {
namespace {

struct UioName {
  std::string entry;  // "uio0"
  std::string name;   // of the node in the device tree
};

std::vector<UioName> listDevices(const BoardOptions& options) {
  std::vector<UioName> devices;
  for (const std::string& entry : namesIn(options.sys("class/uio"))) {
    const auto name = readAttribute(options.sys("class/uio/" + entry + "/name"));
    devices.push_back({entry, name.ok() ? *name : ""});
  }
  return devices;
}

std::string describe(const std::vector<UioName>& devices) {
  std::string text;
  for (const UioName& device : devices) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", device.entry, device.name);
  }
  return text.empty() ? "none" : text;
}

Result<std::string> findDevice(const BoardOptions& options) {
  if (!isFolder(options.sys("class/uio"))) {
    return notFound(
        fmt::format("there is no {}: the kernel has no UIO; load it with 'modprobe "
                    "uio_pdrv_genirq of_id=generic-uio'",
                    options.sys("class/uio").string()));
  }
  const std::vector<UioName> devices = listDevices(options);
  std::vector<std::string> found;
  for (const auto& [entry, name] : devices) {
    const bool matches =
        options.uio.empty() ? name.starts_with("vta") : entry == options.uio || name == options.uio;
    if (matches) found.push_back(entry);
  }
  if (found.size() == 1) return found[0];
  const std::string wanted = options.uio.empty() ? "vta..." : options.uio;
  if (found.empty()) {
    return notFound(
        fmt::format("no UIO device is called '{}'; there are: {}; load the device-tree overlay of "
                    "the bitstream, or choose one with uio=<name>",
                    wanted, describe(devices)));
  }
  return invalidArgument(
      fmt::format("several UIO devices are called '{}': {}; choose one with uio=<uioN>", wanted,
                  describe(devices)));
}

std::filesystem::path mapFolder(const BoardOptions& options, const std::string& entry, size_t map) {
  return options.sys("class/uio/" + entry + "/maps/map" + std::to_string(map));
}

Status checkMapSize(const BoardOptions& options, const std::string& entry, size_t map,
                    uint64_t wanted_bytes) {
  const auto size = readNumberAttribute(mapFolder(options, entry, map) / "size");
  if (!size.ok()) {
    return size.status().withContext(
        fmt::format("UIO device {} has no registers; its device-tree node needs 'reg'", entry));
  }
  if (*size >= wanted_bytes) return {};
  const bool has_blocks = options.map == RegisterMapKind::kFourBlock;
  return invalidArgument(fmt::format(
      "UIO device {} has {} bytes of registers{}, {}; correct 'reg' of its device-tree node", entry,
      *size, map > 0 ? fmt::format(" in map {}", map) : "",
      has_blocks ? fmt::format("four blocks have {0} each: give one range of {1}, or one of {0} "
                               "for each of fetch, load, compute and store",
                               kRegisterBytes, kRegisterBytes * four_block::kBlockCount)
                 : fmt::format("the core has {}", kRegisterBytes)));
}

/// How many maps of the device are wanted: one, or one for each of four blocks.
size_t wantedMaps(const BoardOptions& options, const std::string& entry) {
  const bool has_blocks = options.map == RegisterMapKind::kFourBlock;
  return has_blocks && isFolder(mapFolder(options, entry, 1)) ? four_block::kBlockCount : 1;
}

size_t wantedWindows(const BoardOptions& options) {
  return options.map == RegisterMapKind::kFourBlock ? four_block::kBlockCount : 1;
}

}  // namespace

Status Uio::map(uint64_t offset, size_t count) {
  VTA_ASSIGN_OR_RETURN(Mapping mapping, mapFile(file_, path_, count * kRegisterBytes, offset));
  for (size_t i = 0; i < count; ++i) windows_.emplace_back(mapping.data() + i * kRegisterBytes);
  mappings_.push_back(std::move(mapping));
  return {};
}

Result<Uio> Uio::open(const BoardOptions& options) {
  if (!options.register_addresses.empty()) return openPhysical(options);
  VTA_ASSIGN_OR_RETURN(const std::string entry, findDevice(options));
  const size_t maps = wantedMaps(options, entry);
  const size_t windows_per_map = wantedWindows(options) / maps;
  for (size_t map = 0; map < maps; ++map) {
    VTA_RETURN_IF_ERROR(checkMapSize(options, entry, map, windows_per_map * kRegisterBytes));
  }
  Uio uio;
  uio.path_ = options.dev(entry).string();
  VTA_ASSIGN_OR_RETURN(uio.file_, openDeviceFile(uio.path_, "uio"));
  VTA_RETURN_IF_ERROR(lockDevice(uio.file_, uio.path_, options));
  // UIO takes the number of a map as its offset in pages.
  const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  for (size_t map = 0; map < maps; ++map) {
    VTA_RETURN_IF_ERROR(uio.map(map * page_bytes, windows_per_map));
  }
  // The kernel refuses this for a device without an interrupt.
  uio.has_interrupt_ = true;
  uio.has_interrupt_ = uio.enableInterrupt().ok();
  return uio;
}

Result<Uio> Uio::openPhysical(const BoardOptions& options) {
  Uio uio;
  uio.path_ = options.dev("mem").string();
  VTA_ASSIGN_OR_RETURN(uio.file_, openDeviceFile(uio.path_, "mem"));
  VTA_RETURN_IF_ERROR(lockDevice(uio.file_, uio.path_, options));
  const std::vector<uint64_t>& addresses = options.register_addresses;
  for (const uint64_t address : addresses) {
    const Status status = uio.map(address, wantedWindows(options) / addresses.size());
    if (!status.ok()) {
      return status.withContext(fmt::format(
          "registers={:#x}: the kernel may forbid it (CONFIG_STRICT_DEVMEM), use UIO", address));
    }
  }
  return uio;
}

Status Uio::enableInterrupt() {
  if (!has_interrupt_) return {};
  const uint32_t on = 1;
  if (::write(file_.number(), &on, sizeof(on)) == sizeof(on)) return {};
  return ioError(fmt::format("{} cannot enable its interrupt: {}", path_, std::strerror(errno)));
}

Result<bool> Uio::waitInterrupt(std::chrono::microseconds timeout) {
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(timeout).count();
  const timespec time = {static_cast<time_t>(nanoseconds / 1'000'000'000),
                         static_cast<long>(nanoseconds % 1'000'000'000)};
  pollfd wanted = {file_.number(), POLLIN, 0};
  const int ready = ppoll(&wanted, 1, &time, nullptr);
  if (ready == 0 || (ready < 0 && errno == EINTR)) return false;
  uint32_t count = 0;
  const bool is_read = ready > 0 && ::read(file_.number(), &count, sizeof(count)) == sizeof(count);
  if (is_read) return true;
  return ioError(
      fmt::format("{}: waiting for the interrupt failed: {}", path_, std::strerror(errno)));
}

}  // namespace vta::driver
