// Where timelines draw an instruction: its track, and a lane of it while others run beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/launch/recording.h"
#include "isa/program/program.h"

namespace vta::tools {

enum class UnitTrack : uint8_t { kLoad, kComputeLoads, kGemm, kAlu, kOther, kStore };
inline constexpr int kUnitTracks = 6;

/// "load", "compute: GEMM", ...
const char* unitTrackName(UnitTrack track);

UnitTrack trackOf(const Instruction& insn);

/// Whether the instruction started and retired.
bool ran(const InstructionTimes& events);

/// Instructions of a track may overlap; each has a lane of its own while it runs.
inline constexpr int kTrackLanes = 16;

struct TrackLane {
  UnitTrack track = UnitTrack::kLoad;
  int lane = 0;  // in [0, kTrackLanes)
};

/// The first lane that is free, by instruction of the launch. `trace` is of a launch of `program`.
/// Instructions that did not run have the default.
std::vector<TrackLane> assignLanes(const Recording& trace, const Program& program);

}  // namespace vta::tools
