// Which DRAM the timing models imitate: read from YAML, validated once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::sim {

/// Fixed latency and bandwidth.
struct SimpleMemoryParams {
  int latency_cycles = 16;  ///< from acceptance of a burst to its first beat; last W beat to B
  /// Beats a cycle as the fraction beats_numerator / beats_denominator, above 0 and at most 1.
  uint32_t beats_numerator = 1;
  uint32_t beats_denominator = 1;  ///< at least the numerator
  bool operator==(const SimpleMemoryParams&) const = default;
};

/// A DRAM with banks, rows and refresh. Times in cycles of the DRAM clock.
struct DdrTiming {
  int clock_mhz = 0;     ///< of the DRAM; two transfers in each of its cycles
  int bus_bytes = 0;     ///< bytes of one transfer
  int burst_length = 0;  ///< transfers of one column access, two a clock
  int banks = 0;         ///< that can have a row open each
  int rows = 0;          ///< of each bank
  int row_bytes = 0;     ///< of one row, over the whole bus
  int t_rcd = 0;         ///< from opening a row to an access of it
  int t_rp = 0;          ///< from closing a row to opening another one
  int t_cl = 0;          ///< from a read to its first transfer
  int t_cwl = 0;         ///< from a write to its first transfer
  int t_ccd = 0;         ///< from one access of an open row to the next
  int t_ras = 0;         ///< from opening a row to closing it, at least
  int t_rfc = 0;         ///< that a refresh takes
  int t_refi = 0;        ///< from one refresh to the next
  int t_wr = 0;          ///< from the last transfer of a write to closing its row
  int t_wtr = 0;         ///< from the last transfer of a write to a read
  bool operator==(const DdrTiming&) const = default;
};

enum class MemoryKind : uint8_t { kSimple, kDdr };  ///< Which part of a MemoryConfig counts

/// One memory. Only the part that `kind` names counts.
struct MemoryConfig {
  MemoryKind kind = MemoryKind::kSimple;  ///< by which model the memory is imitated
  std::string name = "simple";            ///< "simple", "ddr" or the preset's, for reports
  int outstanding = 32;                   ///< bursts in flight, reads and writes each
  SimpleMemoryParams simple;              ///< of kSimple
  int controller_latency_cycles = 0;      ///< accelerator cycles on the way to the DRAM and back
  DdrTiming ddr;                          ///< of kDdr

  bool operator==(const MemoryConfig&) const = default;
};

/// Checks every value. The error names key, value and legal range.
Status checkMemoryConfig(const MemoryConfig& config);

/// Names that resolveMemoryConfig knows without a file: "simple" and the DDR presets.
std::vector<std::string> builtinMemoryNames();

/// Reads a memory from YAML text; `source_name` appears in errors. Unknown or missing keys, values
/// out of range and unknown presets are errors with the legal ones.
Result<MemoryConfig> parseMemoryConfig(std::string_view yaml_text, std::string_view source_name);

/// The memory of a built-in name, in either case. Error: no such memory; it names the known ones.
Result<MemoryConfig> builtinMemory(std::string_view name);

/// `spec` is a built-in name, in either case, or the path of a YAML file.
Result<MemoryConfig> resolveMemoryConfig(std::string_view spec);

}  // namespace vta::sim
