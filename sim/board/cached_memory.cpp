#include "sim/board/cached_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace vta::sim {
namespace {

/// Looked at by one evictSome().
constexpr int kSampledLines = 512;

std::byte* mapAnonymous(uint64_t size_bytes) {
  void* data = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

std::byte* mapFile(const Descriptor& file, uint64_t size_bytes) {
  if (!file.isOpen()) return nullptr;
  void* data = MAP_FAILED;
  if (ftruncate(file.number(), static_cast<off_t>(size_bytes)) == 0) {
    data = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  }
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

}  // namespace

Result<std::unique_ptr<CachedMemory>> CachedMemory::create(const std::filesystem::path& file,
                                                           uint64_t address, uint64_t size_bytes,
                                                           bool is_coherent) {
  std::unique_ptr<CachedMemory> memory(new CachedMemory());
  memory->address_ = address;
  memory->size_bytes_ = size_bytes;
  memory->is_coherent_ = is_coherent;
  memory->name_ = file.string();
  memory->file_ = Descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0660));
  memory->cpu_ = mapFile(memory->file_, size_bytes);
  if (memory->cpu_ == nullptr) {
    return ioError(fmt::format("{}: {}", file.string(), std::strerror(errno)));
  }
  memory->dram_ = mapAnonymous(size_bytes);
  memory->clean_ = mapAnonymous(size_bytes);
  if (memory->dram_ != nullptr && memory->clean_ != nullptr) return memory;
  return Status(StatusCode::kResourceExhausted,
                fmt::format("the host has no room for {} bytes of the board's memory", size_bytes));
}

CachedMemory::~CachedMemory() {
  for (std::byte* data : {cpu_, dram_, clean_}) {
    if (data != nullptr) munmap(data, size_bytes_);
  }
}

Status CachedMemory::check() const {
  struct stat status = {};
  const bool is_whole =
      fstat(file_.number(), &status) == 0 && static_cast<uint64_t>(status.st_size) >= size_bytes_;
  if (is_whole) return {};
  return ioError(fmt::format("{}: the file with the board's memory was cut: it has {} of {} bytes",
                             name_, status.st_size, size_bytes_));
}

void CachedMemory::writeBackLine(uint64_t offset) {
  if (std::memcmp(cpu_ + offset, clean_ + offset, kLineBytes) == 0) return;
  std::memcpy(clean_ + offset, cpu_ + offset, kLineBytes);
  std::memcpy(dram_ + offset, clean_ + offset, kLineBytes);
}

void CachedMemory::writeBack(uint64_t offset, uint64_t size_bytes) {
  const uint64_t end = offset + size_bytes;
  for (uint64_t at = offset / kLineBytes * kLineBytes; at < end; at += kLineBytes) {
    writeBackLine(at);
  }
}

void CachedMemory::invalidate(uint64_t offset, uint64_t size_bytes) {
  if (is_coherent_) return;
  const uint64_t first = offset / kLineBytes * kLineBytes;
  const uint64_t end = (offset + size_bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
  std::memcpy(cpu_ + first, dram_ + first, end - first);
  std::memcpy(clean_ + first, dram_ + first, end - first);
}

void CachedMemory::evictSome(Rng& random) {
  if (is_coherent_) return;
  for (int i = 0; i < kSampledLines; ++i) {
    writeBackLine((random.bits() % (size_bytes_ / kLineBytes)) * kLineBytes);
  }
}

std::optional<DramRange> CachedMemory::findRange(uint64_t address) const {
  if (address < address_ || address - address_ >= size_bytes_) return std::nullopt;
  return DramRange{address_, address_ + size_bytes_, is_coherent_ ? cpu_ : dram_};
}

}  // namespace vta::sim
