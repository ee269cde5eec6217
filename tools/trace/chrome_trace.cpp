#include "tools/trace/chrome_trace.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "isa/program/text/assembler.h"
#include "tools/trace/launch_events.h"
#include "tools/trace/unit_tracks.h"

namespace vta::tools {
namespace {

/// Thread ids of the slices, by instruction.
std::vector<int> threadsOf(const Recording& trace, const Program& program) {
  std::vector<int> threads;
  for (const TrackLane& place : assignLanes(trace, program)) {
    threads.push_back(1 + static_cast<int>(place.track) * kTrackLanes + place.lane);
  }
  return threads;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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
  return static_cast<double>(offset_cycles_ + cycle) / hw_.params().clockMhz();
}

void ChromeTrace::addLaunch(const Recording& trace, const Program& program) {
  addSlices(trace, program);
  addTokens(trace, program);
  addBus(trace);
  offset_cycles_ += trace.cycles;
}

void ChromeTrace::addSlices(const Recording& trace, const Program& program) {
  const std::vector<int> threads = threadsOf(trace, program);
  for (uint32_t i = 0; i < trace.instructions.size(); ++i) {
    const InstructionTimes& events = trace.instructions[i];
    if (!ran(events)) continue;
    const std::string layer(program.symbolAt(i));
    const std::string text = disassemble(program.instructions[i]);
    nameLane(threads[i]);
    const double begin = microseconds(events.started);
    addEvent(fmt::format(
        R"("ph":"X","pid":1,"tid":{},"ts":{:.3f},"dur":{:.3f},"name":{},"cat":"instruction",)"
        R"("args":{{"layer":{},"instruction":{},"dispatched":{},"started":{},"retired":{}}})",
        threads[i], begin, microseconds(events.retired + 1) - begin,
        quoted(layer.empty() ? text : fmt::format("{}: {}", layer, text)), quoted(layer), i,
        events.dispatched, events.started, events.retired));
  }
}

void ChromeTrace::addTokens(const Recording& trace, const Program& program) {
  const std::vector<int> threads = threadsOf(trace, program);
  for (const TokenFlow& token : tokenFlows(trace, program)) {
    const auto flow = [&](const char* phase, int thread, uint64_t cycle, const char* more) {
      addEvent(fmt::format(
          R"("ph":"{}","pid":1,"tid":{},"ts":{:.3f},"id":{},"name":"{}","cat":"token"{})", phase,
          thread, microseconds(cycle), flows_, token.name, more));
    };
    flow("s", threads[token.from], trace.instructions[token.from].retired, "");
    flow("f", threads[token.to], trace.instructions[token.to].started, R"(,"bp":"e")");
    ++flows_;
  }
}

void ChromeTrace::addBus(const Recording& trace) {
  const uint64_t window = busWindowCycles(trace.cycles);
  uint64_t cycle = 0;
  for (const BusShares& percent : busShares(trace, window)) {
    const double time = microseconds(cycle);
    addEvent(fmt::format(
        R"("ph":"C","pid":1,"ts":{:.3f},"name":"bus read, %","args":{{"fetch":{:.1f},"load":{:.1f},"compute":{:.1f}}})",
        time, percent[0], percent[1], percent[2]));
    addEvent(fmt::format(
        R"("ph":"C","pid":1,"ts":{:.3f},"name":"bus write, %","args":{{"store":{:.1f}}})", time,
        percent[3]));
    cycle += window;
  }
}

std::string ChromeTrace::take() {
  return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + std::move(events_) + "\n]}\n";
}

}  // namespace vta::tools
