// AlignedBytes: host memory for tensors that generated code reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <memory>

namespace vta {

/// What module/host_abi.h promises host functions about their arguments.
inline constexpr uint64_t kHostAlignmentBytes = 64;

/// Zero-filled host memory, owned.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  /// At least `size_bytes`, also when that is 0. `alignment_bytes` is a power of two.
  explicit AlignedBytes(uint64_t size_bytes, uint64_t alignment_bytes = kHostAlignmentBytes);

  std::byte* data() const { return data_.get(); }  // null when there was not enough memory

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace vta
