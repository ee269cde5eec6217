#include "base/aligned_bytes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/integer_math.h"

namespace vta {

AlignedBytes::AlignedBytes(uint64_t size_bytes, uint64_t alignment_bytes) {
  const uint64_t needed_bytes = std::max<uint64_t>(size_bytes, 1);
  if (needed_bytes > UINT64_MAX - alignment_bytes) return;
  const uint64_t rounded_bytes = roundUp(needed_bytes, alignment_bytes);
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment_bytes, rounded_bytes)));
  if (data_) std::memset(data_.get(), 0, rounded_bytes);
}

void AlignedBytes::Free::operator()(std::byte* data) const { std::free(data); }

}  // namespace vta
