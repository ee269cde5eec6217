// Measurement: what one trial of a schedule gave, and who measures.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/schedule.h"
#include "explore/tune/task/task.h"

namespace vta::tune {

enum class Outcome : uint8_t {
  kCycles,       // measured
  kSlower,       // it takes longer than the limit; nobody waited for the end
  kFailed,       // it cannot be lowered or run: an error of the compiler or of the device
  kCrashed,      // the worker process died
  kTimedOut,     // the worker process took too long and was killed
  kNotMeasured,  // the search was stopped or the measurer has failed: it says nothing
};
/// "cycles", "slower", "failed", "crashed", "timed out", "not measured".
std::string_view outcomeName(Outcome outcome);

struct Measurement {
  Outcome outcome = Outcome::kFailed;
  uint64_t cycles = 0;    // kCycles
  std::string error;      // kFailed
  int attempts = 1;       // workers that it took
  bool is_steady = true;  // false: the clock of a processor changed all the time
};

/// Of measurements on the cycle simulator (Measurer::source).
inline constexpr const char* kSimulatorSource = "cycle simulator";

inline constexpr uint64_t kAnyCycles = std::numeric_limits<uint64_t>::max();
/// More than anything takes. A measurement of more cycles, or of none, cannot be true.
inline constexpr uint64_t kMostCycles = uint64_t{1} << 53;

/// Measures schedules of one task at a time.
class Measurer {
 public:
  virtual ~Measurer() = default;

  /// Where cycles come from: "cycle simulator", "board:...". Results of two sources are never
  /// compared.
  virtual std::string source() const = 0;

  /// Makes `task`, which must outlive its measurements, the task of the next ones.
  virtual Status begin(const Task& task) = 0;

  /// One result for each schedule. A measurement may end, as kSlower, at `most` cycles.
  virtual std::vector<Measurement> measure(std::span<const kernel::Schedule> schedules,
                                           uint64_t most) = 0;

  /// Why nothing can be measured any more; then some of the last results are kNotMeasured.
  virtual Status health() const { return {}; }
};

}  // namespace vta::tune
