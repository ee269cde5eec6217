// Bursts that a memory answers with errors, for tests.
#pragma once

#include <cstdint>
#include <optional>

namespace vta::sim {

/// Bursts are numbered from 0 in each launch, in the order in which the memory accepts their
/// addresses; reads and writes each have numbers of their own.
struct BusErrors {
  std::optional<uint64_t> read_burst;   ///< none: no read fails
  uint32_t read_beat = 0;               ///< of that burst; none if the burst is shorter
  std::optional<uint64_t> write_burst;  ///< whose response is the error; none: no write fails
  bool decode_error = false;            ///< DECERR instead of SLVERR; the core makes no difference

  /// Whether beat `beat`, from 0, of read burst `burst` comes with an error.
  bool readFails(uint64_t burst, uint32_t beat) const {
    return read_burst == burst && read_beat == beat;
  }
  /// Whether the response to write burst `burst` is an error.
  bool writeFails(uint64_t burst) const { return write_burst == burst; }
  bool operator==(const BusErrors&) const = default;
};

}  // namespace vta::sim
