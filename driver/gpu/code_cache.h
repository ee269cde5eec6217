// GpuCodeCache: what a GPU's driver has made of codes, kept between runs of programs.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/folders/file_cache.h"
#include "base/status.h"
#include "driver/gpu/gpu_device.h"

namespace vta::driver {

/// `gpu-code` in the user's folder of caches (base/folders/user_folder.h); empty when there is
/// none.
std::filesystem::path gpuCodeFolder();

/// Of one GPU with one driver: what another one has made is never taken. A cache that cannot be
/// read or written costs time and nothing else; a note says why it could not.
class GpuCodeCache {
 public:
  /// `recipe` tells apart what else the outcome depends on, such as options and identities of the
  /// driver.
  explicit GpuCodeCache(const GpuDeviceInfo& info, std::string_view recipe = "",
                        std::filesystem::path folder = gpuCodeFolder(),
                        uint64_t most_bytes = uint64_t{256} << 20);

  /// What was made of `code`; none if it has to be made.
  std::optional<std::vector<std::byte>> find(std::span<const std::byte> code);

  /// Keeps what was made of `code`, which took so long. Nothing is kept of drivers that give
  /// nothing away.
  void add(std::span<const std::byte> code, std::span<const std::byte> made,
           std::chrono::duration<double> took);

  /// The driver refuses what find() has given: it is made again.
  void refuse(const Status& reason);

  /// What its user should know and has not been told: why nothing was kept, and that the driver
  /// took seconds. Each reason is told once.
  std::vector<std::string> takeNotes();

 private:
  void note(std::string text);
  std::string keyOf(std::span<const std::byte> code) const;

  std::string device_;  // for people
  std::string origin_;  // the beginning of keys
  FileCache files_;
  std::vector<std::string> notes_;
  size_t told_ = 0;  // of the notes
  size_t made_ = 0;  // codes since the last takeNotes()
  size_t kept_ = 0;  // of them
  std::chrono::duration<double> seconds_{};
};

}  // namespace vta::driver
