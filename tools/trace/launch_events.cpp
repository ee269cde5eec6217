#include "tools/trace/launch_events.h"

#include <algorithm>

#include "tools/trace/unit_tracks.h"

namespace vta::tools {
namespace {

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

std::vector<uint32_t> withToken(const Program& program, Unit unit, bool Tokens::*flag) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& insn = program.instructions[i];
    if (insn.unit() == unit && insn.tokens.*flag) found.push_back(i);
  }
  return found;
}

}  // namespace

// Both units work in order, so the n-th push of a direction meets the n-th pop.
std::vector<TokenFlow> tokenFlows(const Recording& trace, const Program& program) {
  std::vector<TokenFlow> flows;
  for (const TokenPath& path : kTokenPaths) {
    const std::vector<uint32_t> pushes = withToken(program, path.from, path.push);
    const std::vector<uint32_t> pops = withToken(program, path.to, path.pop);
    for (size_t n = 0; n < std::min(pushes.size(), pops.size()); ++n) {
      if (!ran(trace.instructions[pushes[n]]) || !ran(trace.instructions[pops[n]])) continue;
      flows.push_back({path.name, pushes[n], pops[n]});
    }
  }
  return flows;
}

std::vector<BusShares> busShares(const Recording& trace, uint64_t window_cycles) {
  std::vector<BusShares> shares((trace.cycles + window_cycles - 1) / window_cycles);
  for (const BurstTimes& burst : trace.bursts) {
    const uint64_t span = burst.last_beat_cycle - burst.first_beat_cycle + 1;
    const double rate = static_cast<double>(burst.beats) / static_cast<double>(span);
    for (uint64_t cycle = burst.first_beat_cycle; cycle <= burst.last_beat_cycle;) {
      const uint64_t window = cycle / window_cycles;
      if (window >= shares.size()) break;
      const uint64_t end = std::min((window + 1) * window_cycles, burst.last_beat_cycle + 1);
      shares[window][static_cast<size_t>(burst.master)] += rate * static_cast<double>(end - cycle);
      cycle = end;
    }
  }
  for (size_t i = 0; i < shares.size(); ++i) {
    const uint64_t length = std::min(window_cycles, trace.cycles - i * window_cycles);
    for (double& beats : shares[i]) beats *= 100 / static_cast<double>(length);
  }
  return shares;
}

uint64_t busWindowCycles(uint64_t cycles) {
  constexpr uint64_t kWindows = 2000;
  return std::max<uint64_t>(16, cycles / kWindows);
}

}  // namespace vta::tools
