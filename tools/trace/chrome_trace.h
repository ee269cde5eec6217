// Traces for chrome://tracing and ui.perfetto.dev.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "isa/config/hw_config.h"
#include "isa/launch/recording.h"
#include "isa/program/program.h"

namespace vta::tools {

/// Collects launches, one behind the other, as Chrome trace events: units as tracks, instructions
/// as slices named by layer and disassembly, tokens as arrows, what each master has of the bus as a
/// counter. Times are those of the accelerator's clock.
class ChromeTrace {
 public:
  explicit ChromeTrace(const HwConfig& hw);

  /// `trace` is of a launch of `program`.
  void addLaunch(const Recording& trace, const Program& program);

  /// The JSON text. Ends the object's use.
  std::string take();

 private:
  void addSlices(const Recording& trace, const Program& program);
  void addTokens(const Recording& trace, const Program& program);
  void addBus(const Recording& trace);
  void nameLane(int thread);
  void addEvent(const std::string& fields);
  double microseconds(uint64_t cycle) const;

  HwConfig hw_;
  std::string events_;
  uint64_t offset_cycles_ = 0;  // of the next launch
  uint64_t flows_ = 0;
  std::set<int> named_lanes_;
};

}  // namespace vta::tools
