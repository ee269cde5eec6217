#include "driver/runtime/layers/layer_shares.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace vta::driver {
namespace {

constexpr size_t kUnits = 3;

/// The first step from `from` on with this name; `from` if there is none.
uint32_t findStep(std::span<const std::string_view> names, uint32_t from, std::string_view name) {
  const auto found = std::find(names.begin() + from, names.end(), name);
  return found == names.end() ? from : static_cast<uint32_t>(found - names.begin());
}

/// The differences of ascending ends.
std::vector<uint64_t> differences(std::vector<uint64_t> ends) {
  for (size_t i = ends.size(); i-- > 1;) ends[i] -= ends[i - 1];
  return ends;
}

}  // namespace

std::vector<uint32_t> stepsOfInstructions(const Program& program,
                                          std::span<const std::string_view> names) {
  std::vector<uint32_t> steps(program.instructions.size(), 0);
  if (names.size() < 2) return steps;
  std::array<uint32_t, kUnits> at{};  // by unit
  for (uint32_t i = 0; i < steps.size(); ++i) {
    uint32_t& step = at[static_cast<size_t>(program.instructions[i].unit()) % kUnits];
    step = findStep(names, step, program.symbolAt(i));
    steps[i] = step;
  }
  return steps;
}

std::vector<uint64_t> recordedShares(const Recording& trace, std::span<const uint32_t> steps,
                                     size_t count) {
  std::vector<uint64_t> ends(count, 0);
  for (size_t i = 0; i < std::min(steps.size(), trace.instructions.size()); ++i) {
    const uint64_t retired = trace.instructions[i].retired;
    if (retired == InstructionTimes::kNever) continue;
    uint64_t& end = ends[steps[i]];
    end = std::max(end, retired + 1);
  }
  for (size_t i = 1; i < count; ++i) ends[i] = std::max(ends[i], ends[i - 1]);
  for (uint64_t& end : ends) end = std::min(end, trace.cycles);
  if (count > 0) ends.back() = trace.cycles;
  return differences(std::move(ends));
}

std::vector<uint64_t> proportionalShares(uint64_t cycles, std::span<const uint64_t> alone) {
  const uint64_t sum = std::accumulate(alone.begin(), alone.end(), uint64_t{0});
  std::vector<uint64_t> ends;
  uint64_t done = 0;
  for (const uint64_t own : alone) {
    done += own;
    const double share = sum == 0 ? 0 : static_cast<double>(done) / static_cast<double>(sum);
    ends.push_back(static_cast<uint64_t>(share * static_cast<double>(cycles)));
  }
  if (!ends.empty()) ends.back() = cycles;
  return differences(std::move(ends));
}

}  // namespace vta::driver
