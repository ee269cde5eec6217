// A mapped file, and the registers in one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace vta::driver {

/// Memory that is mapped from a file. Move-only.
class Mapping {
 public:
  Mapping() = default;
  Mapping(void* data, size_t size_bytes)
      : data_(static_cast<std::byte*>(data)), size_bytes_(size_bytes) {}
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_bytes_(other.size_bytes_) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }
  ~Mapping();

  std::byte* data() const { return data_; }
  size_t sizeBytes() const { return size_bytes_; }

 private:
  std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
};

/// The 32-bit registers of a core. Each call is exactly one access of four bytes, in the order of
/// the calls.
class Registers {
 public:
  virtual ~Registers() = default;

  virtual uint32_t read(uint32_t offset) const = 0;
  virtual void write(uint32_t offset, uint32_t value) const = 0;

  /// Two registers, low word first.
  uint64_t read64(uint32_t offset) const {
    const uint64_t low = read(offset);
    return uint64_t{read(offset + 4)} << 32 | low;
  }
};

/// Registers that are mapped; the mapping has to outlive them.
class MappedRegisters final : public Registers {
 public:
  MappedRegisters() = default;
  explicit MappedRegisters(std::byte* base) : base_(base) {}

  uint32_t read(uint32_t offset) const override;
  void write(uint32_t offset, uint32_t value) const override;

 private:
  std::byte* base_ = nullptr;
};

}  // namespace vta::driver
