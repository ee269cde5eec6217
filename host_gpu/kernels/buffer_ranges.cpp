#include "host_gpu/kernels/buffer_ranges.h"

#include <algorithm>

namespace vta::codegen {

using namespace mlir;

BufferRanges rangesOf(MemRefType type, int64_t range_bytes) {
  const auto [strides, offset] = getStridesAndOffset(type);
  int64_t first = offset, last = offset;  // elements
  for (const auto [extent, stride] : llvm::zip(type.getShape(), strides)) {
    (stride < 0 ? first : last) += (extent - 1) * stride;
  }
  constexpr int64_t kBitsInByte = 8;
  const int64_t bits = std::max<int64_t>(type.getElementTypeBitWidth(), kBitsInByte);
  const auto range_of = [&](int64_t bit) { return bit / kBitsInByte / range_bytes; };
  const int64_t begin = range_of(first * bits);
  return {begin, range_of((last + 1) * bits - 1) - begin + 1};
}

}  // namespace vta::codegen
