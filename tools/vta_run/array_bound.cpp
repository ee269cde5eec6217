#include "tools/vta_run/array_bound.h"

#include <algorithm>

#include "tools/vta_run/report.h"

namespace vta::tools {
namespace {

// A limit that costs the array less than this share is not worth a name.
constexpr double kNegligible = 0.05;

}  // namespace

double aluCycles(const HwConfig& hw, const LaunchCounters& counters) {
  return static_cast<double>(counters.alu_uops) * hw.params().alu_passes;
}

std::optional<ArrayBound> arrayBound(const HwConfig& hw, int64_t macs,
                                     const LaunchCounters& counters) {
  const auto multipliers = static_cast<double>(hw.batch() * hw.blockIn() * hw.blockOut());
  const double beat_bytes = static_cast<double>(hw.params().axi_data_width_bits) / 8;
  const double ideal = static_cast<double>(macs) / multipliers;
  const auto gemm = static_cast<double>(counters.gemm_uops);
  const double alu = aluCycles(hw, counters);
  const double compute = hw.params().concurrent_compute ? std::max(gemm, alu) : gemm + alu;
  const auto reading = static_cast<double>(leastReadBeats(hw, counters));
  const double writing = static_cast<double>(counters.store.write_bytes) / beat_bytes;
  const double bound = std::max({compute, reading, writing});
  if (bound == 0) return std::nullopt;

  ArrayBound result;
  // Multiplications with padding count, but the compiler may leave them out.
  const double utilisation = std::min(1.0, ideal / bound);
  if (macs > 0) result.utilisation = utilisation;
  if (bound > compute) {
    result.limit = reading >= writing ? "reading" : "writing";
  } else if (macs == 0) {
    result.limit = "ALU";
  } else if (utilisation > 1 - kNegligible) {
    result.limit = "array";
  } else {
    const bool alu_is_more = hw.params().concurrent_compute ? alu > gemm : alu > gemm - ideal;
    result.limit = alu_is_more ? "ALU" : "lanes";
  }
  return result;
}

}  // namespace vta::tools
