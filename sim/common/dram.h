// The device memory that a functional model reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace vta::sim {

/// One allocated buffer of device memory and its bytes on the host.
struct DramRange {
  uint64_t begin = 0;         ///< address of the first byte
  uint64_t end = 0;           ///< address behind the last byte
  std::byte* data = nullptr;  ///< of address `begin`

  /// Whether all `size_bytes` bytes from `address` on lie in the buffer.
  bool contains(uint64_t address, uint64_t size_bytes) const {
    return address >= begin && address <= end && size_bytes <= end - address;
  }
  /// The byte of an address that the buffer contains.
  std::byte* at(uint64_t address) const { return data + (address - begin); }
};

/// Flat, byte-addressed memory with allocated buffers; accesses outside them are faults. The host
/// pointers stay valid for the whole of a run.
class Dram {
 public:
  virtual ~Dram() = default;

  /// The buffer that holds `address`, if any.
  virtual std::optional<DramRange> findRange(uint64_t address) const = 0;

  /// Checked mode: bytes from `address` on that hold written data, at most `size_bytes`. The range
  /// lies inside a buffer. A memory that does not track this answers `size_bytes`.
  virtual uint64_t writtenPrefix(uint64_t address, uint64_t size_bytes) const {
    static_cast<void>(address);
    return size_bytes;
  }

  /// Checked mode: a STORE wrote this range.
  virtual void markWritten(uint64_t address, uint64_t size_bytes) {
    static_cast<void>(address);
    static_cast<void>(size_bytes);
  }
};

/// The base registers, added to every DRAM address of the matching memory (docs/isa.md).
struct BaseAddresses {
  uint64_t uop = 0;  ///< for LOADs of micro-ops
  uint64_t inp = 0;  ///< for LOADs of INP
  uint64_t wgt = 0;  ///< for LOADs of WGT
  uint64_t acc = 0;  ///< serves ACC_8BIT too
  uint64_t out = 0;  ///< for STOREs
};

}  // namespace vta::sim
