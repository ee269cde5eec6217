#include "base/folders/file_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "base/files.h"
#include "base/folders/sealed_file.h"
#include "base/folders/user_folder.h"
#include "base/folders/whole_file.h"

namespace vta {
namespace {

namespace fs = std::filesystem;

struct CachedFile {
  fs::path path;
  fs::file_time_type used;
  uint64_t bytes = 0;
};

std::vector<CachedFile> filesIn(const fs::path& folder, const std::string& suffix) {
  std::vector<CachedFile> files;
  std::error_code error;
  for (auto file = fs::directory_iterator(folder, error); !error && file != fs::end(file);
       file.increment(error)) {
    std::error_code gone;
    CachedFile found = {file->path(), file->last_write_time(gone), file->file_size(gone)};
    if (!gone && found.path.extension() == suffix) files.push_back(std::move(found));
  }
  return files;
}

}  // namespace

Status FileCache::checkFolder() const {
  VTA_RETURN_IF_ERROR(makeOwnFolder(folder_));
  return requireOwn(folder_);
}

Result<std::optional<std::vector<std::byte>>> FileCache::find(const std::string& name,
                                                              std::string_view key) const {
  using Found = std::optional<std::vector<std::byte>>;
  if (folder_.empty()) return Found();
  VTA_RETURN_IF_ERROR(checkFolder());
  const fs::path path = pathOf(name);
  std::error_code error;
  if (!fs::exists(path, error)) return Found();
  VTA_RETURN_IF_ERROR(requireOwn(path));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> file, readFile(path));
  const auto content = unsealed(file);
  if (!content) return ioError(fmt::format("{} is damaged", path.string()));
  const auto written_key = std::as_bytes(std::span(key));
  if (content->size() < key.size() ||
      !std::ranges::equal(content->first(key.size()), written_key)) {
    return ioError(fmt::format("{} is the file of another key", path.string()));
  }
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // that of its last use
  const std::span<const std::byte> kept = content->subspan(key.size());
  return Found(std::in_place, kept.begin(), kept.end());
}

Status FileCache::add(const std::string& name, std::string_view key,
                      std::span<const std::byte> content) const {
  if (folder_.empty()) return {};
  VTA_RETURN_IF_ERROR(checkFolder());
  constexpr mode_t kForThisUser = S_IRUSR | S_IWUSR;
  const auto key_bytes = std::as_bytes(std::span(key));
  std::vector<std::byte> bytes(key_bytes.begin(), key_bytes.end());
  bytes.insert(bytes.end(), content.begin(), content.end());
  const fs::path path = pathOf(name);
  const int problem = writeWhole(path, sealed(bytes), kForThisUser);
  if (problem != 0) {
    return ioError(fmt::format("{}: cannot write: {}", path.string(), std::strerror(problem)));
  }
  removeOldest();
  return {};
}

void FileCache::removeOldest() const {
  std::vector<CachedFile> files = filesIn(folder_, suffix_);
  uint64_t bytes = 0;
  for (const CachedFile& file : files) bytes += file.bytes;
  std::ranges::sort(files, {}, &CachedFile::used);
  for (const CachedFile& file : files) {
    if (bytes <= most_bytes_) return;
    std::error_code error;
    fs::remove(file.path, error);
    if (!error) bytes -= file.bytes;  // also what another thread or process has removed
  }
}

}  // namespace vta
