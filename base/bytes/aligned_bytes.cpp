#include "base/bytes/aligned_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/integer_math.h"

namespace vta {
namespace {

constexpr uint64_t kPieceBytes = uint64_t{8} << 20;

// Bytes that are `size_bytes`, at least one, rounded up; 0 where that is no number.
uint64_t roundedSize(uint64_t size_bytes, uint64_t alignment_bytes) {
  const uint64_t needed_bytes = std::max<uint64_t>(size_bytes, 1);
  return needed_bytes > UINT64_MAX - alignment_bytes ? 0 : roundUp(needed_bytes, alignment_bytes);
}

// Gives whole pages of [begin, end) back to the system. What they hold is lost.
void dropPages(std::byte* begin, std::byte* end) {
  const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t first = roundUp(reinterpret_cast<uintptr_t>(begin), page_bytes);
  const uint64_t last = reinterpret_cast<uintptr_t>(end) / page_bytes * page_bytes;
  if (first >= last) return;
  // Where that is not possible, the pages stay until the memory is freed.
  static_cast<void>(
      madvise(begin + (first - reinterpret_cast<uintptr_t>(begin)), last - first, MADV_DONTNEED));
}

}  // namespace

AlignedBytes::AlignedBytes(uint64_t size_bytes, uint64_t alignment_bytes) {
  const uint64_t rounded_bytes = roundedSize(size_bytes, alignment_bytes);
  allocate(rounded_bytes, alignment_bytes);
  if (data_) std::memset(data_.get(), 0, rounded_bytes);
}

AlignedBytes AlignedBytes::take(std::vector<std::byte> bytes, uint64_t alignment_bytes) {
  AlignedBytes taken;
  const uint64_t rounded_bytes = roundedSize(bytes.size(), alignment_bytes);
  taken.allocate(rounded_bytes, alignment_bytes);
  if (!taken.data_) return taken;
  for (uint64_t start = 0; start < bytes.size(); start += kPieceBytes) {
    const uint64_t size = std::min(kPieceBytes, bytes.size() - start);
    std::memcpy(taken.data() + start, bytes.data() + start, size);
    dropPages(bytes.data() + start, bytes.data() + start + size);
  }
  std::memset(taken.data() + bytes.size(), 0, rounded_bytes - bytes.size());
  return taken;
}

void AlignedBytes::allocate(uint64_t rounded_bytes, uint64_t alignment_bytes) {
  if (rounded_bytes == 0) return;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment_bytes, rounded_bytes)));
}

void AlignedBytes::Free::operator()(std::byte* data) const { std::free(data); }

}  // namespace vta
