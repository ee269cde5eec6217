// AlignedBytes: host memory for tensors that generated code reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <memory>
#include <vector>

namespace vta {

/// What module/host_abi.h promises host functions about their arguments.
inline constexpr uint64_t kHostAlignmentBytes = 64;

/// Host memory, owned.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  /// At least `size_bytes` zeros, also when that is 0. `alignment_bytes` is a power of two.
  explicit AlignedBytes(uint64_t size_bytes, uint64_t alignment_bytes = kHostAlignmentBytes);

  /// The contents of `bytes`. At no time is there much more memory in use than for one copy.
  static AlignedBytes take(std::vector<std::byte> bytes,
                           uint64_t alignment_bytes = kHostAlignmentBytes);

  std::byte* data() const { return data_.get(); }  // null when there was not enough memory

 private:
  void allocate(uint64_t rounded_bytes, uint64_t alignment_bytes);
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace vta
