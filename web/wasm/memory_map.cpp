// mmap on the memory of a WebAssembly module, which grows but never shrinks: one area is used again
// and again.
#include <sys/mman.h>

#include <cstdint>
#include <cstring>

namespace {

constexpr size_t kPageBytes = 65536;

struct Area {
  void* data = nullptr;
  size_t bytes = 0;
  bool is_taken = false;
};

Area& area() {
  static Area the_area;
  return the_area;
}

}  // namespace

void* mmap(void* /*address*/, size_t bytes, int /*protection*/, int /*flags*/, int /*file*/,
           long /*offset*/) {
  Area& kept = area();
  if (!kept.is_taken && kept.bytes >= bytes) {
    kept.is_taken = true;
    return kept.data;
  }
  const size_t pages = (bytes + kPageBytes - 1) / kPageBytes;
  const size_t before = __builtin_wasm_memory_grow(0, pages);  // new pages are zero
  if (before == SIZE_MAX) return MAP_FAILED;
  void* data = reinterpret_cast<void*>(before * kPageBytes);
  if (!kept.is_taken) kept = {data, pages * kPageBytes, true};
  return data;
}

int munmap(void* address, size_t /*bytes*/) {
  Area& kept = area();
  if (address == kept.data) kept.is_taken = false;
  return 0;
}

int madvise(void* /*address*/, size_t /*bytes*/, int /*advice*/) { return -1; }
