#include "base/folders/sealed_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "base/files.h"
#include "base/hash.h"

namespace vta {
namespace {

namespace fs = std::filesystem;

// The seal: a mark, then the size and the hash of all bytes before it.
constexpr std::string_view kMark = "VTAMODEL";
constexpr size_t kSealBytes = kMark.size() + 2 * sizeof(uint64_t);

std::vector<std::byte> sealOf(std::span<const std::byte> bytes) {
  const uint64_t numbers[] = {bytes.size(), hashBytes(bytes)};
  std::vector<std::byte> seal(kSealBytes);
  std::memcpy(seal.data(), kMark.data(), kMark.size());
  std::memcpy(seal.data() + kMark.size(), numbers, sizeof numbers);
  return seal;
}

}  // namespace

std::vector<std::byte> sealed(std::span<const std::byte> bytes) {
  std::vector<std::byte> all(bytes.begin(), bytes.end());
  const std::vector<std::byte> seal = sealOf(bytes);
  all.insert(all.end(), seal.begin(), seal.end());
  return all;
}

std::optional<std::span<const std::byte>> unsealed(std::span<const std::byte> bytes) {
  if (bytes.size() < kSealBytes) return std::nullopt;
  const std::span<const std::byte> contents = bytes.first(bytes.size() - kSealBytes);
  if (!std::ranges::equal(sealOf(contents), bytes.last(kSealBytes))) return std::nullopt;
  return contents;
}

Status sealFile(const fs::path& path) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(path));
  const std::vector<std::byte> seal = sealOf(bytes);
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file.write(reinterpret_cast<const char*>(seal.data()), static_cast<std::streamsize>(seal.size()));
  file.close();
  if (file.fail()) return ioError(fmt::format("{}: cannot write", path.string()));
  return {};
}

bool isSealed(const fs::path& path) {
  const auto file = readFile(path);
  return file.ok() && unsealed(*file).has_value();
}

Status requireOwn(const fs::path& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) {
    return ioError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  }
  const char* remedy = "it holds code that is run; set VTA_CACHE_DIR to a folder of your own";
  if (status.st_uid != geteuid() && status.st_uid != 0) {
    return ioError(fmt::format("{} belongs to another user: {}", path.string(), remedy));
  }
  // Where every user has a group of their own, it has the user's number and nobody else in it.
  const bool is_own_group = status.st_gid == geteuid();
  const mode_t others = is_own_group ? S_IWOTH : S_IWGRP | S_IWOTH;
  if ((status.st_mode & others) != 0) {
    return ioError(
        fmt::format("{} can be written by others: {}, or take the permission away with "
                    "chmod go-w",
                    path.string(), remedy));
  }
  return {};
}

}  // namespace vta
