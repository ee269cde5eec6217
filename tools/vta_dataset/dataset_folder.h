// DatasetFolder: which parts of a data set are there, and where the others go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::tools {

/// A folder with data-set.json, which describes the whole, and points-NNNNN.npz, its parts. A part
/// gets its name when it is complete.
class DatasetFolder {
 public:
  /// Makes the folder, or takes one that has points of the same seed. Errors: it holds something
  /// else, another seed, another version, or more points; it cannot be made.
  static Result<DatasetFolder> open(const std::filesystem::path& folder, int64_t points,
                                    uint64_t seed);

  int64_t parts() const;
  int64_t pointsOf(int64_t part) const;
  /// The parts that are not there.
  std::vector<int64_t> missing() const;
  Status writePart(int64_t part, const std::string& file) const;

 private:
  DatasetFolder(std::filesystem::path folder, int64_t points)
      : folder_(std::move(folder)), points_(points) {}

  std::filesystem::path fileOf(int64_t part) const;
  Status writeDescription(uint64_t seed) const;
  Status takeOver(uint64_t seed) const;

  std::filesystem::path folder_;
  int64_t points_;
};

}  // namespace vta::tools
