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
  int latency_cycles = 16;  // from acceptance of a burst to its first beat; last W beat to B
  /// Beats a cycle as the fraction beats_numerator / beats_denominator, above 0 and at most 1.
  uint32_t beats_numerator = 1;
  uint32_t beats_denominator = 1;
  bool operator==(const SimpleMemoryParams&) const = default;
};

/// A DRAM with banks, rows and refresh. Times in cycles of the DRAM clock.
struct DdrTiming {
  int clock_mhz = 0;
  int bus_bytes = 0;     // bytes of one transfer
  int burst_length = 0;  // transfers of one column access, two a clock
  int banks = 0;
  int rows = 0;
  int row_bytes = 0;
  int t_rcd = 0;
  int t_rp = 0;
  int t_cl = 0;
  int t_cwl = 0;
  int t_ccd = 0;
  int t_ras = 0;
  int t_rfc = 0;
  int t_refi = 0;
  int t_wr = 0;
  int t_wtr = 0;
  bool operator==(const DdrTiming&) const = default;
};

enum class MemoryKind : uint8_t { kSimple, kDdr };

/// One memory. Only the part that `kind` names counts.
struct MemoryConfig {
  MemoryKind kind = MemoryKind::kSimple;
  std::string name = "simple";
  int outstanding = 32;  // bursts in flight, reads and writes each
  SimpleMemoryParams simple;
  int controller_latency_cycles = 0;  // accelerator cycles on the way to the DRAM and back
  DdrTiming ddr;

  bool operator==(const MemoryConfig&) const = default;
};

/// Checks every value. The error names key, value and legal range.
Status checkMemoryConfig(const MemoryConfig& config);

/// Names that resolveMemoryConfig knows without a file: "simple" and the DDR presets.
std::vector<std::string> builtinMemoryNames();

/// Reads a memory from YAML text; `source_name` appears in errors. Unknown or missing keys, values
/// out of range and unknown presets are errors with the legal ones.
Result<MemoryConfig> parseMemoryConfig(std::string_view yaml_text, std::string_view source_name);

/// `spec` is a built-in name, in either case, or the path of a YAML file.
Result<MemoryConfig> resolveMemoryConfig(std::string_view spec);

}  // namespace vta::sim
