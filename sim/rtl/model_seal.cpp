#include "sim/rtl/model_seal.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "base/byte_reader.h"
#include "base/files.h"
#include "base/hash.h"

namespace vta::sim {
namespace {

namespace fs = std::filesystem;

// The seal: a mark, then the size and the hash of all bytes before it.
constexpr std::string_view kMark = "VTAMODEL";
constexpr size_t kSealBytes = kMark.size() + 2 * sizeof(uint64_t);

}  // namespace

Status sealModel(const fs::path& library) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, readFile(library));
  const uint64_t numbers[] = {bytes.size(), hashBytes(bytes)};
  std::ofstream file(library, std::ios::binary | std::ios::app);
  file << kMark;
  file.write(reinterpret_cast<const char*>(numbers), sizeof numbers);
  file.close();
  if (file.fail()) return ioError(fmt::format("{}: cannot write", library.string()));
  return {};
}

bool isSealed(const fs::path& library) {
  const auto file = readFile(library);
  if (!file.ok() || file->size() < kSealBytes) return false;
  const std::span<const std::byte> bytes = *file;
  const size_t size = bytes.size() - kSealBytes;
  const std::string_view mark(reinterpret_cast<const char*>(bytes.data()) + size, kMark.size());
  return mark == kMark && readAt<uint64_t>(bytes, size + kMark.size()) == size &&
         readAt<uint64_t>(bytes, size + kMark.size() + sizeof(uint64_t)) ==
             hashBytes(bytes.first(size));
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

}  // namespace vta::sim
