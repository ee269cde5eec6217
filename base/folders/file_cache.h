// Files that can be made again, by key, in a folder that several processes may use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta {

/// What it holds is run, so a folder or a file that others can write is not used. A file is there
/// whole or not at all, and knows its key: under the name of another one it is not used.
class FileCache {
 public:
  /// Where the files are; empty: nothing is kept. `suffix` ends their names (".o"): others are left
  /// alone. Beyond `most_bytes` those go that were not used for the longest time.
  FileCache(std::filesystem::path folder, std::string suffix,
            uint64_t most_bytes = uint64_t{1} << 30)
      : folder_(std::move(folder)), suffix_(std::move(suffix)), most_bytes_(most_bytes) {}

  const std::filesystem::path& folder() const { return folder_; }

  /// What was added under `key` and with `name`, a file's name that is another one for most other
  /// keys; none if there is nothing. Errors: kIoError for a folder or a file that cannot be used,
  /// is damaged or has another key.
  Result<std::optional<std::vector<std::byte>>> find(const std::string& name,
                                                     std::string_view key) const;

  /// Replaces what is there. Errors: kIoError.
  Status add(const std::string& name, std::string_view key,
             std::span<const std::byte> content) const;

 private:
  Status checkFolder() const;
  std::filesystem::path pathOf(const std::string& name) const { return folder_ / (name + suffix_); }
  void removeOldest() const;

  std::filesystem::path folder_;
  std::string suffix_;
  uint64_t most_bytes_;
};

}  // namespace vta
