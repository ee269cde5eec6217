#include "driver/flash/board/installed.h"

#include <fmt/format.h>

#include "base/files.h"
#include "driver/flash/format/bitstream.h"

namespace vta::flash {
namespace {

constexpr const char* kManager = "/sys/class/fpga_manager/fpga0/";
constexpr const char* kPackages = "/lib/firmware/xilinx/";
constexpr uint64_t kMostBytes = uint64_t{256} << 20;

std::string attributeOf(const System& system, const std::string& file) {
  const auto text = system.readAttribute(file);
  return text.ok() ? *text : std::string();
}

InstalledFile look(const System& system, const std::string& file) {
  InstalledFile found{file, 0, ""};
  const auto data = readFile(system.at(file), kMostBytes);
  if (!data.ok()) {
    found.content = data.status().message();
    return found;
  }
  found.size_bytes = data->size();
  const auto bitstream = readBitstream(*data);
  found.content = !bitstream.ok() ? bitstream.status().message()
                  : bitstream->configuration
                      ? "for " + describeIdcode(bitstream->configuration->idcode.value_or(0))
                      : "a container";
  return found;
}

bool isFirmware(const std::string& name) {
  return name.ends_with(".bin") || name.ends_with(".bit") || name.ends_with(".xclbin");
}

}  // namespace

Installed listInstalled(const System& system) {
  Installed installed;
  installed.manager = attributeOf(system, std::string(kManager) + "name");
  installed.manager_state = attributeOf(system, std::string(kManager) + "state");
  installed.overlays = system.list("/sys/kernel/config/device-tree/overlays");
  for (const char* folder : {"/lib/firmware/", "/lib/firmware/vta/"}) {
    for (const std::string& name : system.list(folder)) {
      if (!name.starts_with("vta-") || !isFirmware(name)) continue;
      installed.firmware.push_back(look(system, folder + name));
    }
  }
  for (const std::string& package : system.list(kPackages)) {
    const std::string folder = kPackages + package + "/";
    for (const std::string& name : system.list(folder)) {
      if (isFirmware(name)) installed.firmware.push_back(look(system, folder + name));
    }
  }
  for (const std::string& name : system.list("/sys/class/uio")) {
    const std::string folder = "/sys/class/uio/" + name;
    installed.uio.push_back(fmt::format("{}: {} at {}", name, attributeOf(system, folder + "/name"),
                                        attributeOf(system, folder + "/maps/map0/addr")));
  }
  return installed;
}

}  // namespace vta::flash
