#include "driver/gpu/code_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/folders/user_folder.h"
#include "base/hash.h"

namespace vta::driver {
namespace {

/// What a user notices and wonders about.
constexpr std::chrono::duration<double> kLongTime{2};

/// For most keys another one.
std::string nameOf(std::string_view key) {
  return fmt::format("{:016x}{:x}", hashText(key), key.size());
}

}  // namespace

std::filesystem::path gpuCodeFolder() {
  const std::filesystem::path user = userCacheFolder();
  return user.empty() ? user : user / "gpu-code";
}

GpuCodeCache::GpuCodeCache(const GpuDeviceInfo& info, std::string_view recipe,
                           std::filesystem::path folder, uint64_t most_bytes)
    : device_(info.name),
      origin_(fmt::format("{}\n{}\n{}\n{}\n{}\n", info.interface, info.name, info.driver,
                          info.target, recipe)),
      files_(std::move(folder), ".gpu", most_bytes) {}

std::string GpuCodeCache::keyOf(std::span<const std::byte> code) const {
  std::string key = origin_;
  key.append(reinterpret_cast<const char*>(code.data()), code.size());
  return key;
}

std::optional<std::vector<std::byte>> GpuCodeCache::find(std::span<const std::byte> code) {
  const std::string key = keyOf(code);
  auto found = files_.find(nameOf(key), key);
  if (found.ok()) return *std::move(found);
  note(fmt::format("compiled kernels of the GPU '{}' are made again: {}", device_,
                   found.status().message()));
  return std::nullopt;
}

void GpuCodeCache::add(std::span<const std::byte> code, std::span<const std::byte> made,
                       std::chrono::duration<double> took) {
  ++made_;
  seconds_ += took;
  if (made.empty()) return;
  const std::string key = keyOf(code);
  const Status status = files_.add(nameOf(key), key, made);
  if (status.ok()) {
    kept_ += files_.folder().empty() ? 0 : 1;
  } else {
    note(fmt::format("compiled kernels of the GPU '{}' are not kept: {}", device_,
                     status.message()));
  }
}

void GpuCodeCache::refuse(const Status& reason) {
  note(
      fmt::format("compiled kernels of the GPU '{}' are made again, because its driver does not "
                  "take those in '{}': {}",
                  device_, files_.folder().string(), reason.message()));
}

void GpuCodeCache::note(std::string text) {
  if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
}

std::vector<std::string> GpuCodeCache::takeNotes() {
  std::vector<std::string> notes(notes_.begin() + static_cast<std::ptrdiff_t>(told_), notes_.end());
  told_ = notes_.size();
  if (seconds_ >= kLongTime) {
    const std::string next =
        kept_ == made_ ? fmt::format("it takes less the next time, because they are kept in '{}'",
                                     files_.folder().string())
                       : "it takes as long the next time, unless the driver keeps them";
    notes.push_back(
        fmt::format("the driver of the GPU '{}' took {:.1f} seconds to compile {} {}; {}", device_,
                    seconds_.count(), made_, made_ == 1 ? "kernel" : "kernels", next));
  }
  made_ = kept_ = 0;
  seconds_ = {};
  return notes;
}

}  // namespace vta::driver
