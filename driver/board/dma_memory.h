// Contiguous memory that the accelerator reaches, with the maintenance of the processor's caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "driver/board/board_options.h"
#include "driver/board/mapping.h"

namespace vta::driver {

/// The memory of one u-dma-buf device (https://github.com/ikwzm/udmabuf), or of a reserved region
/// behind /dev/mem, which is not cached.
class DmaMemory {
 public:
  /// `address_bits` are those of the core's memory port. Errors name what is missing in the set-up.
  static Result<DmaMemory> open(const BoardOptions& options, int address_bits);

  uint64_t address() const { return address_; }  // of the first byte, as the core sees it
  uint64_t sizeBytes() const { return mapping_.sizeBytes(); }
  std::byte* data() const { return mapping_.data(); }
  const std::string& name() const { return name_; }
  bool needsMaintenance() const { return to_device_.isOpen(); }

  /// Writes back what the processor's caches hold of a range, which is rounded to whole lines.
  Status flush(uint64_t offset, uint64_t size_bytes);

  /// Has the processor read a range from memory again; it may hold nothing of it that is not
  /// written back. The range is rounded to whole lines.
  Status invalidate(uint64_t offset, uint64_t size_bytes);

 private:
  static Result<DmaMemory> openReserved(const BoardOptions& options, int address_bits);
  Status openMaintenance(const BoardOptions& options);
  Status synchronise(const OpenFile& attribute, uint64_t offset, uint64_t size_bytes,
                     int direction);

  std::string name_;
  uint64_t address_ = 0;
  Mapping mapping_;
  OpenFile to_device_;  // sysfs attributes; closed when the memory is coherent or not cached
  OpenFile to_cpu_;
};

}  // namespace vta::driver
