// Contiguous memory that the accelerator reaches, with the maintenance of the processor's caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "driver/board/board_options.h"
#include "driver/board/mapping.h"

namespace vta::driver {

/// What keeps the processor's caches and a memory equal. Ranges are whole lines of the memory.
class CacheMaintenance {
 public:
  virtual ~CacheMaintenance() = default;
  virtual Status flush(uint64_t offset, uint64_t size_bytes) = 0;
  virtual Status invalidate(uint64_t offset, uint64_t size_bytes) = 0;
};

/// The memory of one u-dma-buf device (https://github.com/ikwzm/udmabuf), a buffer of zocl, the
/// driver of XRT, or a reserved region behind /dev/mem, which is not cached.
class DmaMemory {
 public:
  /// What `options` name. `address_bits` are those of the core's memory port. Errors name what is
  /// missing in the set-up.
  static Result<DmaMemory> open(const BoardOptions& options, int address_bits);

  /// Parts of an open memory: `maintenance` is null when it is coherent or not cached, `remedy`
  /// says what gives more of it.
  DmaMemory(std::string name, uint64_t address, Mapping mapping,
            std::unique_ptr<CacheMaintenance> maintenance, std::string remedy)
      : name_(std::move(name)),
        address_(address),
        mapping_(std::move(mapping)),
        maintenance_(std::move(maintenance)),
        remedy_(std::move(remedy)) {}

  uint64_t address() const { return address_; }  // of the first byte, as the core sees it
  uint64_t sizeBytes() const { return mapping_.sizeBytes(); }
  std::byte* data() const { return mapping_.data(); }
  const std::string& name() const { return name_; }
  const std::string& remedy() const { return remedy_; }
  bool needsMaintenance() const { return maintenance_ != nullptr; }

  /// Writes back what the processor's caches hold of a range, which is rounded to whole lines.
  Status flush(uint64_t offset, uint64_t size_bytes);

  /// Has the processor read a range from memory again; it may hold nothing of it that is not
  /// written back. The range is rounded to whole lines.
  Status invalidate(uint64_t offset, uint64_t size_bytes);

 private:
  std::string name_;
  uint64_t address_ = 0;
  Mapping mapping_;
  std::unique_ptr<CacheMaintenance> maintenance_;
  std::string remedy_;
};

/// Ok when the core's addresses, of so many bits, reach a memory. `remedy` says how to place it
/// lower.
Status checkReach(const std::string& name, uint64_t address, uint64_t size_bytes, int address_bits,
                  const std::string& remedy);

Result<DmaMemory> openUdmabuf(const BoardOptions& options, int address_bits);
Result<DmaMemory> openZocl(const BoardOptions& options, int address_bits);

}  // namespace vta::driver
