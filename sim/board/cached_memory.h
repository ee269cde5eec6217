// A board's contiguous memory behind a cache that is not coherent with the accelerator's port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "sim/common/dram.h"
#include "sim/random/rng.h"

namespace vta::sim {

/// Two views of the same memory: the processor's, a file that the driver maps, and the
/// accelerator's. They agree only where they are synchronised, which is the worst that caches do.
/// Lines that the processor has changed may also be written back at any time.
class CachedMemory final : public Dram {
 public:
  static constexpr uint64_t kLineBytes = 64;  ///< Bytes that are written back or dropped together

  /// Creates `file`. Errors: kIoError, kResourceExhausted.
  static Result<std::unique_ptr<CachedMemory>> create(const std::filesystem::path& file,
                                                      uint64_t address, uint64_t size_bytes,
                                                      bool is_coherent);
  ~CachedMemory() override;
  CachedMemory(const CachedMemory&) = delete;
  CachedMemory& operator=(const CachedMemory&) = delete;

  /// As the accelerator sees the first byte.
  uint64_t address() const { return address_; }
  /// Of both views.
  uint64_t sizeBytes() const { return size_bytes_; }
  /// What the accelerator sees.
  std::byte* data() { return is_coherent_ ? cpu_ : dram_; }

  /// Ok when the file is as long as it was made: what it lacks must not be touched. Error:
  /// kIoError.
  Status check() const;

  /// Whether the range lies inside the memory.
  bool contains(uint64_t offset, uint64_t size_bytes) const {
    return offset <= size_bytes_ && size_bytes <= size_bytes_ - offset;
  }

  /// Writes the lines of a range back. A line that the processor has not changed keeps what the
  /// accelerator wrote.
  void writeBack(uint64_t offset, uint64_t size_bytes);

  /// Has the processor see what the accelerator has written to the lines of a range; what the
  /// processor has changed there is lost.
  void invalidate(uint64_t offset, uint64_t size_bytes);

  /// Writes some changed lines back, as caches do that need room.
  void evictSome(Rng& random);

  std::optional<DramRange> findRange(uint64_t address) const override;

 private:
  CachedMemory() = default;
  void writeBackLine(uint64_t offset);

  std::string name_;
  Descriptor file_;
  uint64_t address_ = 0;
  uint64_t size_bytes_ = 0;
  bool is_coherent_ = false;
  std::byte* cpu_ = nullptr;
  std::byte* dram_ = nullptr;
  std::byte* clean_ = nullptr;  // what the processor's lines held when they were last synchronised
};

}  // namespace vta::sim
