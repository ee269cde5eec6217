// A folder that is there as long as its object.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace vta {

/// A new, empty folder that only this user may enter. The destructor removes it with all in it.
class TemporaryFolder {
 public:
  /// `prefix` begins the folder's name; `where` is an existing folder. Errors: kIoError.
  static Result<TemporaryFolder> create(std::string_view prefix,
                                        const std::filesystem::path& where);
  /// The same in the system's folder for temporary files.
  static Result<TemporaryFolder> create(std::string_view prefix);

  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

  /// The folder stays; its path.
  std::filesystem::path release();

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty: nothing to remove
};

}  // namespace vta
