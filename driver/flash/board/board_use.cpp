#include "driver/flash/board/board_use.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <string>

#include "base/descriptor.h"
#include "driver/board/device_file.h"

namespace vta::flash {
namespace {

/// The lock is not kept: an overlay takes the device away.
Status checkUnlocked(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.isOpen() || ::flock(file.number(), LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return {};
  return {StatusCode::kResourceExhausted,
          fmt::format("{} is in use by {}, whose launches would never end when the FPGA is "
                      "programmed now; wait for its end, or end it",
                      path.string(), driver::lockHolder(path))};
}

}  // namespace

Status checkUnused(const System& system) {
  for (const std::string& entry : system.list("/sys/class/uio")) {
    const auto name = system.readAttribute("/sys/class/uio/" + entry + "/name");
    if (!name.ok() || !name->starts_with("vta")) continue;
    VTA_RETURN_IF_ERROR(checkUnlocked(system.at("/dev/" + entry)));
  }
  return checkUnlocked(system.at("/dev/mem"));
}

}  // namespace vta::flash
