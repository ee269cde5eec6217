// The bars of the report's timeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "driver/runtime/session.h"
#include "tools/trace/launch_events.h"
#include "tools/trace/unit_tracks.h"

namespace vta::tools {

/// An instruction, or neighbours in one track and layer that are drawn as one. Cycles count on from
/// launch to launch; ends are exclusive.
struct TimelineBar {
  UnitTrack track = UnitTrack::kLoad;
  uint32_t layer = 0;        // step of the module
  uint64_t begin_cycle = 0;  // from its start to its retirement
  uint64_t end_cycle = 0;
  uint64_t work_begin_cycle = 0;  // from its first operation to its last; equal where it has none
  uint64_t work_end_cycle = 0;
  uint32_t first_instruction = 0;  // in its launch
  uint32_t instructions = 1;
  const Instruction* instruction = nullptr;  // the first; lives as long as the session
};

/// A token from one track to another.
struct TimelineToken {
  const char* name = "";  // "load to compute"
  UnitTrack from = UnitTrack::kLoad;
  UnitTrack to = UnitTrack::kLoad;
  uint64_t pushed_cycle = 0;
  uint64_t popped_cycle = 0;
};

/// What the bus did from a cycle on.
struct TimelineBus {
  uint64_t begin_cycle = 0;
  BusShares percent{};
};

/// A layer's share of its launch: from the end of the layers before it to its own end.
struct TimelineLayer {
  uint32_t layer = 0;
  uint64_t begin_cycle = 0;
  uint64_t end_cycle = 0;
};

struct Timeline {
  std::vector<TimelineLayer> layers;  // by time
  std::vector<TimelineBar> bars;      // by track and time
  std::vector<TimelineToken> tokens;
  std::vector<TimelineBus> bus;  // by time
  uint64_t cycles = 0;
  uint64_t instructions = 0;
  /// Neighbours that together span at most so many cycles are one bar; 0: each has its own.
  uint64_t joined_cycles = 0;
};

/// Every instruction that ran in a traced launch, each its own bar; every token; the bus in
/// windows. `names` are those of the module's steps, as symbols of launches name them.
Timeline makeTimeline(const driver::RunResult& result, std::span<const std::string_view> names);

/// Joins neighbours, over the shortest span that suffices, until there are at most `max_bars`, or
/// one for each layer and track.
void thinTimeline(Timeline& timeline, size_t max_bars);

}  // namespace vta::tools
