#include "driver/board/uio.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "driver/board/attributes.h"
#include "driver/board/device_file.h"

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

Status checkMapSize(const BoardOptions& options, const std::string& entry) {
  const auto size = readNumberAttribute(options.sys("class/uio/" + entry + "/maps/map0/size"));
  if (!size.ok()) {
    return size.status().withContext(
        fmt::format("UIO device {} has no registers; its device-tree node needs 'reg'", entry));
  }
  if (*size >= kRegisterBytes) return {};
  return invalidArgument(
      fmt::format("UIO device {} has {} bytes of registers, the core has {}; correct 'reg' of its "
                  "device-tree node",
                  entry, *size, kRegisterBytes));
}

}  // namespace

Result<Uio> Uio::open(const BoardOptions& options) {
  if (options.registers_address) return openPhysical(options);
  VTA_ASSIGN_OR_RETURN(const std::string entry, findDevice(options));
  VTA_RETURN_IF_ERROR(checkMapSize(options, entry));
  Uio uio;
  uio.path_ = options.dev(entry).string();
  VTA_ASSIGN_OR_RETURN(uio.file_, openDeviceFile(uio.path_, "uio"));
  VTA_RETURN_IF_ERROR(lockDevice(uio.file_, uio.path_, options));
  VTA_ASSIGN_OR_RETURN(uio.mapping_, mapFile(uio.file_, uio.path_, kRegisterBytes));
  uio.registers_ = MappedRegisters(uio.mapping_.data());
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
  auto mapping = mapFile(uio.file_, uio.path_, kRegisterBytes, *options.registers_address);
  if (!mapping.ok()) {
    return mapping.status().withContext(
        fmt::format("registers={:#x}: the kernel may forbid it (CONFIG_STRICT_DEVMEM), use UIO",
                    *options.registers_address));
  }
  uio.mapping_ = *std::move(mapping);
  uio.registers_ = MappedRegisters(uio.mapping_.data());
  return uio;
}

Status Uio::enableInterrupt() {
  if (!has_interrupt_) return {};
  const uint32_t on = 1;
  if (::write(file_.get(), &on, sizeof(on)) == sizeof(on)) return {};
  return ioError(fmt::format("{} cannot enable its interrupt: {}", path_, std::strerror(errno)));
}

Result<bool> Uio::waitInterrupt(std::chrono::microseconds timeout) {
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(timeout).count();
  const timespec time = {static_cast<time_t>(nanoseconds / 1'000'000'000),
                         static_cast<long>(nanoseconds % 1'000'000'000)};
  pollfd wanted = {file_.get(), POLLIN, 0};
  const int ready = ppoll(&wanted, 1, &time, nullptr);
  if (ready == 0 || (ready < 0 && errno == EINTR)) return false;
  uint32_t count = 0;
  const bool is_read = ready > 0 && ::read(file_.get(), &count, sizeof(count)) == sizeof(count);
  if (is_read) return true;
  return ioError(
      fmt::format("{}: waiting for the interrupt failed: {}", path_, std::strerror(errno)));
}

}  // namespace vta::driver
