#include "host_cpu/schedule/integer_finish.h"

namespace vta::codegen::blocked {
namespace {

constexpr std::string_view kLeaves = "sxyc", kBinary = "adpulrqhn";

}  // namespace

int64_t finishConstants(char step) {
  if (step == 'k' || step == 'h' || step == 'n') return 2;
  return step == 'c' || step == 'q' || step == 'e' ? 1 : 0;
}

int64_t finishConstants(std::string_view formula) {
  int64_t count = 0;
  for (const char step : formula) count += finishConstants(step);
  return count;
}

int64_t finishOperands(char step) {
  if (kLeaves.find(step) != std::string_view::npos) return 0;
  if (kBinary.find(step) != std::string_view::npos) return 2;
  return step == 'k' || step == 'e' ? 1 : -1;
}

bool isFinish(std::string_view formula) {
  int64_t depth = 0;
  for (const char step : formula) {
    const int64_t operands = finishOperands(step);
    if (operands < 0 || depth < operands) return false;
    depth += 1 - operands;
  }
  return depth == 1;
}

}  // namespace vta::codegen::blocked
