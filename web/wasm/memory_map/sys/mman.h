// What simulated memories use of <sys/mman.h>: zeroed memory that takes room when it is touched.
#pragma once

#include <cstddef>

enum { PROT_READ = 1, PROT_WRITE = 2, MAP_PRIVATE = 2, MAP_ANONYMOUS = 32, MAP_NORESERVE = 0 };
enum { MADV_DONTNEED = 4 };
inline void* const MAP_FAILED = reinterpret_cast<void*>(-1);

void* mmap(void* address, size_t bytes, int protection, int flags, int file, long offset);
int munmap(void* address, size_t bytes);
/// Always an error: pages cannot be given back one by one.
int madvise(void* address, size_t bytes, int advice);
