#include "driver/board/device_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "driver/board/attributes.h"

namespace vta::driver {
namespace {

Status openError(const std::filesystem::path& path, const std::string& subsystem, int error) {
  const std::string name = path.string();
  if ((error == EACCES || error == EPERM) && subsystem == "drm") {
    return ioError(
        fmt::format("no permission to open {}; add the user to the group of that file, which udev "
                    "calls render, or run as root",
                    name));
  }
  if (error == EACCES || error == EPERM) {
    return ioError(
        fmt::format("no permission to open {}; add the udev rule SUBSYSTEM==\"{}\", GROUP=\"vta\", "
                    "MODE=\"0660\" and the user to group vta (docs/board-setup.md), or run as root",
                    name, subsystem));
  }
  if (error == ENOENT) {
    return notFound(fmt::format(
        "{} does not exist although the kernel has the device; is udev running?", name));
  }
  return ioError(fmt::format("{} cannot be opened: {}", name, std::strerror(error)));
}

}  // namespace

std::string lockHolder(const std::filesystem::path& path) {
  struct stat info = {};
  std::ifstream locks("/proc/locks");
  if (stat(path.c_str(), &info) != 0 || !locks) return "another process";
  const std::string inode = fmt::format(":{}", info.st_ino);
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, advisory, access, pid, place;
    words >> number >> kind >> advisory >> access >> pid >> place;
    if (kind != "FLOCK" || !place.ends_with(inode)) continue;
    const auto name = readAttribute("/proc/" + pid + "/comm");
    return fmt::format("process {} ({})", pid, name.ok() ? *name : "unknown");
  }
  return "another process";
}

Result<Descriptor> openDeviceFile(const std::filesystem::path& path, const std::string& subsystem) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return openError(path, subsystem, errno);
  return Descriptor(descriptor);
}

Result<Mapping> mapFile(const Descriptor& file, const std::filesystem::path& path,
                        uint64_t size_bytes, uint64_t offset) {
  void* data = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(),
                    static_cast<off_t>(offset));
  if (data != MAP_FAILED) return Mapping(data, size_bytes);
  return ioError(fmt::format("{} bytes of {} cannot be mapped: {}", size_bytes, path.string(),
                             std::strerror(errno)));
}

Status lockDevice(const Descriptor& file, const std::filesystem::path& path,
                  const BoardOptions& options) {
  const auto deadline = std::chrono::steady_clock::now() + options.lock_timeout;
  while (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return ioError(fmt::format("{} cannot be locked: {}", path.string(), std::strerror(errno)));
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      return {StatusCode::kResourceExhausted,
              fmt::format("{} is in use by {}; wait for its end, or have the device wait with "
                          "lock-wait=<milliseconds>",
                          path.string(), lockHolder(path))};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return {};
}

}  // namespace vta::driver
