// Writes NumPy's .npz: a ZIP archive with one .npy file for each array.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vta::tune {

/// Arrays of one dimension, deflated. The same arrays give the same bytes, whenever and wherever,
/// as long as zlib is the same.
class NpzWriter {
 public:
  void add(std::string_view name, std::span<const int32_t> values);
  void add(std::string_view name, std::span<const int64_t> values);
  /// The whole file. The writer is empty then.
  std::string finish();

 private:
  void addFile(const std::string& name, const std::string& contents);

  std::string archive_;
  std::string directory_;
  uint16_t files_ = 0;
};

}  // namespace vta::tune
