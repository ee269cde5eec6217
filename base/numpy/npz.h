// NumPy's archives of arrays, .npz: a ZIP archive with one .npy file for each array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"

namespace vta {

/// Reads an archive (stored or deflated entries) by array name. Errors: those of parseNpy, naming
/// the array; a damaged archive.
Result<std::map<std::string, Tensor>> parseNpz(std::span<const std::byte> file);

/// Arrays of one dimension, deflated. The same arrays give the same bytes, whenever and wherever,
/// as long as zlib is the same.
class NpzWriter {
 public:
  void add(std::string_view name, std::span<const int32_t> values);
  void add(std::string_view name, std::span<const int64_t> values);
  /// The whole file. The writer is empty then.
  std::string finish();

 private:
  void addArray(std::string_view name, DType dtype, size_t count,
                std::span<const std::byte> elements);

  std::string archive_;
  std::string directory_;
  uint16_t files_ = 0;
};

}  // namespace vta
