#include "tools/vta_run/full/timeline.h"

#include <algorithm>
#include <tuple>

#include "driver/runtime/layers/layer_shares.h"

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

/// `steps`: of each instruction, counted from the launch's first.
void addBars(const driver::StepProfile& profile, std::span<const uint32_t> steps,
             Timeline& timeline) {
  const auto& all_times = profile.trace->instructions;
  for (uint32_t i = 0; i < all_times.size(); ++i) {
    if (!ran(all_times[i])) continue;
    TimelineBar& bar = timeline.bars.emplace_back(
        barOf(profile.program->instructions[i], all_times[i], timeline.cycles));
    bar.layer = profile.first_step + steps[i];
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

void addLayers(const driver::StepProfile& profile, std::span<const uint32_t> steps,
               Timeline& timeline) {
  uint64_t begin = timeline.cycles;
  uint32_t layer = profile.first_step;
  for (const uint64_t share : driver::recordedShares(*profile.trace, steps, profile.step_count)) {
    timeline.layers.push_back({layer++, begin, begin + share});
    begin += share;
  }
}

}  // namespace

Timeline makeTimeline(const driver::RunResult& result, std::span<const std::string_view> names) {
  Timeline timeline;
  uint64_t all_cycles = 0;
  for (const driver::StepProfile& profile : result.profile) {
    if (profile.trace) all_cycles += profile.trace->cycles;
  }
  const uint64_t window = busWindowCycles(all_cycles);
  for (const driver::StepProfile& profile : result.profile) {
    if (!profile.trace) continue;
    const std::vector<uint32_t> steps = driver::stepsOfInstructions(
        *profile.program, names.subspan(profile.first_step, profile.step_count));
    addBars(profile, steps, timeline);
    addTokens(profile, timeline);
    uint64_t cycle = timeline.cycles;
    for (const BusShares& percent : busShares(*profile.trace, window)) {
      timeline.bus.push_back({cycle, percent});
      cycle += window;
    }
    addLayers(profile, steps, timeline);
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
