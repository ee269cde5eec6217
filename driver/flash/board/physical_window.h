// Registers of this machine: through UIO, which needs no root, or through /dev/mem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "driver/flash/board/system.h"

namespace vta::flash {

/// A mapped range of registers; unmapped at the end.
class PhysicalWindow {
 public:
  /// By /dev/mem. `address` is a multiple of 4096. Errors: those of opening and mapping.
  static Result<std::unique_ptr<PhysicalWindow>> openMemory(const System& system, uint64_t address,
                                                            uint64_t size_bytes);
  /// By the UIO device whose first range is at `address`. Error kNotFound when there is none.
  static Result<std::unique_ptr<PhysicalWindow>> openUio(const System& system, uint64_t address);

  ~PhysicalWindow();
  PhysicalWindow(const PhysicalWindow&) = delete;
  PhysicalWindow& operator=(const PhysicalWindow&) = delete;

  const std::string& source() const { return source_; }  // "/dev/uio0"
  /// `offset_bytes` lies in the window and is a multiple of 4.
  uint32_t read(uint64_t offset_bytes) const;
  void write(uint64_t offset_bytes, uint32_t value);

 private:
  PhysicalWindow(volatile uint32_t* words, uint64_t size_bytes, std::string source)
      : words_(words), size_bytes_(size_bytes), source_(std::move(source)) {}
  static Result<std::unique_ptr<PhysicalWindow>> map(const System& system, const std::string& file,
                                                     uint64_t offset_bytes, uint64_t size_bytes);

  volatile uint32_t* words_;
  uint64_t size_bytes_;
  std::string source_;
};

}  // namespace vta::flash
