#include "driver/board/mapping.h"

#include <sys/mman.h>

#include <atomic>

namespace vta::driver {
namespace {

/// Orders accesses of memory and of registers, as the accelerator sees them.
void orderMemoryAndRegisters() {
#if defined(__aarch64__) || defined(__arm__)
  asm volatile("dsb sy" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_bytes_);
}

// Not inlined, so that each access is a plain load or store of one word whatever is done with it.
[[gnu::noinline]] uint32_t MappedRegisters::read(uint32_t offset) const {
  const uint32_t value = *reinterpret_cast<const volatile uint32_t*>(base_ + offset);
  orderMemoryAndRegisters();
  return value;
}

[[gnu::noinline]] void MappedRegisters::write(uint32_t offset, uint32_t value) const {
  orderMemoryAndRegisters();
  *reinterpret_cast<volatile uint32_t*>(base_ + offset) = value;
}

}  // namespace vta::driver
