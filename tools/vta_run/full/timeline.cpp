#include "tools/vta_run/full/timeline.h"

#include <algorithm>
#include <tuple>

namespace vta::tools {
namespace {

std::vector<TimelineBar> joined(const std::vector<TimelineBar>& bars, uint64_t span_cycles) {
  std::vector<TimelineBar> result;
  for (const TimelineBar& bar : bars) {
    TimelineBar* last = result.empty() ? nullptr : &result.back();
    if (last != nullptr && last->place.track == bar.place.track &&
        last->place.lane == bar.place.lane && last->layer == bar.layer &&
        bar.end_cycle - last->begin_cycle <= span_cycles) {
      last->end_cycle = std::max(last->end_cycle, bar.end_cycle);
      last->instructions += bar.instructions;
    } else {
      result.push_back(bar);
    }
  }
  return result;
}

void addTokens(const driver::StepProfile& profile, const std::vector<TrackLane>& places,
               Timeline& timeline) {
  const auto& instructions = profile.trace->instructions;
  for (const TokenFlow& flow : tokenFlows(*profile.trace, *profile.program)) {
    timeline.tokens.push_back({flow.name, places[flow.from], places[flow.to],
                               timeline.cycles + instructions[flow.from].retired,
                               timeline.cycles + instructions[flow.to].started});
  }
}

}  // namespace

Timeline makeTimeline(const driver::RunResult& result) {
  Timeline timeline;
  uint64_t all_cycles = 0;
  for (const driver::StepProfile& profile : result.profile) {
    if (profile.trace) all_cycles += profile.trace->cycles;
  }
  const uint64_t window = busWindowCycles(all_cycles);
  for (uint32_t layer = 0; layer < result.profile.size(); ++layer) {
    const driver::StepProfile& profile = result.profile[layer];
    if (!profile.trace) continue;
    const std::vector<TrackLane> places = assignLanes(*profile.trace, *profile.program);
    for (uint32_t i = 0; i < places.size(); ++i) {
      const InstructionTimes& events = profile.trace->instructions[i];
      if (!ran(events)) continue;
      timeline.bars.push_back({places[i], layer, timeline.cycles + events.started,
                               timeline.cycles + events.retired + 1, i, 1,
                               &profile.program->instructions[i]});
    }
    addTokens(profile, places, timeline);
    uint64_t cycle = timeline.cycles;
    for (const BusShares& percent : busShares(*profile.trace, window)) {
      timeline.bus.push_back({cycle, percent});
      cycle += window;
    }
    timeline.cycles += profile.trace->cycles;
  }
  timeline.instructions = timeline.bars.size();
  std::ranges::sort(timeline.bars, {}, [](const TimelineBar& bar) {
    return std::tuple(bar.place.track, bar.place.lane, bar.begin_cycle, bar.layer,
                      bar.first_instruction);
  });
  return timeline;
}

void thinTimeline(Timeline& timeline, size_t max_bars) {
  uint64_t span = 0;
  std::vector<TimelineBar> bars = timeline.bars;
  while (bars.size() > max_bars && span <= timeline.cycles) {
    span = std::max<uint64_t>(1, 2 * span);
    bars = joined(timeline.bars, span);
  }
  timeline.bars = std::move(bars);
  timeline.joined_cycles = span;
}

}  // namespace vta::tools
