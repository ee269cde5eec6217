#include "compiler/codegen/llvm/object_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <system_error>

#include "base/files.h"
#include "base/folders/sealed_file.h"
#include "base/folders/user_folder.h"
#include "base/folders/whole_file.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SHA256.h"

namespace vta::codegen {
namespace {

namespace fs = std::filesystem;

// To be raised when emit_object.cpp gives LLVM other work for the same code.
constexpr int kRecipe = 4;

constexpr std::string_view kSuffix = ".o";

struct Entry {
  fs::path path;
  fs::file_time_type used;
  uint64_t bytes = 0;
};

std::vector<Entry> entriesOf(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (auto file = fs::directory_iterator(folder, error); !error && file != fs::end(file);
       file.increment(error)) {
    std::error_code gone;
    Entry entry = {file->path(), file->last_write_time(gone), file->file_size(gone)};
    if (!gone && entry.path.extension() == kSuffix) entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

std::string objectKey(std::string_view bitcode, const llvm::TargetMachine& machine,
                      CodeQuality quality) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(bitcode));
  hash.update(fmt::format("\n{} {} {} {} {}", LLVM_VERSION_STRING, kRecipe,
                          machine.getTargetCPU().str(), machine.getTargetFeatureString().str(),
                          static_cast<int>(quality)));
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

bool ObjectCache::isUsable() const {
  return !folder_.empty() && makeOwnFolder(folder_).ok() && requireOwn(folder_).ok();
}

std::optional<std::vector<std::byte>> ObjectCache::find(const std::string& key) const {
  if (!isUsable()) return std::nullopt;
  const fs::path path = folder_ / (key + std::string(kSuffix));
  if (!requireOwn(path).ok()) return std::nullopt;
  const auto file = readFile(path);
  if (!file.ok()) return std::nullopt;
  const auto content = unsealed(*file);
  // Behind its key: under the name of another one it is not used.
  const auto written_key = std::as_bytes(std::span(key));
  if (!content || content->size() < key.size() ||
      !std::ranges::equal(content->first(key.size()), written_key)) {
    return std::nullopt;
  }
  const std::span<const std::byte> object = content->subspan(key.size());
  std::error_code error;  // the time of its last use
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);
  return std::vector<std::byte>(object.begin(), object.end());
}

void ObjectCache::add(const std::string& key, std::span<const std::byte> object) const {
  if (!isUsable()) return;
  constexpr mode_t kForThisUser = S_IRUSR | S_IWUSR;
  const fs::path path = folder_ / (key + std::string(kSuffix));
  const auto key_bytes = std::as_bytes(std::span(key));
  std::vector<std::byte> content(key_bytes.begin(), key_bytes.end());
  content.insert(content.end(), object.begin(), object.end());
  if (writeWhole(path, sealed(content), kForThisUser) == 0) removeOldest();
}

void ObjectCache::removeOldest() const {
  std::vector<Entry> entries = entriesOf(folder_);
  uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (bytes <= most_bytes_) return;
    std::error_code error;
    if (fs::remove(entry.path, error)) bytes -= entry.bytes;
  }
}

}  // namespace vta::codegen
