#include "tools/trace/unit_tracks.h"

#include <algorithm>
#include <array>

namespace vta::tools {

const char* unitTrackName(UnitTrack track) {
  constexpr std::array<const char*, kUnitTracks> kNames = {
      "load", "compute: loads", "compute: GEMM", "compute: ALU", "compute: other", "store"};
  return kNames[static_cast<size_t>(track)];
}

UnitTrack trackOf(const Instruction& insn) {
  if (insn.unit() == Unit::kLoad) return UnitTrack::kLoad;
  if (insn.unit() == Unit::kStore) return UnitTrack::kStore;
  switch (insn.opcode) {
    case Opcode::kLoad:
      return UnitTrack::kComputeLoads;
    case Opcode::kGemm:
      return UnitTrack::kGemm;
    case Opcode::kAlu:
      return UnitTrack::kAlu;
    default:
      return UnitTrack::kOther;
  }
}

bool ran(const InstructionTimes& events) {
  return events.started != InstructionTimes::kNever && events.retired != InstructionTimes::kNever;
}

std::vector<TrackLane> assignLanes(const Recording& trace, const Program& program) {
  std::vector<TrackLane> result(trace.instructions.size());
  std::array<std::array<uint64_t, kTrackLanes>, kUnitTracks> free_from{};
  for (size_t i = 0; i < trace.instructions.size(); ++i) {
    const InstructionTimes& events = trace.instructions[i];
    if (!ran(events)) continue;
    const UnitTrack track = trackOf(program.instructions[i]);
    auto& lanes = free_from[static_cast<size_t>(track)];
    auto lane = std::ranges::find_if(lanes, [&](uint64_t from) { return from <= events.started; });
    if (lane == lanes.end()) lane = std::ranges::min_element(lanes);
    *lane = events.retired + 1;
    result[i] = {track, static_cast<int>(lane - lanes.begin())};
  }
  return result;
}

}  // namespace vta::tools
