#include "tools/common/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "isa/assembler.h"
#include "tools/common/unit_tracks.h"

namespace vta::tools {
namespace {

using driver::InstructionEvents;
using driver::LaunchTrace;

/// Thread ids of the slices, by instruction.
std::vector<int> threadsOf(const LaunchTrace& trace, const Program& program) {
  std::vector<int> threads;
  for (const TrackLane& place : assignLanes(trace, program)) {
    threads.push_back(1 + static_cast<int>(place.track) * kTrackLanes + place.lane);
  }
  return threads;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Who takes and gives a token of one direction.
struct TokenPath {
  Unit from;
  Unit to;
  bool Tokens::*push;
  bool Tokens::*pop;
  const char* name;
};
constexpr TokenPath kTokenPaths[] = {
    {Unit::kLoad, Unit::kCompute, &Tokens::push_next, &Tokens::pop_prev, "load to compute"},
    {Unit::kCompute, Unit::kLoad, &Tokens::push_prev, &Tokens::pop_next, "compute to load"},
    {Unit::kCompute, Unit::kStore, &Tokens::push_next, &Tokens::pop_prev, "compute to store"},
    {Unit::kStore, Unit::kCompute, &Tokens::push_prev, &Tokens::pop_next, "store to compute"},
};

std::vector<size_t> withToken(const Program& program, Unit unit, bool Tokens::*flag) {
  std::vector<size_t> found;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& insn = program.instructions[i];
    if (insn.unit() == unit && insn.tokens.*flag) found.push_back(i);
  }
  return found;
}

}  // namespace

ChromeTrace::ChromeTrace(const HwConfig& hw) : hw_(hw) {
  addEvent(fmt::format(R"("ph":"M","pid":1,"name":"process_name","args":{{"name":{}}})",
                       quoted("VTA '" + hw.name() + "'")));
}

// Tells a lane's name when it is used for the first time.
void ChromeTrace::nameLane(int thread) {
  if (!named_lanes_.insert(thread).second) return;
  const int lane = (thread - 1) % kTrackLanes;
  const char* track = unitTrackName(static_cast<UnitTrack>((thread - 1) / kTrackLanes));
  addEvent(fmt::format(R"("ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":"{}"}})",
                       thread, lane == 0 ? track : fmt::format("{} ({})", track, lane + 1)));
  addEvent(fmt::format(
      R"("ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}})",
      thread));
}

void ChromeTrace::addEvent(const std::string& fields) {
  events_ += events_.empty() ? "{" : ",\n{";
  events_ += fields;
  events_ += '}';
}

double ChromeTrace::microseconds(uint64_t cycle) const {
  return static_cast<double>(offset_cycles_ + cycle) / hw_.params().clock_mhz;
}

void ChromeTrace::addLaunch(const LaunchTrace& trace, const Program& program) {
  addSlices(trace, program);
  addTokens(trace, program);
  addBus(trace);
  offset_cycles_ += trace.cycles;
}

void ChromeTrace::addSlices(const LaunchTrace& trace, const Program& program) {
  const std::vector<int> threads = threadsOf(trace, program);
  for (uint32_t i = 0; i < trace.instructions.size(); ++i) {
    const InstructionEvents& events = trace.instructions[i];
    if (!ran(events)) continue;
    const std::string layer(program.symbolAt(i));
    const std::string text = disassemble(program.instructions[i]);
    nameLane(threads[i]);
    const double begin = microseconds(events.started);
    addEvent(fmt::format(
        R"("ph":"X","pid":1,"tid":{},"ts":{:.3f},"dur":{:.3f},"name":{},"cat":"instruction",)"
        R"("args":{{"layer":{},"instruction":{},"dispatched":{},"started":{},"retired":{}}})",
        threads[i], begin, microseconds(events.retired + 1) - begin,
        quoted(layer.empty() ? text : layer + ": " + text), quoted(layer), i, events.dispatched,
        events.started, events.retired));
  }
}

// Both units work in order, so the n-th push of a direction meets the n-th pop.
void ChromeTrace::addTokens(const LaunchTrace& trace, const Program& program) {
  const std::vector<int> threads = threadsOf(trace, program);
  for (const TokenPath& path : kTokenPaths) {
    const std::vector<size_t> pushes = withToken(program, path.from, path.push);
    const std::vector<size_t> pops = withToken(program, path.to, path.pop);
    for (size_t n = 0; n < std::min(pushes.size(), pops.size()); ++n) {
      const InstructionEvents& from = trace.instructions[pushes[n]];
      const InstructionEvents& to = trace.instructions[pops[n]];
      if (!ran(from) || !ran(to)) continue;
      const auto flow = [&](const char* phase, int thread, uint64_t cycle, const char* more) {
        addEvent(fmt::format(
            R"("ph":"{}","pid":1,"tid":{},"ts":{:.3f},"id":{},"name":"{}","cat":"token"{})", phase,
            thread, microseconds(cycle), flows_, path.name, more));
      };
      flow("s", threads[pushes[n]], from.retired, "");
      flow("f", threads[pops[n]], to.started, R"(,"bp":"e")");
      ++flows_;
    }
  }
}

// Percent of the bus's beats, in windows that keep the file small.
void ChromeTrace::addBus(const LaunchTrace& trace) {
  constexpr uint64_t kWindows = 2000;
  const uint64_t window = std::max<uint64_t>(16, trace.cycles / kWindows);
  const size_t count = trace.cycles / window + 1;
  std::vector<std::array<double, 4>> beats(count);
  for (const driver::BurstEvents& burst : trace.bursts) {
    const uint64_t span = burst.last_beat_cycle - burst.first_beat_cycle + 1;
    const double rate = static_cast<double>(burst.beats) / static_cast<double>(span);
    for (uint64_t cycle = burst.first_beat_cycle; cycle <= burst.last_beat_cycle;) {
      const uint64_t end = std::min((cycle / window + 1) * window, burst.last_beat_cycle + 1);
      if (cycle / window >= count) break;
      beats[cycle / window][static_cast<size_t>(burst.master)] +=
          rate * static_cast<double>(end - cycle);
      cycle = end;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const auto percent = [&](size_t master) {
      return 100 * beats[i][master] / static_cast<double>(window);
    };
    const double time = microseconds(i * window);
    addEvent(fmt::format(
        R"("ph":"C","pid":1,"ts":{:.3f},"name":"bus read, %","args":{{"fetch":{:.1f},"load":{:.1f},"compute":{:.1f}}})",
        time, percent(0), percent(1), percent(2)));
    addEvent(fmt::format(
        R"("ph":"C","pid":1,"ts":{:.3f},"name":"bus write, %","args":{{"store":{:.1f}}})", time,
        percent(3)));
  }
}

std::string ChromeTrace::take() {
  return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + std::move(events_) + "\n]}\n";
}

}  // namespace vta::tools
