#include "isa/program/token_tracker.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace vta {

TokenTracker::TokenTracker() {
  for (Segments& segments : segments_) {
    segments.reserve(32);
    segments.emplace_back();
  }
  for (auto& row : synced_) row.fill(kNone);
}

// Makes a segment start at `begin` and returns its number.
size_t TokenTracker::splitAt(Segments& segments, uint32_t begin) {
  const auto after =
      std::upper_bound(segments.begin(), segments.end(), begin,
                       [](uint32_t value, const Segment& s) { return value < s.begin; });
  const size_t next = after - segments.begin();
  if (segments[next - 1].begin == begin) return next - 1;
  Segment tail = segments[next - 1];
  tail.begin = begin;
  segments.insert(after, tail);
  return next;
}

void TokenTracker::record(const SramAccess& access, int unit, int64_t index, Producers& producers) {
  Segments& segments = segments_[static_cast<int>(access.sram)];
  const size_t first = splitAt(segments, access.begin);
  const bool ends_next = first + 1 < segments.size() && segments[first + 1].begin == access.end;
  const size_t last = ends_next ? first + 1 : splitAt(segments, access.end);
  for (size_t i = first; i < last; ++i) {
    for (int other = 0; other < kUnits; ++other) {
      if (other == unit) continue;
      producers[other] = std::max(producers[other], segments[i].last_write[other]);
      if (access.writes)
        producers[other] = std::max(producers[other], segments[i].last_read[other]);
    }
    segments[i].last_read[unit] = index;
  }
  if (!access.writes) return;
  // A write is ordered after the whole history of its range, so the history ends here.
  Segment written;
  written.begin = access.begin;
  written.last_read[unit] = index;
  written.last_write[unit] = index;
  segments[first] = written;
  const auto begin = segments.begin();
  segments.erase(begin + static_cast<std::ptrdiff_t>(first) + 1,
                 begin + static_cast<std::ptrdiff_t>(last));
}

void TokenTracker::synchronise(std::vector<Instruction>& program, int64_t producer, int from,
                               uint32_t index, int to) {
  if (producer == kNone || producer <= synced_[from][to]) return;
  assert(from - to == 1 || to - from == 1);
  synced_[from][to] = producer;
  if (to == static_cast<int>(Unit::kCompute)) compute_waits_[from].push_back({index, producer});
  Tokens& push = program[producer].tokens;
  Tokens& pop = program[index].tokens;
  if (from < to) {
    push.push_next = true;
    pop.pop_prev = true;
  } else {
    push.push_prev = true;
    pop.pop_next = true;
  }
}

void TokenTracker::add(std::vector<Instruction>& program, uint32_t first, uint32_t last,
                       std::span<const SramAccess> accesses, const Producers& others) {
  const int unit = static_cast<int>(program[first].unit());
  Producers producers = others;
  for (const SramAccess& access : accesses) {
    if (access.begin < access.end) record(access, unit, last, producers);
  }
  for (int from = 0; from < kUnits; ++from) {
    synchronise(program, producers[from], from, first, unit);
  }
  last_of_unit_[unit] = last;
}

int64_t TokenTracker::firstComputeAfter(Unit from, int64_t producer) const {
  const std::vector<Wait>& waits = compute_waits_[static_cast<int>(from)];
  const auto found =
      std::lower_bound(waits.begin(), waits.end(), producer,
                       [](const Wait& wait, int64_t value) { return wait.producer < value; });
  return found == waits.end() ? kNone : found->compute;
}

void TokenTracker::addAfterUnit(std::vector<Instruction>& program, uint32_t index, Unit unit) {
  const int to = static_cast<int>(program[index].unit());
  const int from = static_cast<int>(unit);
  synchronise(program, last_of_unit_[from], from, index, to);
  last_of_unit_[to] = index;
}

}  // namespace vta
