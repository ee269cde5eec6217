#include "tools/vta_run/full/timeline.h"

#include <algorithm>
#include <tuple>

namespace vta::tools {
namespace {

/// The bar of an instruction that ran in a launch that begins in `launch_cycle`.
TimelineBar barOf(const Instruction& instruction, const InstructionTimes& times,
                  uint64_t launch_cycle) {
  TimelineBar bar;
  bar.track = trackOf(instruction);
  bar.begin_cycle = launch_cycle + times.started;
  bar.end_cycle = launch_cycle + times.retired + 1;
  bar.work_begin_cycle = bar.work_end_cycle = bar.begin_cycle;
  if (times.work_from != InstructionTimes::kNever) {
    bar.work_begin_cycle = launch_cycle + times.work_from;
    bar.work_end_cycle = launch_cycle + times.work_until + 1;
  }
  bar.instruction = &instruction;
  return bar;
}

/// Makes `bar`, which follows `last`, a part of it.
void join(TimelineBar& last, const TimelineBar& bar) {
  const bool works = bar.work_end_cycle > bar.work_begin_cycle;
  if (works && last.work_end_cycle == last.work_begin_cycle) {
    last.work_begin_cycle = bar.work_begin_cycle;
  }
  if (works) last.work_end_cycle = std::max(last.work_end_cycle, bar.work_end_cycle);
  last.end_cycle = std::max(last.end_cycle, bar.end_cycle);
  last.instructions += bar.instructions;
}

std::vector<TimelineBar> joined(const std::vector<TimelineBar>& bars, uint64_t span_cycles) {
  std::vector<TimelineBar> result;
  for (const TimelineBar& bar : bars) {
    TimelineBar* last = result.empty() ? nullptr : &result.back();
    if (last != nullptr && last->track == bar.track && last->layer == bar.layer &&
        bar.end_cycle - last->begin_cycle <= span_cycles) {
      join(*last, bar);
    } else {
      result.push_back(bar);
    }
  }
  return result;
}

void addBars(const driver::StepProfile& profile, uint32_t layer, Timeline& timeline) {
  const auto& all_times = profile.trace->instructions;
  for (uint32_t i = 0; i < all_times.size(); ++i) {
    if (!ran(all_times[i])) continue;
    TimelineBar& bar = timeline.bars.emplace_back(
        barOf(profile.program->instructions[i], all_times[i], timeline.cycles));
    bar.layer = layer;
    bar.first_instruction = i;
  }
}

void addTokens(const driver::StepProfile& profile, Timeline& timeline) {
  const auto& times = profile.trace->instructions;
  const auto& instructions = profile.program->instructions;
  for (const TokenFlow& flow : tokenFlows(*profile.trace, *profile.program)) {
    timeline.tokens.push_back(
        {flow.name, trackOf(instructions[flow.from]), trackOf(instructions[flow.to]),
         timeline.cycles + times[flow.from].retired, timeline.cycles + times[flow.to].started});
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
    addBars(profile, layer, timeline);
    addTokens(profile, timeline);
    uint64_t cycle = timeline.cycles;
    for (const BusShares& percent : busShares(*profile.trace, window)) {
      timeline.bus.push_back({cycle, percent});
      cycle += window;
    }
    timeline.launches.push_back({layer, timeline.cycles, timeline.cycles + profile.trace->cycles});
    timeline.cycles += profile.trace->cycles;
  }
  timeline.instructions = timeline.bars.size();
  std::ranges::sort(timeline.bars, {}, [](const TimelineBar& bar) {
    return std::tuple(bar.track, bar.begin_cycle, bar.layer, bar.first_instruction);
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
